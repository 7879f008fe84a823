package stripe

import (
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// answered is what a request with an idempotency key was answered.
type answered struct {
	alias, print    string
	request, target string
	want            model.Expect
	unsure          bool // the model does not know whether there is an answer
}

func fingerprint(c *call) string {
	var b strings.Builder
	b.WriteString(c.method + " " + c.target + " ")
	c.form.canonical(&b)
	return b.String()
}

// aliasOf is how a world's state shows a key: as sent where the seed says that keys
// are stable, else by the order of first use.
func (m *Model) aliasOf(key string) string {
	if m.seed.Settings.IdempotencyKeys == "raw" && !madeBySDK(key) {
		return key
	}
	if m.aliases[key] == "" {
		m.aliases[key] = "ik_" + strconv.Itoa(len(m.aliases)+1)
	}
	return m.aliases[key]
}

// Seen tells the model of an idempotency key whose request it is not told of: one to
// another API of the world, or one that the operator had refused. It has its place in
// the order of first use all the same.
func (m *Model) Seen(key string) { m.aliasOf(key) }

// madeBySDK reports whether a key has the form that a client library makes up.
func madeBySDK(key string) bool { return strings.HasPrefix(key, "stripe-node-retry-") }
