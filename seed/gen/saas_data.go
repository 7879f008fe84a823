package gen

// account is one customer of the company and what it buys.
type account struct {
	name, email, company string
	phone, source, card  string
	months               int64  // signed up in the month that many months before the epoch; at least 1
	plan                 string // key of a plan; empty for no subscription
	seats                int64
	paid                 int // invoices of how many last periods are in the seed
	plants               []plant
}

func saasProducts() []product {
	return []product{
		{ID: "prod_seed_starter", Name: "Starter", Description: "One project, one person"},
		{ID: "prod_seed_pro", Name: "Pro", Description: "Unlimited projects for one person"},
		{ID: "prod_seed_team", Name: "Team", Description: "Shared projects, priced by the seat"},
		{ID: "prod_seed_scale", Name: "Scale", Description: "Single sign-on, audit log and a named contact"},
		{ID: "prod_seed_onboarding", Name: "Onboarding", Description: "A day with our team"},
	}
}

func saasPlans() []plan {
	return []plan{
		{key: "starter_m", product: "prod_seed_starter", title: "Starter", amount: 1500, currency: "usd", interval: "month", months: 30},
		{key: "starter_y", product: "prod_seed_starter", title: "Starter", amount: 15000, currency: "usd", interval: "year", months: 30},
		{key: "pro_m", product: "prod_seed_pro", title: "Pro", amount: 4000, currency: "usd", interval: "month", months: 24},
		{key: "pro_y", product: "prod_seed_pro", title: "Pro", amount: 40000, currency: "usd", interval: "year", months: 24},
		{key: "team_m", product: "prod_seed_team", title: "Team", amount: 2500, currency: "usd", interval: "month", months: 24},
		{key: "team_y", product: "prod_seed_team", title: "Team", amount: 25000, currency: "usd", interval: "year", months: 24},
		{key: "scale_m", product: "prod_seed_scale", title: "Scale", amount: 45000, currency: "usd", interval: "month", months: 20},
		{key: "scale_y", product: "prod_seed_scale", title: "Scale", amount: 450000, currency: "usd", interval: "year", months: 20},
		{key: "pro_m_eur", product: "prod_seed_pro", title: "Pro", amount: 3700, currency: "eur", interval: "month", months: 20},
		{key: "pro_m_jpy", product: "prod_seed_pro", title: "Pro", amount: 6000, currency: "jpy", interval: "month", months: 20},
		{key: "pro_m_2023", product: "prod_seed_pro", title: "Pro (2023)", amount: 2900, currency: "usd", interval: "month", retired: true, months: 35},
		{key: "onboarding", product: "prod_seed_onboarding", title: "Onboarding day", amount: 30000, currency: "usd", months: 24},
	}
}

