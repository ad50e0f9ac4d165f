package server_test

import (
	"cmp"

	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// customer makes a customer; change makes it another one.
func (a *api) customer(change object) value {
	GinkgoHelper()
	return a.post("/v1/customers", with(object{"name": "Ada", "email": "ada@example.com"}, change)).expect(201)
}

// billed makes a customer who has an issued invoice, for usage or, without SQL
// of a metric, for a fee, and returns the id.
func (a *api) billed(sql string) string {
	GinkgoHelper()
	price := fee(a.item("Sold"))
	if sql != "" {
		price["billable_metric_id"] = a.metric(sql)
	}
	plan := a.plan(object{}, price).text("id")
	a.clock("2025-03-01T00:00:00Z")
	customer := a.customer(nil).text("id")
	a.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201)
	a.clock("2025-04-02T00:00:00Z")
	return customer
}

var _ = Describe("Customers", func() {
	var api *api
	BeforeEach(func() { api = start() })

	address := object{"line1": "1 Main St", "line2": nil, "city": "Berlin", "state": nil, "postal_code": nil, "country": "DE"}
	ada := object{"name": "Ada", "email": "ada@example.com"}

	Describe("POST /v1/customers", func() {
		It("makes a customer with defaults", func() {
			api.clock("2025-03-01T10:00:00Z")
			made := api.post("/v1/customers", ada).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "external_customer_id": nil, "name": "Ada", "email": "ada@example.com", "additional_emails": list{},
				"timezone": "UTC", "currency": nil, "balance": "0.00", "created_at": "2025-03-01T10:00:00+00:00",
				"auto_collection": false, "auto_issuance": nil, "email_delivery": true, "language": nil, "billing_address": nil, "shipping_address": nil,
				"payment_provider": nil, "payment_provider_id": nil, "default_payment_method": nil, "payment_configuration": nil,
				"tax_id": nil, "exempt_from_automated_tax": nil, "automatic_tax_enabled": nil, "accounting_sync_configuration": nil,
				"reporting_configuration": nil, "hierarchy": object{"parent": nil, "children": list{}}, "portal_url": nil, "metadata": object{},
			}))
		})

		It("keeps all that is said of it", func() {
			said := object{
				"external_customer_id": "ada", "additional_emails": list{"b@example.com"}, "timezone": "Europe/Berlin", "currency": "JPY",
				"auto_collection": false, "auto_issuance": false, "email_delivery": false, "billing_address": address,
				"shipping_address": address, "payment_provider": "stripe_charge", "payment_provider_id": "x",
				"tax_id": object{"country": "DE", "type": "eu_vat", "value": "DE1"}, "metadata": object{"a": "1"},
			}
			made := api.customer(said)
			for member, value := range said {
				Expect(made.at(member)).To(Equal(value), member)
			}
			Expect(made.at("balance")).To(Equal("0"), "yen have no minor unit")
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violations ...string) {
				api.post("/v1/customers", with(ada, change)).invalid(violations...)
			},
			Entry("no name and no address", object{"name": absent, "email": absent}, "email: ", "name: "),
			Entry("an address that is none", object{"email": "ada"}, "email: "),
			Entry("a zone that is none", object{"timezone": "Mars/Olympus"}, "timezone: "),
			Entry("a currency that is none", object{"currency": "usd"}, "currency: "),
			Entry("credits for a currency", object{"currency": "credits"}, "currency: "),
			Entry("a tax number of no country", object{"tax_id": object{"type": "eu_vat", "value": "1"}}, "tax_id.country: "),
			Entry("metadata that is no text", object{"metadata": object{"a": 1}}, "metadata.a: "),
		)

		It("ER-8: refuses an alias that another customer bears", func() {
			api.customer(object{"external_customer_id": "ada"})
			api.post("/v1/customers", with(ada, object{"external_customer_id": "ada"})).refuse(400, "400-duplicate-resource-creation")
			api.account("test").customer(object{"external_customer_id": "ada"})
		})

		It("bounds the alias as events do", func() {
			api.customer(object{"external_customer_id": strings.Repeat("é", 255)})
			api.post("/v1/customers", with(ada, object{"external_customer_id": strings.Repeat("é", 256)})).
				invalid("external_customer_id: ")
		})
	})

	Describe("GET /v1/customers", func() {
		It("lists them, the newest first, of a time if asked", func() {
			api.clock("2025-03-01T10:00:00Z")
			api.customer(object{"name": "old"})
			api.clock("2025-03-02T10:00:00Z")
			api.customer(object{"name": "new"})
			Expect(api.get("/v1/customers").expect(200).each("data", "name")).To(Equal(list{"new", "old"}))
			Expect(api.get("/v1/customers?created_at[gt]=2025-03-01T10:00:00Z").expect(200).each("data", "name")).To(Equal(list{"new"}))
		})

		It("refuses a time that is none", func() {
			api.get("/v1/customers?created_at[lt]=2025-02-30").invalid("created_at[lt]: ")
		})
	})

	Describe("GET /v1/customers/{customer_id}", func() {
		It("shows the customer as it was made", func() {
			made := api.customer(object{"billing_address": address})
			Expect(api.get("/v1/customers/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("misses what does not exist", func() {
			api.get("/v1/customers/nope").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/external_customer_id/{external_customer_id}", func() {
		It("finds the customer, whatever the alias is made of", func() {
			made := api.customer(object{"external_customer_id": "a/b ü"})
			Expect(api.get("/v1/customers/external_customer_id/a%2Fb%20%C3%BC").expect(200).json).To(Equal(made.json))
		})

		It("misses an alias that no customer bears", func() {
			api.get("/v1/customers/external_customer_id/nope").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("PUT /v1/customers/{customer_id}", func() {
		It("changes what is sent, clears what is null and leaves the rest", func() {
			made := api.customer(object{"billing_address": address, "additional_emails": list{"b@example.com"}, "auto_issuance": true})
			path := "/v1/customers/" + made.text("id")
			changed := api.put(path, object{"name": "Bea", "additional_emails": nil, "auto_issuance": nil, "shipping_address": address}).expect(200)
			Expect(changed.json).To(Equal(with(made.json.(object), object{
				"name": "Bea", "additional_emails": list{}, "auto_issuance": nil, "shipping_address": address,
			})))
			Expect(api.get(path).expect(200).json).To(Equal(changed.json))
		})

		It("keeps each member of the contract that is sent", func() {
			made := api.customer(nil)
			said := object{
				"name": "Bea", "email": "bea@example.com", "additional_emails": list{"b@example.com"}, "external_customer_id": "bea", "currency": "JPY",
				"auto_collection": true, "auto_issuance": false, "email_delivery": false, "language": "fr", "billing_address": address,
				"shipping_address": with(address, object{"city": "Bonn"}), "payment_provider": "stripe_charge", "payment_provider_id": "x",
				"tax_id": object{"country": "DE", "type": "eu_vat", "value": "DE1"}, "metadata": object{"a": "1"},
				"accounting_sync_configuration": object{"excluded": true}, "reporting_configuration": object{"exempt": true},
				"payment_configuration": object{"payment_providers": list{object{"provider_type": "stripe"}}},
				"tax_configuration":     object{"tax_provider": "anrok", "tax_exempt": true, "automatic_tax_enabled": false},
			}
			shownAs := map[string]string{"tax_configuration": "exempt_from_automated_tax"}
			for member := range document().Paths.Value("/v1/customers/{customer_id}").Put.RequestBody.Value.Content["application/json"].Schema.Value.Properties {
				if member != "default_payment_method_id" && member != "hierarchy" { // a saved method, of which there are none; another customer
					Expect(said).To(HaveKey(member))
				}
			}
			path := "/v1/customers/" + made.text("id")
			changed := api.put(path, said).expect(200)
			Expect(api.get(path).expect(200).json).To(Equal(changed.json))
			for member := range said {
				member = cmp.Or(shownAs[member], member)
				Expect(changed.at(member)).NotTo(Equal(made.at(member)), member)
			}
		})

		It("ER-9: merges metadata", func() {
			path := "/v1/customers/" + api.customer(object{"metadata": object{"a": "1", "b": "2"}}).text("id")
			Expect(api.put(path, object{"metadata": object{"a": nil}}).expect(200).at("metadata")).To(Equal(object{"b": "2"}))
			Expect(api.put(path, object{"name": "Bea"}).expect(200).at("metadata")).To(Equal(object{"b": "2"}))
			Expect(api.put(path, object{"metadata": nil}).expect(200).at("metadata")).To(Equal(object{}))
		})

		It("sets alias and currency once", func() {
			path := "/v1/customers/" + api.customer(nil).text("id")
			api.put(path, object{"external_customer_id": "ada", "currency": "USD"}).expect(200)
			api.put(path, object{"external_customer_id": "ada", "currency": "USD"}).expect(200)
			api.put(path, object{"external_customer_id": "bea"}).refuse(400, "400-constraint-violation", "external_customer_id")
			api.put(path, object{"currency": "EUR"}).refuse(400, "400-constraint-violation", "currency")
			Expect(api.get(path).expect(200).at("currency")).To(Equal("USD"))
		})

		It("refuses a new time zone, and what is no name, email or currency", func() {
			path := "/v1/customers/" + api.customer(nil).text("id")
			api.put(path, object{"timezone": "Europe/Berlin"}).invalid("timezone: ")
			api.put(path, object{"name": ""}).invalid("name: ")
			api.put(path, object{"name": false}).invalid("name: ")
			api.put(path, object{"email": "ada"}).invalid("email: must be an email address")
			api.put(path, object{"auto_collection": "no"}).invalid("auto_collection: ")
			api.put(path, object{"currency": "credits"}).invalid("currency: ")
		})

		DescribeTable("takes an alias for the first time after an invoice was issued",
			func(sql string, status int) {
				c := api.billed(sql)
				Expect(api.put("/v1/customers/"+c, object{"external_customer_id": "ada"}).status).To(Equal(status))
				Expect(api.put("/v1/customers/"+c, object{"name": "Bea"}).status).To(Equal(200))
			},
			Entry("unless it charged usage", "SELECT COUNT(*) FROM events", 400),
			Entry("if it charged fees only", "", 200),
		)

		It("refuses an alias that another customer bears", func() {
			api.customer(object{"external_customer_id": "ada"})
			path := "/v1/customers/" + api.customer(nil).text("id")
			api.put(path, object{"external_customer_id": "ada"}).refuse(400, "400-duplicate-resource-creation")
		})

		It("misses what does not exist", func() {
			api.put("/v1/customers/nope", object{}).refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("PUT /v1/customers/external_customer_id/{external_customer_id}", func() {
		It("changes the customer that bears the alias", func() {
			made := api.customer(object{"external_customer_id": "ada"})
			Expect(api.put("/v1/customers/external_customer_id/ada", object{"name": "Bea"}).expect(200).at("id")).To(Equal(made.at("id")))
		})

		It("misses an alias that no customer bears", func() {
			api.put("/v1/customers/external_customer_id/nope", object{}).refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("DELETE /v1/customers/{customer_id}", func() {
		It("takes the customer away and frees the alias", func() {
			path := "/v1/customers/" + api.customer(object{"external_customer_id": "ada"}).text("id")
			Expect(api.delete(path).status).To(Equal(204))
			api.get(path).refuse(404, "404-resource-not-found", "Customer")
			api.delete(path).refuse(404, "404-resource-not-found", "Customer")
			Expect(api.get("/v1/customers").expect(200).list("data")).To(BeEmpty())
			api.customer(object{"external_customer_id": "ada"})
		})

		It("refuses it once an invoice was issued", func() {
			path := "/v1/customers/" + api.billed("")
			api.delete(path).refuse(400, "400-constraint-violation", "issued invoices")
			api.get(path).expect(200)
		})
	})
})
