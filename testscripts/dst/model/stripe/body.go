package stripe

import (
	"strings"

	"worlds/testscripts/dst/model"
)

// whole completes an object: its name, livemode, and the members that are null
// because nothing in a world's scope sets them.
func whole(object string, v model.Value, nulls string) model.Value {
	v.Members = append(v.Members, model.Member{Name: "object", Value: model.Str(object)},
		model.Member{Name: "livemode", Value: model.Bool(false)})
	for _, name := range strings.Fields(nulls) {
		v.Members = append(v.Members, model.Member{Name: name, Value: model.Nil})
	}
	return v
}

// stub is what a deleted object leaves.
func stub(id, object string) model.Value {
	return model.Obj("id", id, "object", object, "deleted", true)
}

// texts is an array of strings.
func texts(list []string) model.Value {
	v := model.Value{Kind: model.Array}
	for _, s := range list {
		v.List = append(v.List, model.Str(s))
	}
	return v
}

// empty stands for an address and the like, of which nothing is known.
var noAddress = model.Obj("city", nil, "country", nil, "line1", nil, "line2", nil, "postal_code", nil, "state", nil)

var noBillingDetails = model.Obj("address", noAddress, "email", nil, "name", nil, "phone", nil, "tax_id", nil)
