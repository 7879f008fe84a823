package dst

import (
	"bytes"
	"encoding/json"
	"strings"

	"worlds/testscripts/dst/model"
)

// member is a member of a JSON object as text, "" where there is none.
func member(body []byte, name string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(all[name], &text) == nil {
		return text
	}
	return string(all[name])
}

// rendered is a text member of an object as the renderer writes it, a member a line
// behind two blanks: what must be quick does not parse.
func rendered(body []byte, name string) string {
	_, after, _ := bytes.Cut(body, []byte("\n  \""+name+"\": \""))
	value, _, _ := bytes.Cut(after, []byte{'"'})
	return string(value)
}

// errorCode is the stable word of a refusal: Stripe's code or type, Zendesk's error,
// the operator's code.
func errorCode(body []byte) string {
	v, err := model.Parse(body)
	if err != nil {
		return ""
	}
	e := v.Get("error")
	for _, c := range []model.Value{e.Get("code"), e.Get("type"), e.Get("title"), e, v.Get("code")} {
		if c.Kind == model.String {
			return strings.TrimSuffix(c.Text, ".")
		}
	}
	return ""
}
