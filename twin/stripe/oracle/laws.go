package oracle

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// laws checks what the document cannot say, in every object within a body. The
// path is that of the request, "" when there was none.
func (o *Oracle) laws(path string, value any) faults {
	var found faults
	if path == "/v1/balance/history" { // an old name, whose answers have the new one
		path = "/v1/balance_transactions"
	}
	if fields, ok := value.(map[string]any); ok && path != "" {
		if fields["object"] == "list" || fields["object"] == "search_result" {
			if fields["url"] != path {
				found = append(found, fault{"/url", fmt.Sprintf("got %v, want the request's path %s", fields["url"], path)})
			}
		}
	}
	o.walk("", value, &found)
	return found
}

func (o *Oracle) walk(at string, value any, found *faults) {
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			o.walk(fmt.Sprintf("%s/%d", at, i), element, found)
		}
	case map[string]any:
		o.objectLaws(at, v, found)
		for key, inner := range v {
			// A metadata map is the user's; previous_attributes hold parts of objects.
			if key != "metadata" && key != "previous_attributes" {
				o.walk(at+pointer([]string{key}), inner, found)
			}
		}
	}
}

func (o *Oracle) objectLaws(at string, v map[string]any, found *faults) {
	name, _ := v["object"].(string)
	id, hasID := v["id"].(string)
	if prefixes := idPrefixes[name]; hasID && prefixes != nil {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(id, p) }) {
			*found = append(*found, fault{at + "/id", fmt.Sprintf("got %q, want the prefix %s", id, strings.Join(prefixes, " or "))})
		}
	}
	switch name {
	case "list":
		url, _ := v["url"].(string)
		listed, _, _ := strings.Cut(url, "?")
		if _, ok := o.match(http.MethodGet, listed); !ok {
			*found = append(*found, fault{at + "/url", fmt.Sprintf("got %q, which no operation lists", url)})
		}
	case "event":
		*found = append(*found, o.eventLaws(v).under(at)...)
	}
}

// eventLaws judges an event's payload by the component of its object.
func (o *Oracle) eventLaws(event map[string]any) faults {
	var found faults
	kind, _ := event["type"].(string)
	if err := o.EventType(kind); err != nil {
		found = append(found, fault{"/type", err.Error()})
	}
	data, _ := event["data"].(map[string]any)
	payload, _ := data["object"].(map[string]any)
	name, _ := payload["object"].(string)
	found = append(found, o.object(name, payload).under("/data/object")...)
	previous, _ := data["previous_attributes"].(map[string]any)
	for key := range previous {
		if _, ok := payload[key]; !ok {
			found = append(found, fault{"/data/previous_attributes" + pointer([]string{key}), "the object has no such key"})
		}
	}
	return found
}

const docURL = "https://stripe.com/docs/error-codes/"

// errorLaws: an invalid request or refused card that has a code has the
// doc_url of that code, any other error has none.
func errorLaws(value any) faults {
	body, _ := value.(map[string]any)
	e, _ := body["error"].(map[string]any)
	code, _ := e["code"].(string)
	got, _ := e["doc_url"].(string)
	want := ""
	if code != "" && (e["type"] == "invalid_request_error" || e["type"] == "card_error") {
		want = docURL + strings.ReplaceAll(code, "_", "-")
	}
	if got != want {
		return faults{{"/error/doc_url", fmt.Sprintf("got %q, want %q", got, want)}}
	}
	return nil
}
