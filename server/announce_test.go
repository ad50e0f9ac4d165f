package server_test

import (
	"context"
	"reflect"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// listens makes an endpoint that is told of those types, of all without. Nobody sends
// anything to it.
func (a *api) listens(types ...webhook.Type) {
	GinkgoHelper()
	wanted := webhook.NewEndpoint{URL: "https://hooks.acme.test/"}
	if types != nil {
		wanted.EventTypes = &types
	}
	a.tx(func(tx *store.Tx) error {
		_, err := webhook.CreateEndpoint(tx, wanted)
		return err
	})
}

// told returns the bodies of all messages so far, oldest first.
func (a *api) told() (messages []value) {
	GinkgoHelper()
	var written []webhook.Message
	a.tx(func(tx *store.Tx) error { return tx.Order("seq").Find(&written).Error })
	for _, m := range written {
		v := decoded(string(m.Type), m.Body)
		Expect(v.at("type")).To(BeEquivalentTo(m.Type))
		Expect(v.at("id")).To(Equal(m.ID))
		Expect(v.has("properties")).To(BeTrue())
		messages = append(messages, v)
	}
	return messages
}

// toldTypes returns the types of all messages so far, oldest first.
func (a *api) toldTypes() (types []string) {
	GinkgoHelper()
	for _, m := range a.told() {
		types = append(types, m.text("type"))
	}
	return types
}

var _ = Describe("What endpoints are told", func() {
	It("is a customer as the API shows it, at the instant of the account's clock", func() {
		api := start()
		api.clock("2025-02-01T12:00:05.25Z")
		api.listens()
		made := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201)
		told := api.told()
		Expect(told).To(HaveLen(1))
		Expect(told[0].at("type")).To(Equal("customer.created"))
		Expect(told[0].at("created_at")).To(Equal("2025-02-01T12:00:05+00:00"))
		Expect(told[0].at("customer")).To(Equal(made.json))
		Expect(told[0].at("properties")).To(BeEmpty())
	})

	It("W-5: is what an edit changed, as it was, and nothing else", func() {
		api := start()
		made := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201)
		api.listens()
		api.put("/v1/customers/"+made.text("id"), object{"name": "Acme Inc."}).expect(200)
		told := api.told()
		Expect(told).To(HaveLen(1))
		Expect(told[0].at("type")).To(Equal("customer.edited"))
		Expect(told[0].at("customer.name")).To(Equal("Acme Inc."))
		Expect(told[0].at("properties")).To(Equal(object{"previous_attributes": object{"name": "Acme"}}))
	})

	It("is each member of a customer that an edit changed", func() {
		api := start()
		made := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201)
		api.listens()
		address := object{"line1": "14 Mill Lane", "city": "Bristol", "country": "GB"}
		edit := object{
			"name": "Acme Inc.", "email": "pay@acme.test", "additional_emails": list{"cfo@acme.test"}, "external_customer_id": "acme", "currency": "EUR",
			"auto_collection": true, "auto_issuance": false, "email_delivery": false, "language": "de", "billing_address": address,
			"shipping_address": address, "payment_provider": "stripe_invoice", "payment_provider_id": "cus_1",
			"tax_id": object{"country": "DE", "type": "eu_vat", "value": "DE123"}, "reporting_configuration": object{"exempt": true}, "metadata": object{"a": "b"},
		}
		edited := api.put("/v1/customers/"+made.text("id"), edit).expect(200)
		before, after := made.json.(map[string]any), edited.json.(map[string]any)
		was := object{}
		for name, value := range before {
			if !reflect.DeepEqual(value, after[name]) {
				was[name] = value
			}
		}
		for name := range edit {
			Expect(was).To(HaveKey(name), "the edit changes it")
		}
		Expect(api.told()[0].at("properties")).To(Equal(object{"previous_attributes": was}))
	})

	It("is nothing where an edit changes nothing, or is refused", func() {
		api := start()
		made := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201)
		api.listens()
		api.put("/v1/customers/"+made.text("id"), object{"name": "Acme"}).expect(200)
		api.put("/v1/customers/"+made.text("id"), object{"name": "Other", "email": "none"}).expect(400)
		Expect(api.told()).To(BeEmpty())
	})

	It("is what a transaction did that was not undone", func() {
		api := start()
		api.listens()
		named := customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"}
		api.tx(func(tx *store.Tx) error {
			_ = tx.Try(func(tx *store.Tx) error {
				_, err := customer.Create(tx, named)
				Expect(err).NotTo(HaveOccurred())
				return context.Canceled
			})
			_, err := customer.Create(tx, named)
			return err
		})
		Expect(api.toldTypes()).To(Equal([]string{"customer.created"}))
	})

	It("shows what the whole transaction leaves", func() {
		api := start()
		api.listens(webhook.CustomerCreated)
		api.tx(func(tx *store.Tx) error {
			made, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"})
			if err != nil {
				return err
			}
			_, err = customer.Update(tx, made.ID, func(c *customer.Customer) error {
				c.Name = "Acme Inc."
				return nil
			})
			return err
		})
		told := api.told()
		Expect(told).To(HaveLen(1), "the endpoint wants no edits")
		Expect(told[0].at("customer.name")).To(Equal("Acme Inc."))
	})

	It("is each move of a balance", func() {
		api := start()
		made := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test", "currency": "USD"}).expect(201)
		api.listens()
		moved := api.post("/v1/customers/"+made.text("id")+"/balance_transactions", object{"amount": "12.00", "type": "increment"}).expect(200)
		told := api.told()
		Expect(told).To(HaveLen(1))
		Expect(told[0].at("type")).To(Equal("customer.balance_transaction_created"))
		Expect(told[0].at("customer.balance")).To(Equal("12.00"))
		Expect(told[0].at("properties.balance_transaction")).To(Equal(moved.json))
	})

	It("goes to an endpoint that wants it, and is not written when none does", func() {
		api := start()
		api.listens(webhook.CustomerEdited)
		api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201)
		Expect(api.told()).To(BeEmpty())
	})
})
