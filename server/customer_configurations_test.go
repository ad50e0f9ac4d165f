package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("What is said of a customer to other systems", func() {
	var api *api
	BeforeEach(func() { api = start() })

	said := object{
		"accounting_sync_configuration": object{"accounting_providers": list{object{"provider_type": "quickbooks", "external_provider_id": "7"}}},
		"reporting_configuration":       object{"exempt": true},
		"payment_configuration":         object{"payment_providers": list{object{"provider_type": "stripe"}}},
		"tax_configuration":             object{"tax_provider": "avalara", "tax_exempt": true, "tax_exemption_code": "G"},
	}
	shown := object{
		"accounting_sync_configuration": object{
			"excluded": false, "accounting_providers": list{object{"provider_type": "quickbooks", "external_provider_id": "7"}},
		},
		"reporting_configuration": object{"exempt": true},
		"payment_configuration": object{"payment_providers": list{
			object{"provider_type": "stripe", "default_shared_payment_token": nil, "excluded_payment_method_types": list{}},
		}},
		"exempt_from_automated_tax": true, "automatic_tax_enabled": nil,
	}

	It("is kept and shown", func() {
		made := api.customer(said)
		made.shows(shown)
		api.get("/v1/customers/" + made.text("id")).expect(200).shows(shown)
	})

	It("is replaced member by member, left when it is not sent, and cleared by null", func() {
		path := "/v1/customers/" + api.customer(said).text("id")
		api.put(path, object{"name": "Bea"}).expect(200).shows(shown)
		api.put(path, object{
			"accounting_sync_configuration": object{"excluded": true},
			"tax_configuration":             object{"tax_provider": "anrok", "tax_exempt": false, "automatic_tax_enabled": true},
		}).expect(200).shows(with(shown, object{
			"accounting_sync_configuration": object{"excluded": true, "accounting_providers": list{}},
			"exempt_from_automated_tax":     false, "automatic_tax_enabled": true,
		}))
		cleared, none := object{}, object{"exempt_from_automated_tax": nil, "automatic_tax_enabled": nil}
		for member := range said {
			cleared[member] = nil
			if member != "tax_configuration" {
				none[member] = nil
			}
		}
		api.put(path, cleared).expect(200).shows(none)
		api.get(path).expect(200).shows(none)
	})

	It("is no saved payment method, since there are none", func() {
		path := "/v1/customers/" + api.customer(nil).text("id")
		Expect(api.put(path, object{"default_payment_method_id": nil}).expect(200).at("default_payment_method")).To(BeNil())
		api.put(path, object{"name": "Bea", "default_payment_method_id": "pm_x"}).refuse(404, "404-resource-not-found", "PaymentMethod", "pm_x")
		Expect(api.get(path).expect(200).at("name")).NotTo(Equal("Bea"))
	})

	DescribeTable("is refused with",
		func(member string, value any, beginning string) {
			api.post("/v1/customers", object{"name": "Ada", "email": "ada@example.com", member: value}).invalid(beginning)
			api.put("/v1/customers/"+api.customer(nil).text("id"), object{member: value}).invalid(beginning)
		},
		Entry("a member that nobody knows", "payment_configuration", object{"payment_providers": list{object{"provider_type": "stripe", "colour": "red"}}},
			"payment_configuration.payment_providers[0].colour: is not a field"),
		Entry("a provider that nobody knows", "accounting_sync_configuration",
			object{"accounting_providers": list{object{"provider_type": "abacus", "external_provider_id": "7"}}},
			"accounting_sync_configuration.accounting_providers[0].provider_type: must be one of"),
		Entry("nothing about exemption", "reporting_configuration", object{}, "reporting_configuration.exempt: is required"),
		Entry("a tax provider alone", "tax_configuration", object{"tax_provider": "stripe"}, "tax_configuration.tax_exempt: is required"),
		Entry("an exemption code of a provider without such codes", "tax_configuration",
			object{"tax_provider": "stripe", "tax_exempt": true, "tax_exemption_code": "G"}, "tax_configuration.tax_exemption_code: "),
	)
})
