package stripe

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// TaxID is a number that an authority gave a customer, or the account itself.
type TaxID struct {
	Country         *string           `json:"country"`
	Created         twin.Time         `json:"created"`
	Customer        *string           `json:"customer"` // nil: the account's own
	CustomerAccount canon.Raw         `json:"customer_account"`
	ID              string            `json:"id"`
	Livemode        bool              `json:"livemode"`
	Object          string            `json:"object"`
	Owner           TaxIDOwner        `json:"owner"`
	Type            string            `json:"type"`
	Value           string            `json:"value"`
	Verification    TaxIDVerification `json:"verification"`
}

// TaxIDOwner is whose number it is.
type TaxIDOwner struct {
	Customer string `json:"customer,omitempty"`
	Type     string `json:"type"` // customer or self
}

// TaxIDVerification is what an authority says of a number.
type TaxIDVerification struct {
	Status          string    `json:"status"`
	VerifiedAddress canon.Raw `json:"verified_address"`
	VerifiedName    canon.Raw `json:"verified_name"`
}

// ownSelf is the owner that is the account itself.
const ownSelf = "self"

// taxIDsMax is how many numbers a customer can have.
const taxIDsMax = 5

var taxIDs = twin.Resource[TaxID]{
	Kind: twin.Kind{Table: "stripe.tax_id", Object: "tax_id", Prefix: "txi", Digits: 24},
	Key:  func(t *TaxID) string { return t.ID },
	Terms: func(t *TaxID) []string {
		if t.Customer == nil {
			return []string{"owner=" + ownSelf}
		}
		return []string{"customer=" + *t.Customer}
	},
}

// taxIDType is a kind of numbers.
type taxIDType string

// Words are the kinds there are, as Stripe lists them.
func (taxIDType) Words() []string { return taxIDTypes }

var taxIDTypes = strings.Fields(`
	ad_nrt ae_trn al_tin am_tin ao_tin ar_cuit au_abn au_arn aw_tin az_tin ba_tin bb_tin bd_bin bf_ifu bg_uic bh_vat
	bj_ifu bo_tin br_cnpj br_cpf bs_tin by_tin ca_bn ca_gst_hst ca_pst_bc ca_pst_mb ca_pst_sk ca_qst cd_nif ch_uid
	ch_vat cl_tin cm_niu cn_tin co_nit cr_tin cv_nif de_stn do_rcn ec_ruc eg_tin es_cif et_tin eu_oss_vat eu_vat
	fo_vat gb_vat ge_vat gi_tin gn_nif hk_br hr_oib hu_tin ic_nif id_npwp il_vat in_gst is_vat it_cf jp_cn jp_rn
	jp_trn ke_pin kg_tin kh_tin kr_brn kz_bin la_tin li_uid li_vat lk_vat ma_vat md_vat me_pib mk_vat mr_nif mx_rfc
	my_frp my_itn my_sst ng_tin no_vat no_voec np_pan nz_gst om_vat pe_ruc ph_tin pl_nip py_ruc ro_tin rs_pib ru_inn
	ru_kpp sa_vat sg_gst sg_uen si_tin sn_ninea sr_fin sv_nit th_vat tj_tin tr_tin tw_vat tz_vat ua_vat ug_tin
	us_ein uy_ruc uz_tin uz_vat ve_rif vn_tin za_vat zm_tin zw_tin`)

func taxIDAPI() twin.API {
	const path = "/v1/customers/{customer}/tax_ids"
	return twin.API{
		Kind: taxIDs.Kind,
		Routes: []twin.Route{
			twin.On("POST "+path, createCustomerTaxID),
			twin.On("GET "+path, listCustomerTaxIDs),
			twin.On("GET "+path+"/{id}", retrieveCustomerTaxID),
			twin.On("DELETE "+path+"/{id}", deleteCustomerTaxID),
			twin.On("POST /v1/tax_ids", createTaxID),
			twin.On("GET /v1/tax_ids", listTaxIDs),
			twin.On("GET /v1/tax_ids/{id}", retrieveTaxID),
			twin.On("DELETE /v1/tax_ids/{id}", deleteTaxID),
		},
		Expand: map[string]string{
			"customer": customers.Object, "owner.customer": customers.Object,
			// Never set here, and Stripe expands them.
			"owner.account": "account", "owner.application": "application",
		},
	}
}

// taxIDParams are a number.
type taxIDParams struct {
	Type  twin.Opt[taxIDType] `param:"type" rule:"required"`
	Value twin.Opt[string]    `param:"value" rule:"required"`
}

