package form_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/console/form"
	"tollkeeper/server/contract"
)

// bodies are the schemas of the bodies of the contract, with their examples.
func bodies() map[string]*openapi3.MediaType {
	found := map[string]*openapi3.MediaType{}
	for _, item := range contract.Load().Document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			if media := op.RequestBody.Value.Content.Get("application/json"); media != nil && media.Schema != nil {
				found[op.OperationID] = media
			}
		}
	}
	return found
}

func decoded(text string) (value any) {
	GinkgoHelper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	Expect(decoder.Decode(&value)).To(Succeed())
	return value
}

// made builds the form of a body with those values.
func made(schema *openapi3.Schema, values url.Values) form.Field {
	GinkgoHelper()
	in, err := form.NumberRows(values)
	Expect(err).NotTo(HaveOccurred())
	return form.Build("", "Body", schema, true, in, 0)
}

var _ = Describe("A form", func() {
	It("that is filled with the example of a body has the same JSON, for every operation", func() {
		told := 0
		for id, media := range bodies() {
			for name, example := range media.Examples {
				text, err := json.Marshal(example.Value.Value)
				Expect(err).NotTo(HaveOccurred())
				values := url.Values{}
				form.Fill(values, "", media.Schema.Value, decoded(string(text)))
				value, present := made(media.Schema.Value, values).Encode()
				if !present {
					value = map[string]any{}
				}
				encoded, err := json.Marshal(value)
				Expect(err).NotTo(HaveOccurred())
				Expect(encoded).To(MatchJSON(text), id+" "+name)
				told++
			}
		}
		Expect(told).To(BeNumerically(">", 50))
	})

	It("has a label at each of its fields, for every operation", func() {
		for id, media := range bodies() {
			var look func(list []form.Field)
			look = func(list []form.Field) {
				for _, f := range list {
					Expect(f.Label).NotTo(BeEmpty(), id+" "+f.Name)
					look(slices.Concat(f.Fields, f.More))
				}
			}
			body := made(media.Schema.Value, url.Values{})
			look(slices.Concat(body.Fields, body.More))
		}
	})

	It("of an update has what was changed, and null for what was emptied", func() {
		body := made(bodies()["updateCustomer"].Schema.Value, url.Values{})
		changed := func(was, is string) string {
			GinkgoHelper()
			text, err := json.Marshal(form.Changed(decoded(was).(map[string]any), decoded(is).(map[string]any), body))
			Expect(err).NotTo(HaveOccurred())
			return string(text)
		}
		Expect(changed(`{"name":"Acme","email":"a@b.c","metadata":{"a":"1","b":"2"}}`, `{"name":"Acme","metadata":{"b":"3"}}`)).
			To(MatchJSON(`{"email": null, "metadata": {"a": null, "b": "3"}}`))
		Expect(changed(`{"name":"Acme","metadata":{"a":"1"}}`, `{"name":"Acme","metadata":{"a":"1"}}`)).To(MatchJSON(`{}`))
	})

	It("loses a row in the middle, and the rows after it move up", func() {
		values := url.Values{
			"rows": {"tiers[0]", "tiers[1]", "tiers[2]"}, "tiers[0].unit_amount": {"1"}, "tiers[1].unit_amount": {"2"}, "tiers[2].unit_amount": {"3"}, "name": {"x"},
		}
		form.RemoveRow(values, "tiers[1]")
		Expect(values).To(Equal(url.Values{"rows": {"tiers[0]", "tiers[1]"}, "tiers[0].unit_amount": {"1"}, "tiers[1].unit_amount": {"3"}, "name": {"x"}}))
	})

	// The rule: semantics 21.2.5.
	It("is refused where it names more rows, or deeper ones, than a form may have", func() {
		for why, values := range map[string]url.Values{
			"200 rows in all":        {"rows": rowsOf("tiers", 201)},
			"at most 500 characters": {strings.Repeat("a[0].", 9): {"x"}},
		} {
			_, err := form.NumberRows(values)
			Expect(err).To(MatchError(ContainSubstring(why)))
		}
		in, err := form.NumberRows(url.Values{"rows": rowsOf("tiers", 200), "add": {"tiers"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(in.Full()).To(BeTrue())
		Expect(form.Reshape(in)).To(BeTrue())
		Expect(in.Values["rows"]).To(HaveLen(200), "none was added")
	})
})

// rowsOf are the names of so many rows of a list.
func rowsOf(list string, n int) (names []string) {
	for k := range n {
		names = append(names, fmt.Sprintf("%s[%d]", list, 7*k))
	}
	return names
}
