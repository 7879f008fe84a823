package seed

import "worlds/journal/canon"

// Compose makes one seed called name of a Stripe seed and a native help desk one.
// The later epoch is the new one; what the Stripe seed dates by its distance from
// the epoch stays where it was. Clock and settings are the Stripe seed's, unless
// only the other says something. The error is an *Invalid.
func Compose(billing, desk *Seed, name string) (*Seed, error) {
	switch {
	case billing.Document.Zendesk != nil:
		return nil, refusal("$.zendesk", "the first seed has a help desk already")
	case len(billing.Document.Data.Tickets) > 0:
		return nil, refusal("$.data.tickets", "the first seed has tickets of the older section; a native help desk cannot stand beside them")
	case desk.Document.Zendesk == nil:
		return nil, refusal("$.zendesk", "the second seed has no native help desk")
	}
	if data, ok := canon.Get(desk.Canonical, "data"); ok {
		for section, list := range canon.Members(data) {
			if string(list) != "[]" {
				return nil, refusal("$.data."+section, "the second seed holds more than a help desk")
			}
		}
	}
	epoch := max(billing.Document.Epoch, desk.Document.Epoch)
	o := object{}
	o.text("name", name)
	o.number("version", billing.Document.Version)
	o.number("epoch", epoch)
	for _, key := range []string{"clock_mode", "auto_tick_seconds", "settings"} {
		for _, s := range []*Seed{billing, desk} {
			if v, ok := canon.Get(s.Canonical, key); ok {
				o.raw(key, v)
				break
			}
		}
	}
	if data, ok := canon.Get(billing.Canonical, "data"); ok {
		o.raw("data", older(data, epoch-billing.Document.Epoch))
	}
	block, _ := canon.Get(desk.Canonical, "zendesk")
	o.raw("zendesk", dated(block, desk.Document.Zendesk, desk.Document.Epoch, epoch))
	return Parse(o.json())
}

// dated is the block with its moments written out, where leaving them out would
// now mean another epoch.
func dated(block canon.Raw, z *Zendesk, was, is int64) canon.Raw {
	if was == is {
		return block
	}
	return z.JSON()
}

// older moves every created_offset of a data section back by seconds.
func older(data canon.Raw, seconds int64) canon.Raw {
	if seconds == 0 {
		return data
	}
	o := object{}
	for section, list := range canon.Members(data) {
		out := []byte{'['}
		for e := range canon.Elements(list) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			record, offset := object{}, int64(0)
			for name, v := range canon.Members(e) {
				if name == "created_offset" {
					offset, _ = canon.Int(v)
					continue
				}
				record.raw(name, v)
			}
			record.always("created_offset", offset+seconds)
			out = append(out, record.json()...)
		}
		o.raw(section, append(out, ']'))
	}
	return o.json()
}