// check refuses what is no number of its kind. at is where the request names it.
func (p *taxIDParams) check(at string) *twin.Error {
	if !plausible(string(p.Type.V), p.Value.V) {
		return invalidCode("tax_id_invalid", join(at, "value"), "Invalid value for %s.", p.Type.V)
	}
	return nil
}

// verdicts are what authorities say of the numbers of test mode; of others they have
// yet to say something.
var verdicts = map[string]string{"000000000": "verified", "111111111": "unverified", "222222222": "pending"}

// verified reports whether some authority is asked about a kind of number.
func verified(typ string) bool { return typ == "eu_vat" || typ == "gb_vat" || typ == "au_abn" }

// plausible reports whether a number has the form of its kind: those that are
// verified begin with a country (au_abn: have eleven digits), or are of test mode.
func plausible(typ, value string) bool {
	if len(value) > 50 || strings.Trim(value, " ") == "" {
		return false
	}
	if !verified(typ) || verdicts[value] != "" {
		return true
	}
	bare := strings.NewReplacer(" ", "", "-", "", ".", "").Replace(value)
	switch typ {
	case "au_abn":
		return len(bare) == 11 && strings.Trim(bare, "0123456789") == ""
	case "gb_vat":
		return strings.HasPrefix(bare, "GB") && len(bare) > 4
	}
	return len(bare) >= 4 && len(bare) <= 14 && capital(bare[0]) && capital(bare[1])
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

// countryOf is the country of a number: that of its kind, or the one that it begins
// with; nil for none.
func countryOf(typ, value string) *string {
	country := strings.ToUpper(typ[:2])
	if country == "EU" {
		if len(value) < 2 || !capital(value[0]) || !capital(value[1]) {
			return nil
		}
		country = value[:2]
	}
	return &country
}

// make makes a number of a customer, nil for the account, and says so.
func (p *taxIDParams) make(tx *twin.Tx, customer *string) (twin.Doc, *twin.Error) {
	t := TaxID{ID: taxIDs.NewID(tx), Object: taxIDs.Object, Created: tx.Now(), Type: string(p.Type.V), Value: p.Value.V,
		Country: countryOf(string(p.Type.V), p.Value.V), Customer: customer, Owner: TaxIDOwner{Type: ownSelf}}
	t.Verification.Status = "unavailable"
	if verified(t.Type) {
		if t.Verification.Status = verdicts[t.Value]; t.Verification.Status == "" {
			t.Verification.Status = "pending"
		}
	}
	if customer == nil {
		return taxIDs.Put(tx, &t), nil
	}
	t.Owner = TaxIDOwner{Type: customers.Object, Customer: *customer}
	if len(taxIDsOf(tx, *customer)) == taxIDsMax {
		return twin.Doc{}, invalid("", "A customer can have at most %d tax IDs.", taxIDsMax)
	}
	doc := taxIDs.Put(tx, &t)
	followTaxIDs(tx, *customer)
	tx.Emit("customer.tax_id.created", doc, nil)
	return doc, nil
}

// taxIDsOf lists the numbers of a customer, newest first.
func taxIDsOf(tx *twin.Tx, customer string) (rows []canon.Raw) {
	for row := range tx.State().NewestWith(taxIDs.Table, "customer="+customer, 0) {
		rows = append(rows, row.Body)
	}
	return rows
}

type createCustomerTaxIDParams struct {
	Customer string `path:"customer"`
	taxIDParams
}

func (p *createCustomerTaxIDParams) Check() *twin.Error { return p.check("") }

func createCustomerTaxID(tx *twin.Tx, p *createCustomerTaxIDParams) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, p.Customer)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	return p.make(tx, &c.ID)
}

type listCustomerTaxIDsParams struct {
	Customer string `path:"customer"`
	page
}

func listCustomerTaxIDs(tx *twin.Tx, p *listCustomerTaxIDsParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	return list(tx, taxIDs.Kind, taxIDs.Object, taxIDsURL(p.Customer), p.page, filter{terms: []string{"customer=" + p.Customer}})
}

func taxIDsURL(customer string) string { return "/v1/customers/" + customer + "/tax_ids" }

// includeTaxIDs is the list of a customer's numbers that only an expansion shows.
func includeTaxIDs(tx *twin.Tx, customer canon.Raw) canon.Raw {
	id := textAt(customer, "id")
	return pageDoc(taxIDsOf(tx, id), pageDefault, false, taxIDsURL(id)).Body
}

// customerTaxIDPath is the path of one number of one customer.
type customerTaxIDPath struct {
	Customer string `path:"customer"`
	ID       string `path:"id"`
}

