package console_test

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/console"
	"tollkeeper/server/contract"
)

// operationOf finds an operation of a contract.
func operationOf(document *openapi3.T, id string) *openapi3.Operation {
	for _, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID == id {
				return op
			}
		}
	}
	return nil
}

// named are the members of a schema, those of its parts included.
func named(s *openapi3.Schema, members map[string]bool) {
	for _, part := range s.AllOf {
		named(part.Value, members)
	}
	for name := range s.Properties {
		members[name] = true
	}
}

var _ = Describe("The forms of the contract", func() {
	var document *openapi3.T
	BeforeEach(func() { document = contract.Load().Document })

	It("are there for every operation that changes something, with a control for each member of its body", func() {
		operations := console.Operations(document)
		Expect(len(operations)).To(BeNumerically(">", 85))
		for _, id := range operations {
			html, err := console.FormOf(document, id, url.Values{}).HTML()
			Expect(err).NotTo(HaveOccurred(), id)
			Expect(strings.Count(html, "<h1>")).To(Equal(1), id)
			op := operationOf(document, id)
			for _, p := range op.Parameters {
				if p.Value.In == "path" {
					Expect(html).To(ContainSubstring(`name="param.`+p.Value.Name+`"`), id)
				}
			}
			if op.RequestBody == nil {
				continue
			}
			schema := op.RequestBody.Value.Content.Get("application/json").Schema.Value
			members := map[string]bool{}
			named(schema, members)
			for name := range members {
				Expect(html).To(MatchRegexp(`(name|value|id)="(f-)?`+name+`["[.]`), id)
			}
			if schema.Discriminator != nil {
				for value := range schema.Discriminator.Mapping {
					Expect(html).To(ContainSubstring(`value="`+value+`"`), id)
				}
			}
		}
	})

	It("send the example of every request as it is written", func() {
		told := 0
		for _, id := range console.Operations(document) {
			op := operationOf(document, id)
			if op.RequestBody == nil {
				continue
			}
			for name, example := range op.RequestBody.Value.Content.Get("application/json").Examples {
				text, err := json.Marshal(example.Value.Value)
				Expect(err).NotTo(HaveOccurred())
				decoder := json.NewDecoder(strings.NewReader(string(text)))
				decoder.UseNumber()
				var body any
				Expect(decoder.Decode(&body)).To(Succeed())
				values := url.Values{}
				if !op.RequestBody.Value.Required && string(text) == "{}" {
					continue // an empty body that may be left out is left out
				}
				console.Fill(document, id, values, body)
				Expect(console.FormOf(document, id, values).Body()).To(MatchJSON(text), id+" "+name)
				told++
			}
		}
		Expect(told).To(BeNumerically(">", 50))
	})

	It("have a member that the contract gets, and an operation", func() {
		text := openapi3.NewStringSchema()
		text.Description = "The colour of the customer's drawer."
		schema := operationOf(document, "createCustomer").RequestBody.Value.Content.Get("application/json").Schema.Value
		schema.Properties["drawer_colour"] = text.NewRef()
		html, err := console.FormOf(document, "createCustomer", url.Values{}).HTML()
		Expect(err).NotTo(HaveOccurred())
		Expect(html).To(ContainSubstring(`name="drawer_colour"`))
		Expect(html).To(ContainSubstring("Drawer colour"))
		Expect(html).To(ContainSubstring("The colour of the customer&#39;s drawer."))
		Expect(console.FormOf(document, "createCustomer", url.Values{"drawer_colour": {"red"}}).Body()).To(MatchJSON(`{"drawer_colour": "red"}`))

		other := openapi3.NewOperation()
		other.OperationID, other.Summary, other.Tags = "paintCustomer", "Paint a customer", []string{"Customers"}
		document.Paths.Find("/v1/customers/{customer_id}").Patch = other
		Expect(console.Operations(document)).To(ContainElement("paintCustomer"))
		html, err = console.FormOf(document, "paintCustomer", url.Values{"customer_id": {"cus_1"}}).HTML()
		Expect(err).NotTo(HaveOccurred())
		Expect(html).To(ContainSubstring("Paint a customer"))
	})

	It("show what the API refused beside the field", func() {
		f := console.FormOf(document, "createPlan", url.Values{"rows": {"prices[0]"}, "name": {"Pro"}})
		html, err := f.Refused("prices[0].price.unit_config.unit_amount: is required",
			"prices[0].price.unit_config.unit_amount: is required", "name: must be shorter", "the request is odd").HTML()
		Expect(err).NotTo(HaveOccurred())
		Expect(html).To(ContainSubstring("Nothing was saved"))
		Expect(html).To(ContainSubstring(`id="p-name"`))
		Expect(html).To(MatchRegexp(`id="p-prices\[0\][^"]*"`))
		Expect(html).To(ContainSubstring("The request is odd"))
		Expect(html).To(ContainSubstring(`aria-invalid="true"`))
	})

	It("escape what is written into them", func() {
		hostile := `"><script>alert(1)</script>`
		html, err := console.FormOf(document, "createCustomer", url.Values{"name": {hostile}, "metadata.key": {hostile}, "metadata.value": {hostile}, "customer_id": {hostile}}).HTML()
		Expect(err).NotTo(HaveOccurred())
		Expect(html).NotTo(ContainSubstring("<script>alert"))
		Expect(html).To(ContainSubstring("&lt;script&gt;alert(1)"))
	})
})
