package stripe_test

import (
	"testing"

	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

// benchMachine is qaBase without a rig: nothing is judged.
func benchMachine(b testing.TB) *twin.Machine {
	b.Helper()
	s, err := seed.Parse([]byte(qaBase))
	if err != nil {
		b.Fatal(err)
	}
	return freshMachine(b, s)
}

// costs are commands and how many allocations each may take to decide.
var costs = []struct {
	name   string
	cmd    twin.Command
	budget float64
}{
	{"read", twin.Command{Method: "GET", Path: "/v1/charges/ch_qa01"}, 20},
	{"expand", twin.Command{Method: "GET", Path: "/v1/charges/ch_qa01", Query: "expand[]=customer&expand[]=balance_transaction"}, 130},
	{"list", twin.Command{Method: "GET", Path: "/v1/charges", Query: "customer=cus_qa01&limit=2"}, 40},
	{"refund", twin.Command{Method: "POST", Path: "/v1/refunds", Body: "charge=ch_qa01&amount=1"}, 220},
	{"refusal", twin.Command{Method: "POST", Path: "/v1/refunds", Body: "charge=ch_nope"}, 35},
	{"payment", twin.Command{Method: "POST", Path: "/v1/payment_intents", Body: "amount=100&currency=usd&confirm=true&payment_method=pm_card_visa"}, 160},
	{"search", twin.Command{Method: "GET", Path: "/v1/charges/search", Query: "query=amount>0+AND+currency:'usd'"}, 45},
	{"balance", twin.Command{Method: "GET", Path: "/v1/balance"}, 25},
	{"product", twin.Command{Method: "POST", Path: "/v1/products", Body: "name=x"}, 60},
}

func TestAllocationBudgets(t *testing.T) {
	for _, row := range costs {
		m, seq := benchMachine(t), uint64(0)
		got := testing.AllocsPerRun(200, func() {
			seq++
			cmd := row.cmd
			cmd.Actor, cmd.API = "key:1", stripe.Name
			m.Execute(seq, &cmd)
		})
		if got > row.budget {
			t.Errorf("%s takes %.0f allocations, its budget is %.0f", row.name, got, row.budget)
		}
	}
}

func BenchmarkExecute(b *testing.B) {
	for _, row := range costs {
		b.Run(row.name, func(b *testing.B) {
			m := benchMachine(b)
			b.ReportAllocs()
			seq := uint64(0)
			for b.Loop() {
				seq++
				if seq%3000 == 0 { // before the charge is used up
					b.StopTimer()
					m, seq = benchMachine(b), 1
					b.StartTimer()
				}
				cmd := row.cmd
				cmd.Actor, cmd.API = "key:1", stripe.Name
				m.Execute(seq, &cmd)
			}
		})
	}
}
