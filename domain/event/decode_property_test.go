package event_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"tollkeeper/domain/event"
	"tollkeeper/domain/money"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A second reading of an event's form: the standard library and the contract's
// schema, with what a schema cannot say written out.

// schema is that of an event in the contract, closed and exact.
func schema() *openapi3.Schema {
	GinkgoHelper()
	document, err := openapi3.NewLoader().LoadFromFile("../../openapi.yaml")
	Expect(err).NotTo(HaveOccurred())
	return document.Components.Schemas["Event"].Value
}

// wellFormed judges one event, where ages and customers are no matter.
func wellFormed(schema *openapi3.Schema, text string) bool {
	var exact map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &exact) != nil {
		return false
	}
	if string(exact["properties"]) == "null" { // stands for a missing member
		delete(exact, "properties")
	}
	var loose map[string]any
	whole, err := json.Marshal(exact)
	Expect(err).NotTo(HaveOccurred())
	reader := json.NewDecoder(bytes.NewReader(whole))
	reader.UseNumber()
	Expect(reader.Decode(&loose)).To(Succeed())
	if schema.VisitJSON(loose) != nil {
		return false
	}
	id, _ := loose["customer_id"].(string)
	alias, _ := loose["external_customer_id"].(string)
	at, _ := loose["timestamp"].(string)
	var numbers map[string]json.RawMessage
	if exact["properties"] != nil {
		Expect(json.Unmarshal(exact["properties"], &numbers)).To(Succeed())
	}
	for _, n := range numbers {
		if strings.ContainsAny(string(n[:1]), "-0123456789") {
			if _, err := money.ParseNumber(string(n)); err != nil {
				return false
			}
		}
	}
	return (id == "") != (alias == "") && id != "nobody" && inUTC(at) && !strings.Contains(text, `\u0000`)
}

func inUTC(at string) bool {
	at = strings.TrimSuffix(strings.TrimSuffix(at, "+00:00"), "-00:00")
	for _, layout := range []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if _, err := time.Parse(layout, at); err == nil {
			return true
		}
	}
	return false
}

// mutations of a member's value, each of them JSON.
var mutations = map[string][]string{
	"idempotency_key":      {`""`, `null`, `7`, `"` + strings.Repeat("k", 255) + `"`, `"` + strings.Repeat("k", 256) + `"`, `"\u0000"`},
	"event_name":           {`""`, `null`, `true`, `[]`, `"` + strings.Repeat("ü", 255) + `"`, `"` + strings.Repeat("ü", 256) + `"`},
	"customer_id":          {`null`, `"cus_1"`, `"nobody"`, `{}`, `3`},
	"external_customer_id": {`null`, `"later"`, `""`, `false`},
	"timestamp": {
		`null`, `""`, `1746878400`, `"2025-05-10"`, `"2025-05-10T12:00"`, `"2025-05-10T12:00:00.5Z"`, `"2025-05-10T12:00:00-00:00"`,
		`"2025-05-10T13:00:00+01:00"`, `"2025-W19-6T12:00:00Z"`, `"2025-02-30T12:00:00Z"`, `"2025-05-10T24:00:00Z"`, `"2025-05-10 12:00:00Z"`,
	},
	"properties": {
		`null`, `[]`, `"{}"`, `{}`, `{"a": null}`, `{"a": []}`, `{"a": {"b": 1}}`, `{"a": -0}`, `{"a": 1e29}`, `{"a": 1e30}`,
		`{"a": 1e-60, "b": 1e-61}`, `{"a": 0.1234567890123456789012345678901234567}`, `{"a": 123456789012345678901234567890123456789}`,
		`{"a": "\u0000"}`, `{"a": "\\u0001", "b": true, "c": 1e400000}`, `{"": "x"}`,
	},
	"property": {`1`, `null`},
}

var _ = Describe("The decoder", func() {
	It("judges events as the contract's schema and the standard library do", func() {
		d, contract := newFixture(), schema()
		names := rapid.SampledFrom([]string{
			"idempotency_key", "event_name", "customer_id", "external_customer_id", "timestamp", "properties", "property",
		})
		number := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			number++
			members := map[string]string{
				"idempotency_key": `"k` + strings.Repeat("x", number%7) + `"`, "event_name": `"call"`,
				"external_customer_id": `"acme"`, "timestamp": `"2025-05-10T12:00:00Z"`, "properties": `{"n": 1.50, "s": "a\\b"}`,
			}
			for _, name := range rapid.SliceOfNDistinct(names, 0, 2, rapid.ID[string]).Draw(t, "changed") {
				if rapid.IntRange(0, 5).Draw(t, "dropped") == 0 {
					delete(members, name)
				} else {
					members[name] = rapid.SampledFrom(mutations[name]).Draw(t, name)
				}
			}
			var parts []string
			for name, value := range members {
				parts = append(parts, `"`+name+`": `+value)
			}
			text := "{" + strings.Join(parts, ",\n ") + "}"
			events, err := event.Decode(strings.NewReader(`{"events": [` + text + `]}`))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			outcome, err := d.recorder.Record(d.ctx, events)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if want, got := wellFormed(contract, text), outcome.Failed == nil; want != got {
				t.Fatalf("%s: well-formed is %v, but %+v", text, want, outcome)
			}
		})
	})

	It("is not moved by any bytes", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			body := rapid.OneOf(
				rapid.SliceOf(rapid.Byte()),
				rapid.Custom(func(t *rapid.T) []byte {
					pieces := rapid.SliceOf(rapid.SampledFrom([]string{
						`{`, `}`, `[`, `]`, `{}`, `,`, `:`, `"properties":`, `"timestamp":`, `"a"`, `1`, `null`, `"\u0000"`, ` `,
					})).Draw(t, "pieces")
					return []byte(`{"events":[` + strings.Join(pieces, ""))
				}),
			).Draw(t, "body")
			_, err := event.Decode(strings.NewReader(string(body)))
			if err == nil != readable(body) {
				t.Fatalf("%q: %v", body, err)
			}
		})
	})
})

// readable tells whether the body has the shape of a request.
func readable(body []byte) bool {
	var request struct {
		Events *[]*map[string]any `json:"events"`
	}
	return utf8.Valid(body) && json.Unmarshal(body, &request) == nil && request.Events != nil && !slices.Contains(*request.Events, nil)
}
