package stripe

import "worlds/testscripts/dst/model"

type invoiceItem struct{ id string }

func invoiceItemBody(m *Model, i *invoiceItem) model.Value { return model.Obj("id", i.id) }

type note struct{ id string }

func noteBody(m *Model, n *note) model.Value { return model.Obj("id", n.id) }
