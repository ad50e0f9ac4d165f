package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
)

var _ = Describe("Credits that are sold", func() {
	var s fixture
	var buyer, path string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		path = "/v1/customers/" + buyer + "/credits/ledger_entry"
	})
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "credits") }
	// sale is 500 credits for two cents each, to be paid at once.
	sale := func(settings object) object {
		return object{"entry_type": "increment", "amount": 500, "per_unit_cost_basis": "0.02",
			"invoice_settings": with(object{"auto_collection": false, "net_terms": 0}, settings)}
	}

	It("are invoiced at once, at their cost", func() {
		sold := s.entry(buyer, sale(object{"memo": "Thanks"}))
		sold.shows(object{
			"entry_status": "committed", "ending_balance": json.Number("500"), "created_invoices[0].status": "issued",
			"created_invoices[0].total": "10.00", "created_invoices[0].memo": "Thanks", "created_invoices[0].invoice_source": "one_off",
			"created_invoices[0].invoice_date": "2025-03-10T00:00:00+00:00", "created_invoices[0].due_date": "2025-03-10T00:00:00+00:00",
			"created_invoices[0].line_items[0].name": "Credits", "created_invoices[0].line_items[0].quantity": json.Number("500"),
		})
		listed := s.get("/v1/customers/" + buyer + "/credits/ledger").expect(200)
		Expect(listed.at("data[0].created_invoices[0].id")).To(Equal(sold.at("created_invoices[0].id")))
	})

	It("are invoiced as the settings say", func() {
		s.entry(buyer, sale(object{
			"net_terms": nil, "custom_due_date": "2025-05-01", "invoice_date": "2025-03-09", "item_id": s.item, "mark_as_paid": true,
		})).shows(object{
			"created_invoices[0].status": "paid", "created_invoices[0].due_date": "2025-05-01T00:00:00+00:00",
			"created_invoices[0].invoice_date": "2025-03-09T00:00:00+00:00", "created_invoices[0].line_items[0].name": "Calls",
			"created_invoices[0].paid_at": "2025-03-10T00:00:00+00:00",
		})
	})

	It("CR-10: count once they are paid, if they have to be", func() {
		s.listens()
		sold := s.entry(buyer, sale(object{"require_successful_payment": true}))
		sold.shows(object{"entry_status": "pending", "starting_balance": json.Number("0"), "ending_balance": json.Number("0")})
		block := "/v1/credit_blocks/" + sold.text("credit_block.id")
		s.get(block).expect(200).shows(object{"status": "pending_payment", "balance": json.Number("500")})
		s.credits(buyer, object{"amount": 1})
		Expect(ledger()).To(Equal([]string{"increment 500 pending: 0", "increment 1 committed: 1"}))
		s.news()
		s.post("/v1/invoices/"+sold.text("created_invoices[0].id")+"/mark_paid", object{"payment_received_date": "2025-03-10"}).expect(200)
		s.newsOf(webhook.CustomerCreditLedgerIncremented).shows(object{
			"customer.id": buyer, "properties.block.id": sold.at("credit_block.id"), "properties.block.balance": "500",
			"properties.block.status": "active", "properties.pricing_unit.name": "credits",
		})
		s.get(block).expect(200).shows(object{"status": "active", "balance": json.Number("500")})
		Expect(ledger()).To(Equal([]string{"increment 500 committed: 500", "increment 1 committed: 501"}))
	})

	It("are void with their invoice", func() {
		for _, settings := range []object{{"require_successful_payment": true}, {}} {
			sold := s.entry(buyer, sale(settings))
			s.post("/v1/invoices/"+sold.text("created_invoices[0].id")+"/void", nil).expect(200)
		}
		Expect(ledger()).To(Equal([]string{
			"increment 500 committed: 0", "void_initiated 500 committed: 0", "void 500 committed: 0",
			"increment 500 committed: 500", "void_initiated 500 committed: 500", "void 500 committed: 0",
		}))
		Expect(s.get("/v1/customers/" + buyer + "/credits").expect(200).list("data")).To(BeEmpty())
	})

	It("are void but for what usage drew that is invoiced; of drafts it is billed again", func() {
		sold := s.entry(buyer, sale(object{}))
		sub := s.subscribe(buyer, nil, s.each(object{"conversion_rate": json.Number("1")})).text("id")
		s.use(buyer, "2025-03-10T08:00:00Z", "8")
		s.clock("2025-04-02T12:00:00Z")
		s.use(buyer, "2025-04-02T02:00:00Z", "30")
		s.use(buyer, "2025-04-02T08:00:00Z", "12")
		s.post("/v1/invoices/"+sold.text("created_invoices[0].id")+"/void", nil).expect(200)
		Expect(ledger()).To(Equal([]string{
			"increment 500 committed: 500", "decrement 8 committed: 492", "decrement 0 pending: 492",
			"void_initiated 492 committed: 492", "void 492 committed: 0",
		}))
		Expect(s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200).at("total")).To(Equal("42.00"))
		s.get("/v1/credit_blocks/"+sold.text("credit_block.id")).refuse(404, "404-resource-not-found")
		s.clock("2025-05-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-04-01 paid 0.00", "2025-05-01 issued 42.00"))
	})

	It("are not given back by a credit note, which leaves them; their block is deleted instead", func() {
		sold := s.entry(buyer, sale(object{"mark_as_paid": true}))
		block, line := sold.text("credit_block.id"), sold.at("created_invoices[0].line_items[0].id")
		s.post("/v1/credit_notes", object{"line_items": list{credited(line, "1.00")}}).
			refuse(400, "400-constraint-violation", "bought the credit block "+block, "delete the block instead")
		Expect(ledger()).To(Equal([]string{"increment 500 committed: 500"}))
		s.delete("/v1/credit_blocks/" + block).expect(204)
		Expect(s.balance(buyer)).To(Equal("10.00"))
	})

	It("wait for their invoice where invoices are not issued by themselves", func() {
		cautious := s.buyer(object{"currency": "USD", "auto_issuance": false})
		s.entry(cautious, sale(object{"require_successful_payment": true})).shows(object{"entry_status": "pending", "created_invoices[0].status": "draft"})
	})

	DescribeTable("are refused without what an invoice needs",
		func(change object, violation string) {
			s.post(path, with(sale(nil), change)).invalid(violation)
			Expect(ledger()).To(BeEmpty())
		},
		Entry("a cost", object{"per_unit_cost_basis": nil}, "per_unit_cost_basis: "),
		Entry("a due date", object{"invoice_settings": object{"auto_collection": false}}, "invoice_settings: "),
		Entry("one due date", object{"invoice_settings": object{"auto_collection": false, "net_terms": 1, "custom_due_date": "2025-05-01"}}, "invoice_settings: "),
		Entry("how it is collected", object{"invoice_settings": object{"net_terms": 1}}, "invoice_settings.auto_collection: "),
		Entry("a date that has come, to be paid", object{"invoice_settings": object{"auto_collection": false, "net_terms": 1, "mark_as_paid": true, "invoice_date": "2025-04-01"}},
			"invoice_settings.mark_as_paid: "),
		Entry("an amount that can be sold", object{"amount": -1}, "amount: "),
		Entry("a cost that can be asked", object{"per_unit_cost_basis": "-1"}, "per_unit_cost_basis: "),
		Entry("a date of the invoice", object{"invoice_settings": object{"auto_collection": false, "net_terms": 1, "invoice_date": "soon"}},
			"invoice_settings.invoice_date: "),
		Entry("a date of the invoice within a year", object{"invoice_settings": object{"auto_collection": false, "net_terms": 1, "invoice_date": "2099-01-01"}},
			"invoice_settings.invoice_date: "),
		Entry("a day within a year on which they take effect", object{"effective_date": "2099-01-01", "expiry_date": nil}, "effective_date: "),
		Entry("a due date that is one", object{"invoice_settings": object{"auto_collection": false, "custom_due_date": "soon"}},
			"invoice_settings.custom_due_date: "),
	)

	It("are refused to a customer without a currency, and of an item that does not exist", func() {
		poor := s.buyer(nil)
		s.post("/v1/customers/"+poor+"/credits/ledger_entry", sale(nil)).refuse(400, "400-constraint-violation", "currency")
		s.post(path, sale(object{"item_id": "nope"})).refuse(404, "404-resource-not-found", "nope")
	})
})