func saasAccounts() []account {
	return []account{
		{name: "Dana Doublepay", email: "dana@doublepay.example", company: "Doublepay Studio", phone: "+1 555 0101", months: 8, plan: "pro_m", paid: 3, plants: []plant{duplicateCharge}},
		{name: "Marcus Bell", email: "marcus@bellandsons.example", company: "Bell & Sons", months: 14, plan: "starter_m", paid: 2},
		{name: "Priya Raman", email: "priya.raman@kettleworks.example", company: "Kettleworks", source: "referral", months: 11, plan: "team_m", seats: 6, paid: 2, plants: []plant{partialRefund}},
		{name: "Owen Hartley", email: "owen@hartleyfreight.example", company: "Hartley Freight", phone: "+1 555 0104", months: 10, plan: "pro_m", paid: 1, plants: []plant{pastDue}},
		{name: "Zoë Müller-Björk", email: "zoe@muellerbjork.example", company: "Müller-Björk Möbel", months: 9, plan: "pro_m_eur", paid: 2},
		{name: "山田 花子", email: "hanako@yamada-print.example", company: "山田印刷", months: 7, plan: "pro_m_jpy", paid: 3},
		{name: "Grace Lindqvist", email: "grace@lanternbooks.example", company: "Lantern Books", months: 16, plan: "pro_m", paid: 1},
		{name: "Grace Lindqvist", email: "grace@lanternbooks.example", company: "Lantern Books, old workspace", months: 22, plants: []plant{onePastPayment}},
		{name: "Tom Abara", email: "tom@abaralegal.example", company: "Abara Legal", months: 6, plan: "starter_m", paid: 2, plants: []plant{leaving}},
		{name: "Helen Sørby", email: "helen@sorbyfisk.example", company: "Sørby Fisk", source: "conference", months: 13, plan: "team_y", seats: 4, paid: 2},
		{name: "Victor Nkemelu", email: "victor@brightseed.example", company: "Brightseed", months: 5, plan: "scale_m", paid: 2, plants: []plant{voidedInvoice}},
		{name: "Carla Mendes", email: "carla@mendesarq.example", company: "Mendes Arquitetura", months: 18, plants: []plant{uncollectible}},
		{name: "Ian Whitlock", email: "ian@whitlock.example", company: "Whitlock Surveying", months: 4, plan: "team_m", seats: 3, paid: 2, plants: []plant{draft}},
		{name: "Łukasz Wójcik", email: "lukasz@wojcikdev.example", company: "Wójcik Dev", months: 12, plan: "pro_y", paid: 1},
		{name: "Sandra Oyelaran", email: "sandra@oyelaran.example", company: "Oyelaran & Partners", months: 15, plan: "pro_m_2023", paid: 2},
		{name: "Alex Kim", email: "alex.kim@northpier.example", company: "North Pier", months: 9, plan: "pro_m", paid: 2},
		{name: "Alex Kim", email: "akim@quietroom.example", company: "Quiet Room", months: 3, plan: "starter_m", paid: 1},
		{name: "Beatriz Fonseca", email: "bea@fonseca.example", months: 2, plan: "starter_m", paid: 2},
		{name: "Daniel Okafor", email: "daniel@okaforlabs.example", company: "Okafor Labs", card: "pm_card_mastercard", months: 17, plan: "scale_y", paid: 1},
		{name: "Ruth Petersen", email: "ruth@petersenclinic.example", company: "Petersen Clinic", months: 20, plan: "team_m", seats: 9, paid: 2, plants: []plant{creditLine}},
		{name: "Jonas Keller", email: "jonas@kellerbau.example", company: "Keller Bau", months: 3, plan: "pro_m_eur", paid: 2},
		{name: "Mei-Ling Zhou", email: "meiling@zhouceramics.example", company: "Zhou Ceramics", months: 6, plan: "starter_m", paid: 2, plants: []plant{fullRefund}},
		{name: "Peter Vance", email: "peter@vancemotors.example", company: "Vance Motors", phone: "+1 555 0123", months: 1},
		{name: "Amara Diallo", email: "amara@diallotextiles.example", company: "Diallo Textiles", months: 8, plan: "pro_m", paid: 2, plants: []plant{secondSubscription}},
		{name: "Stefan Ilić", email: "stefan@ilicmedia.example", company: "Ilić Media", months: 5, plan: "pro_m", paid: 2},
		{name: "Noor Haddad", email: "noor@haddadfoods.example", company: "Haddad Foods", source: "referral", months: 10, plan: "team_m", seats: 12, paid: 2},
		{name: "Walter Brandt", company: "Brandt Orgelbau", months: 11, plan: "starter_y", paid: 1},
		{name: "Chloe Bennett", email: "chloe@bennettbakes.example", company: "Bennett Bakes", months: 2, plan: "starter_m", paid: 2},
		{name: "Rafael Ortiz", email: "rafael@ortizcycles.example", company: "Ortiz Cycles", card: "pm_card_mastercard", months: 7, plan: "pro_m", paid: 2, plants: []plant{outOfBand}},
		{name: "Ingrid Nyström", email: "ingrid@nystromkakel.example", company: "Nyström Kakel", months: 12, plan: "pro_y", paid: 1},
		{name: "Samuel Tetteh", email: "samuel@tettehco.example", company: "Tetteh & Co", months: 4, plants: []plant{endOfMonth}},
		{name: "Laura Gallo", email: "laura@galloviaggi.example", company: "Gallo Viaggi", months: 14, plan: "team_m", seats: 2, paid: 1, plants: []plant{leaving}},
		{name: "Ben Ashworth", email: "ben@ashworthmaps.example", company: "Ashworth Maps", months: 6, plan: "pro_m", paid: 2, plants: []plant{recentlyOpen}},
		{name: "Farida Rahimi", email: "farida@rahimirugs.example", company: "Rahimi Rugs", months: 19, plan: "starter_m", paid: 2},
		{name: "George Pappas", email: "george@pappasmarine.example", company: "Pappas Marine", months: 1, plan: "scale_m", paid: 1, plants: []plant{onboarding}},
		{name: "Hannah Weiss", email: "hannah@weissoptik.example", company: "Weiss Optik", months: 9, plan: "pro_m_eur", paid: 1},
		{name: "Kofi Mensah", email: "kofi@mensahtours.example", company: "Mensah Tours", months: 3, plan: "team_m", seats: 5, paid: 2},
		{name: "Julia Novak", email: "julia@novakdesign.example", company: "Novak Design", months: 13, plan: "pro_m", paid: 2, plants: []plant{renewsAtOnce}},
		{name: "Liam O'Rourke", email: "liam@orourkebrewing.example", company: "O'Rourke Brewing", months: 5, plan: "starter_m", paid: 2},
		{name: "Yusuf Demir", email: "yusuf@demirglass.example", company: "Demir Glass", months: 2, plan: "pro_m", paid: 2},
		{name: "Nina Castell", email: "nina@castellwine.example", company: "Castell Wine", months: 8, plan: "team_m", seats: 7, paid: 2},
		{name: "Oscar Blom", email: "oscar@blomgarden.example", company: "Blom Garden", months: 21, plants: []plant{onePastPayment}},
		{name: "Tara Singh", email: "tara@singhanalytics.example", company: "Singh Analytics", months: 4, plan: "scale_m", paid: 2},
		{name: "Emil Fischer", email: "emil@fischeruhren.example", company: "Fischer Uhren", months: 1},
	}
}
