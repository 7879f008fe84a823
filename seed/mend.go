package seed

import (
	"errors"
	"strconv"
	"strings"
)

// Mended drops from a document's data what the format cannot hold: a text that it
// may do without, else the object, then what refers to that. dropped is told of
// each, by "section" or "section.key". The error is an *Invalid about something
// else.
func (d *Document) Mended(dropped func(what string)) (*Seed, error) {
	for {
		made, err := Parse(d.JSON())
		var invalid *Invalid
		if !errors.As(err, &invalid) {
			return made, err
		}
		if !d.mend(invalid, dropped) {
			return nil, err
		}
	}
}

// mend does what one list of problems asks for, and reports whether that was anything.
func (d *Document) mend(invalid *Invalid, dropped func(what string)) bool {
	gone, blank := map[string]map[int]bool{}, map[string]bool{}
	any := false
	for _, p := range invalid.Problems {
		section, index, key, ok := dataPath(p.Path)
		if !ok {
			continue
		}
		any = true
		if d.Data.blank(section, index, key) {
			if at := section + "." + key + "[" + strconv.Itoa(index); !blank[at] {
				blank[at] = true
				dropped(section + "." + key)
			}
			continue
		}
		if gone[section] == nil {
			gone[section] = map[int]bool{}
		}
		if !gone[section][index] {
			gone[section][index] = true
			dropped(section)
		}
	}
	d.Data.Customers = without(d.Data.Customers, gone["customers"])
	d.Data.Products = without(d.Data.Products, gone["products"])
	d.Data.Prices = without(d.Data.Prices, gone["prices"])
	d.Data.Invoices = without(d.Data.Invoices, gone["invoices"])
	d.Data.Subscriptions = without(d.Data.Subscriptions, gone["subscriptions"])
	d.Data.Disputes = without(d.Data.Disputes, gone["disputes"])
	d.Data.Tickets = without(d.Data.Tickets, gone["tickets"])
	return any
}

// dataPath reads "$.data.section[index].key…".
func dataPath(path string) (section string, index int, key string, ok bool) {
	rest, ok := strings.CutPrefix(path, "$.data.")
	if !ok {
		return "", 0, "", false
	}
	section, rest, ok = strings.Cut(rest, "[")
	if !ok {
		return "", 0, "", false
	}
	number, rest, ok := strings.Cut(rest, "]")
	index, err := strconv.Atoi(number)
	if !ok || err != nil {
		return "", 0, "", false
	}
	key, _, _ = strings.Cut(strings.TrimPrefix(rest, "."), ".")
	key, _, _ = strings.Cut(key, "[")
	return section, index, key, true
}

// blank empties an optional text of an object, if that is what key is.
func (d *Data) blank(section string, i int, key string) bool {
	var c Customer
	var p Product
	var pr Price
	customer, product, price := &c, &p, &pr
	switch section {
	case "customers":
		customer = &d.Customers[i]
	case "products":
		product = &d.Products[i]
	case "prices":
		price = &d.Prices[i]
	default:
		return false
	}
	switch key {
	case "name":
		customer.Name = ""
		return section == "customers"
	case "email":
		customer.Email = ""
	case "phone":
		customer.Phone = ""
	case "description":
		customer.Description, product.Description = "", ""
	case "nickname":
		price.Nickname = ""
	case "metadata":
		customer.Metadata, product.Metadata, price.Metadata = noMetadata(), noMetadata(), noMetadata()
	default:
		return false
	}
	return true
}

// without is a list without the elements at the given places.
func without[T any](list []T, gone map[int]bool) []T {
	if len(gone) == 0 {
		return list
	}
	var kept []T
	for i := range list {
		if !gone[i] {
			kept = append(kept, list[i])
		}
	}
	return kept
}