var _ = Describe("Credit blocks", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"currency": "USD", "external_customer_id": "ada"})
	})
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "credits") }
	sold := func(settings object) value {
		GinkgoHelper()
		return s.entry(buyer, object{"entry_type": "increment", "amount": 100, "per_unit_cost_basis": "0.10",
			"invoice_settings": with(object{"auto_collection": false, "net_terms": 30}, settings)})
	}

	Describe("GET /v1/credit_blocks/{block_id}", func() {
		It("shows a block as usage left it", func() {
			block := s.credits(buyer, nil)
			s.subscribe(buyer, nil, s.each(nil))
			s.use(buyer, "2025-03-10T08:00:00Z", "8")
			s.get("/v1/credit_blocks/" + block).expect(200).shows(object{
				"id": block, "balance": json.Number("92"), "maximum_initial_balance": json.Number("100"), "credit_block_source": "manual", "filters": list{},
			})
		})

		It("misses one that does not exist", func() {
			s.get("/v1/credit_blocks/nope").refuse(404, "404-resource-not-found", "nope")
		})
	})

	Describe("GET /v1/credit_blocks/{block_id}/invoices", func() {
		It("shows the block and the invoice that sold it", func() {
			entry := sold(nil)
			invoices := s.get("/v1/credit_blocks/" + entry.text("credit_block.id") + "/invoices").expect(200)
			invoices.shows(object{"block.id": entry.at("credit_block.id"), "invoices[0].id": entry.at("created_invoices[0].id"),
				"invoices[0].status": "issued", "invoices[0].customer.external_customer_id": "ada", "invoices[0].subscription": nil})
			gift := s.credits(buyer, nil)
			Expect(s.get("/v1/credit_blocks/" + gift + "/invoices").expect(200).list("invoices")).To(BeEmpty())
		})

		It("misses a block that does not exist", func() {
			s.get("/v1/credit_blocks/nope/invoices").refuse(404, "404-resource-not-found", "nope")
		})
	})

	Describe("DELETE /v1/credit_blocks/{block_id}", func() {
		It("lets other blocks pay instead, also for days that are committed", func() {
			first := s.credits(buyer, object{"expiry_date": "2025-12-28"})
			s.credits(buyer, nil)
			s.subscribe(buyer, nil, s.each(nil))
			s.use(buyer, "2025-03-10T08:00:00Z", "8")
			s.clock("2025-03-11T12:00:00Z")
			s.use(buyer, "2025-03-11T08:00:00Z", "3")
			Expect(ledger()[2:]).To(Equal([]string{"decrement 8 committed: 192", "decrement 3 pending: 189"}))
			s.delete("/v1/credit_blocks/" + first).expect(204)
			Expect(ledger()[2:]).To(Equal([]string{
				"decrement 8 committed: 192", "decrement 0 pending: 192", "amendment 8 committed: 200",
				"void_initiated 100 committed: 200", "void 100 committed: 100", "decrement 8 committed: 92", "decrement 3 pending: 89",
			}))
			s.get("/v1/credit_blocks/"+first).refuse(404, "404-resource-not-found", first)
			s.delete("/v1/credit_blocks/"+first).refuse(404, "404-resource-not-found", first)
			Expect(s.blocks(buyer, "credits")).To(Equal([]string{"89"}))
		})

		DescribeTable("undoes the invoice that sold it",
			func(settings object, becomes string) {
				entry := sold(settings)
				s.delete("/v1/credit_blocks/" + entry.text("credit_block.id")).expect(204)
				invoice := s.get("/v1/invoices/" + entry.text("created_invoices[0].id"))
				if becomes == "" {
					invoice.expect(404)
				} else {
					Expect(invoice.expect(200).at("status")).To(Equal(becomes))
				}
				if becomes == "paid" {
					Expect(invoice.body().at("credit_notes[0].total")).To(Equal("10.00"))
				}
			},
			Entry("a draft", object{"invoice_date": "2025-04-01"}, ""),
			Entry("an issued one", object{}, "void"),
			Entry("a paid one", object{"mark_as_paid": true}, "paid"),
		)

		It("leaves issued invoices as they are", func() {
			block := s.credits(buyer, nil)
			sub := s.subscribe(buyer, nil, s.each(nil)).text("id")
			s.use(buyer, "2025-03-10T08:00:00Z", "8")
			s.clock("2025-04-01T12:00:00Z")
			s.delete("/v1/credit_blocks/" + block).expect(204)
			s.invoices(sub).entry("data", 1).shows(object{"line_items[0].credits_applied": "8", "total": "0.00"})
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92", "void_initiated 92 committed: 92", "void 92 committed: 0"}))
		})
	})
})