// check refuses a number that is not the customer's.
func (p *customerTaxIDPath) check(tx *twin.Tx) *twin.Error {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return errNoSuch(customers.Object, "customer", p.Customer)
	}
	if t, ok := taxIDs.Get(tx, p.ID); !ok || orEmpty(t.Customer) != p.Customer {
		return errNoSuch(taxIDs.Object, "id", p.ID)
	}
	return nil
}

func retrieveCustomerTaxID(tx *twin.Tx, p *customerTaxIDPath) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return retrieveTaxID(tx, &taxIDPath{ID: p.ID})
}

func deleteCustomerTaxID(tx *twin.Tx, p *customerTaxIDPath) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return deleteTaxID(tx, &taxIDPath{ID: p.ID})
}

type taxOwnerParams struct {
	Customer twin.Opt[string] `param:"customer"`
	Type     twin.Opt[string] `param:"type" rule:"required,enum=customer|self"`
}

// customer is the customer that owns, nil for the account.
func (p *taxOwnerParams) customer(tx *twin.Tx) (*string, *twin.Error) {
	switch {
	case p.Type.V != customers.Object && p.Customer.Given():
		return nil, invalid("owner[customer]", "You may only pass owner[customer] when owner[type] is customer.")
	case p.Type.V != customers.Object:
		return nil, nil
	case !p.Customer.Given():
		return nil, errMissing("owner[customer]")
	}
	c, ok := liveCustomer(tx, p.Customer.V)
	if !ok {
		return nil, errNoSuchRef(customers.Object, "owner[customer]", p.Customer.V)
	}
	return &c.ID, nil
}

type createTaxIDParams struct {
	taxIDParams
	Owner twin.Opt[taxOwnerParams] `param:"owner"`
}

func (p *createTaxIDParams) Check() *twin.Error { return p.check("") }

func createTaxID(tx *twin.Tx, p *createTaxIDParams) (twin.Doc, *twin.Error) {
	customer, err := p.Owner.V.customer(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	return p.make(tx, customer)
}

type listTaxIDsParams struct {
	page
	Owner twin.Opt[taxOwnerParams] `param:"owner"`
}

// listTaxIDs lists the account's own numbers, or those of the owner asked for.
func listTaxIDs(tx *twin.Tx, p *listTaxIDsParams) (twin.Doc, *twin.Error) {
	customer, err := p.Owner.V.customer(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	term := "owner=" + ownSelf
	if customer != nil {
		term = "customer=" + *customer
	}
	return list(tx, taxIDs.Kind, taxIDs.Object, "/v1/tax_ids", p.page, filter{terms: []string{term}})
}

type taxIDPath struct {
	ID string `path:"id"`
}

func retrieveTaxID(tx *twin.Tx, p *taxIDPath) (twin.Doc, *twin.Error) {
	doc, ok := taxIDs.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(taxIDs.Object, "id", p.ID)
	}
	return doc, nil
}

func deleteTaxID(tx *twin.Tx, p *taxIDPath) (twin.Doc, *twin.Error) {
	t, ok := taxIDs.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(taxIDs.Object, "id", p.ID)
	}
	last, _ := taxIDs.Doc(tx, t.ID)
	if t.Customer != nil {
		tx.Emit("customer.tax_id.deleted", last, nil)
	}
	taxIDs.Delete(tx, t.ID)
	if t.Customer != nil {
		followTaxIDs(tx, *t.Customer)
	}
	return twin.Doc{Body: deletedStub(t.ID, taxIDs.Object)}, nil
}

// newTaxIDs gives a new customer the numbers that a request brings.
func newTaxIDs(tx *twin.Tx, c *Customer, list []taxIDParams) *twin.Error {
	for i := range list {
		if _, err := list[i].make(tx, &c.ID); err != nil {
			return err
		}
	}
	return nil
}

// checkTaxIDs checks the numbers that a request brings.
func checkTaxIDs(list []taxIDParams) *twin.Error {
	for i := range list {
		if err := list[i].check(fmt.Sprintf("tax_id_data[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// invoiceTaxID is a number of a customer as its invoices show it.
type invoiceTaxID struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// followTaxIDs makes the drafts of a customer show its numbers as they are now.
func followTaxIDs(tx *twin.Tx, customer string) {
	if c, ok := liveCustomer(tx, customer); ok {
		followCustomer(tx, c, "")
	}
}

// invoiceTaxIDs are the numbers of a customer as an invoice shows them, oldest first.
func invoiceTaxIDs(tx *twin.Tx, customer string) []canon.Raw {
	out := []canon.Raw{}
	for t := range taxIDs.With(tx, "customer="+customer) {
		out = append(out, canon.Marshal(&invoiceTaxID{Type: t.Type, Value: t.Value}))
	}
	return out
}
