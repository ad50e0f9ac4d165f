package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// oneOff is the body of an invoice of three widgets.
func (s fixture) oneOff(customer string, change object) object {
	return with(object{
		"customer_id": customer, "currency": "USD", "invoice_date": "2025-03-01", "line_items": list{s.widgets("3", "19.99")},
	}, change)
}

// widgets is a line of a one-off invoice.
func (s fixture) widgets(quantity, each string) object {
	return object{
		"name": "Widgets", "item_id": s.item, "model_type": "unit", "quantity": json.Number(quantity),
		"unit_config": object{"unit_amount": each}, "start_date": "2025-03-01", "end_date": "2025-03-31",
	}
}

var _ = Describe("One-off invoices", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"external_customer_id": "acme"})
	})
	create := func(change object) *answer { return s.post("/v1/invoices", s.oneOff(buyer, change)) }
	issue := func(id string) value {
		GinkgoHelper()
		return s.post("/v1/invoices/"+id+"/issue", nil).expect(200)
	}
	discount := object{"discount_type": "percentage", "percentage_discount": json.Number("0.1"), "reason": "Friends"}

	Describe("POST /v1/invoices", func() {
		It("I-7: makes a draft with a discount, to be issued by hand, numbered one after the other", func() {
			draft := create(object{"discount": discount, "memo": "Thanks", "metadata": object{"a": "1"}, "net_terms": 14}).expect(201)
			draft.shows(object{
				"status": "draft", "invoice_source": "one_off", "subscription": nil, "customer.id": buyer, "currency": "USD",
				"subtotal": "59.97", "total": "53.97", "amount_due": "53.97", "will_auto_issue": false, "scheduled_issue_at": nil,
				"eligible_to_issue_at": "2025-03-01T00:00:00+00:00", "invoice_date": "2025-03-01T00:00:00+00:00", "due_date": nil,
				"memo": "Thanks", "metadata": object{"a": "1"},
				"discounts[0].discount_type": "percentage", "discounts[0].percentage_discount": json.Number("0.1"), "discounts[0].reason": "Friends",
				"discount.discount_type": "percentage",
			})
			draft.entry("line_items", 0).shows(object{
				"name": "Widgets", "quantity": json.Number("3"), "subtotal": "59.97", "adjusted_subtotal": "53.97", "amount": "53.97",
				"adjustments[0].amount": "-6.00", "start_date": "2025-03-01T00:00:00+00:00", "end_date": "2025-03-31T00:00:00+00:00",
				"price.name": "Widgets", "price.item.id": s.item, "price.price_type": "fixed_price", "price.cadence": "one_time",
				"price.model_type": "unit", "price.unit_config.unit_amount": "19.99", "price.fixed_price_quantity": json.Number("3"),
				"price.currency": "USD", "sub_line_items": list{}, "tax_amounts": list{},
			})
			issued := issue(draft.text("id"))
			issued.shows(object{
				"status": "issued", "total": "53.97", "amount_due": "53.97", "due_date": "2025-03-15T00:00:00+00:00", "will_auto_issue": false,
				"line_items": draft.at("line_items"), "eligible_to_issue_at": nil,
			})
			Expect(issued.text("invoice_number")).To(MatchRegexp(`^[A-Z]{6}-00001$`))
			second := issue(create(nil).expect(201).text("id"))
			Expect(second.text("invoice_number")).To(Equal(issued.text("invoice_number")[:7] + "00002"))
			issueAgain := s.post("/v1/invoices/"+issued.text("id")+"/issue", nil)
			issueAgain.refuse(400, refused, "issued")
		})

		It("issues at once on a date that has come, and waits for one that has not", func() {
			create(object{"will_auto_issue": true}).expect(201).shows(object{"status": "issued", "issued_at": "2025-03-01T00:00:00+00:00"})
			create(object{"will_auto_issue": true, "invoice_date": "2025-02-01"}).expect(201).shows(object{
				"status": "issued", "issued_at": "2025-03-01T00:00:00+00:00", "invoice_date": "2025-02-01T00:00:00+00:00",
			})
			later := create(object{"will_auto_issue": true, "invoice_date": "2025-03-05T10:00:00Z"}).expect(201)
			later.shows(object{"status": "draft", "scheduled_issue_at": "2025-03-05T10:00:00+00:00"})
			s.post("/v1/invoices/"+later.text("id")+"/issue", nil).refuse(400, refused, "issues itself")
			s.clock("2025-03-05T09:59:59Z")
			Expect(s.invoice(later.text("id")).at("status")).To(Equal("draft"))
			s.clock("2025-03-05T10:00:00Z")
			s.invoice(later.text("id")).shows(object{"status": "issued", "issued_at": "2025-03-05T10:00:00+00:00"})
		})

		It("does not issue a draft that was not asked to, whatever customer and account say", func() {
			id := create(nil).expect(201).text("id")
			s.clock("2025-06-01T00:00:00Z")
			Expect(s.invoice(id).at("status")).To(Equal("draft"))
		})

		It("dates by the customer's days", func() {
			tokyo := s.buyer(object{"timezone": "Asia/Tokyo"})
			made := s.post("/v1/invoices", s.oneOff(tokyo, object{"invoice_date": "2025-03-02", "due_date": "2025-04-01"})).expect(201)
			made.shows(object{
				"invoice_date": "2025-03-01T15:00:00+00:00", "line_items[0].start_date": "2025-02-28T15:00:00+00:00",
				"line_items[0].end_date": "2025-03-30T15:00:00+00:00",
			})
			s.clock("2025-03-02T00:00:00Z")
			Expect(issue(made.text("id")).at("due_date")).To(Equal("2025-03-31T15:00:00+00:00"))
		})

		It("names the customer by alias, and gives one without a currency this one", func() {
			create(object{"customer_id": absent, "external_customer_id": "acme"}).expect(201)
			Expect(s.get("/v1/customers/" + buyer).expect(200).at("currency")).To(Equal("USD"))
			create(object{"currency": "EUR"}).refuse(400, refused, "currency")
		})

		It("takes an amount off, split over the lines that filters name", func() {
			other := s.post("/v1/items", object{"name": "Gadgets"}).expect(201).text("id")
			lines := list{s.widgets("1", "10"), s.widgets("2", "10"), with(s.widgets("1", "100"), object{"item_id": other})}
			made := create(object{"line_items": lines, "discount": object{
				"discount_type": "amount", "amount_discount": "10", "filters": list{object{"field": "item_id", "operator": "includes", "values": list{s.item}}},
			}}).expect(201)
			Expect(made.each("line_items", "amount")).To(Equal(list{"6.67", "13.33", "100.00"}))
			Expect(made.at("total")).To(Equal("120.00"))
		})

		It("keeps its prices out of every list", func() {
			price := create(nil).expect(201).text("line_items[0].price.id")
			Expect(s.get("/v1/prices").expect(200).list("data")).To(BeEmpty())
			Expect(s.get("/v1/prices/" + price).expect(200).at("id")).To(Equal(price))
		})

		It("uses the balance, and is paid at once when it costs nothing", func() {
			s.post("/v1/invoices", s.oneOff(buyer, nil)).expect(201)
			s.moveBalance(buyer, "50")
			create(object{"will_auto_issue": true}).expect(201).shows(object{"amount_due": "9.97", "status": "issued"})
			free := create(object{"will_auto_issue": true, "line_items": list{s.widgets("0", "5")}}).expect(201)
			free.shows(object{"status": "paid", "total": "0.00", "paid_at": "2025-03-01T00:00:00+00:00"})
		})

		It("is listed as one that does not recur", func() {
			id := issue(create(nil).expect(201).text("id")).at("id")
			Expect(s.get("/v1/invoices?is_recurring=false").expect(200).each("data", "id")).To(Equal(list{id}))
			Expect(s.get("/v1/invoices?is_recurring=true").expect(200).list("data")).To(BeEmpty())
			Expect(s.get("/v1/invoices/summary?is_recurring=false&amount=59.97").expect(200).each("data", "id")).To(Equal(list{id}))
		})

		It("is made once, however often the request is sent", func() {
			key := header{"Idempotency-Key", "k1"}
			first := s.post("/v1/invoices", s.oneOff(buyer, nil), key).expect(201)
			Expect(s.post("/v1/invoices", s.oneOff(buyer, nil), key).expect(201).json).To(Equal(first.json))
		})

		It("dates at most a year ahead", func() {
			create(object{"invoice_date": "2026-03-01"}).expect(201)
			create(object{"invoice_date": "2026-03-02"}).invalid("invoice_date: must be at most a year ahead")
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violation string) {
				create(change).invalid(violation)
				Expect(s.get("/v1/invoices?status=draft").expect(200).list("data")).To(BeEmpty())
			},
			Entry("no customer", object{"customer_id": absent}, "customer_id, external_customer_id: exactly one"),
			Entry("two customers", object{"external_customer_id": "acme"}, "customer_id, external_customer_id: exactly one"),
			Entry("no lines", object{"line_items": list{}}, "line_items: "),
			Entry("no date", object{"invoice_date": absent}, "invoice_date: is required"),
			Entry("a date that is none", object{"invoice_date": "2025-02-30"}, "invoice_date: "),
			Entry("a due date that is none", object{"due_date": "x"}, "due_date: "),
			Entry("a custom unit", object{"currency": "credits"}, "currency: must be an ISO 4217 code"),
			Entry("a due date beside net terms", object{"due_date": "2025-04-01", "net_terms": 3}, "due_date, net_terms: "),
			Entry("negative net terms", object{"net_terms": -1}, "net_terms: "),
			Entry("a discount above the whole", object{"discount": with(discount, object{"percentage_discount": json.Number("1.5")})}, "discount.percentage_discount: "),
			Entry("a discount of no value", object{"discount": object{"discount_type": "amount"}}, "discount.amount_discount: is required"),
			Entry("a discount of another value", object{"discount": with(discount, object{"amount_discount": "1"})}, "discount.amount_discount: must not be given"),
			Entry("a discount of another kind", object{"discount": object{"discount_type": "maximum"}}, "discount.discount_type: must be one of"),
			Entry("a discount of a price that is no text", object{"discount": with(discount, object{"applies_to_price_ids": list{number("1")}})}, "discount.applies_to_price_ids[0]: "),
			Entry("a member nobody knows", object{"number": "X-1"}, "number: is not a field"),
		)
		DescribeTable("refuses lines that are wrong in themselves",
			func(change object, violation string) {
				create(object{"line_items": list{s.widgets("1", "1"), with(s.widgets("3", "1"), change)}}).invalid("line_items[1]." + violation)
			},
			Entry("a negative quantity", object{"quantity": json.Number("-1")}, "quantity: must not be negative"),
			Entry("another model", object{"model_type": "tiered"}, "model_type: must be"),
			Entry("a rate that is none", object{"unit_config": object{"unit_amount": "1e3"}}, "unit_config.unit_amount: "),
			Entry("no name", object{"name": ""}, "name: "),
			Entry("an end before its start", object{"end_date": "2025-02-28"}, "end_date: must not be before start_date"),
			Entry("a day that its month lacks", object{"end_date": "2025-04-31"}, "end_date: "),
			Entry("no item", object{"item_id": absent}, "item_id: is required"),
		)
		It("refuses a discount of a price that does not exist", func() {
			create(object{"discount": with(discount, object{"applies_to_price_ids": list{"p"}})}).
				refuse(400, refused, "discount.applies_to_price_ids[0]", "must be the id of a price")
			Expect(s.get("/v1/invoices?status=draft").expect(200).list("data")).To(BeEmpty())
		})
		It("misses a customer and an item that do not exist", func() {
			create(object{"customer_id": "nope"}).refuse(404, "404-resource-not-found", "Customer", "nope")
			create(object{"line_items": list{with(s.widgets("1", "1"), object{"item_id": "nope"})}}).refuse(404, "404-resource-not-found", "Item", "nope")
		})
	})

	Describe("PUT /v1/invoices/{invoice_id}", func() {
		It("moves the date of a draft, at most a year ahead", func() {
			id := create(nil).expect(201).text("id")
			s.put("/v1/invoices/"+id, object{"invoice_date": "2025-03-09"}).expect(200).shows(object{
				"invoice_date": "2025-03-09T00:00:00+00:00", "eligible_to_issue_at": "2025-03-09T00:00:00+00:00",
			})
			s.put("/v1/invoices/"+id, object{"invoice_date": nil}).expect(200).shows(object{"invoice_date": "2025-03-09T00:00:00+00:00"})
			s.put("/v1/invoices/"+id, object{"invoice_date": "2026-03-02"}).invalid("invoice_date: ")
			s.post("/v1/invoices/"+id+"/issue", nil).refuse(400, refused, "eligible_to_issue_at")
		})
	})

	Describe("POST /v1/invoice_line_items", func() {
		add := func(invoice string, change object) *answer {
			return s.post("/v1/invoice_line_items", with(object{
				"invoice_id": invoice, "name": "Setup", "amount": "100.00", "quantity": 3, "start_date": "2025-03-01", "end_date": "2025-03-02",
			}, change))
		}
		It("puts a line on a draft, with a price of its own", func() {
			id := create(nil).expect(201).text("id")
			line := add(id, nil).expect(201)
			line.shows(object{
				"name": "Setup", "quantity": json.Number("3"), "amount": "100.00", "subtotal": "100.00", "price.item.name": "Setup",
				"price.fixed_price_quantity": json.Number("3"), "price.cadence": "one_time",
			})
			draft := s.invoice(id)
			Expect(draft.at("total")).To(Equal("159.97"))
			Expect(draft.at("line_items[1]")).To(Equal(line.json))
			issued := issue(id)
			Expect(issued.at("line_items")).To(Equal(draft.at("line_items")))
			add(id, nil).refuse(400, refused, "draft")
		})
		It("puts a line on the draft of a subscription, which no discount of that touches", func() {
			plan := s.plan(object{"adjustments": list{object{"adjustment": object{
				"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.5"), "applies_to_all": true,
			}}}}, s.calls("1")).text("id")
			sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
			draft := s.invoices(sub).entry("data", 0).text("id")
			add(draft, object{"amount": "7", "quantity": 1}).expect(201)
			s.use(buyer, "2025-03-01T00:00:00Z", "10")
			Expect(s.invoice(draft).each("line_items", "amount")).To(Equal(list{"5.00", "7.00"}))
			s.clock("2025-04-01T12:00:00Z")
			s.invoice(draft).shows(object{"status": "issued", "total": "12.00"})
		})
		It("stays on the draft of a subscription that is canceled and bills nothing more", func() {
			sub := s.subscribe(buyer, nil, s.fee("28")).text("id")
			draft := s.invoices(sub).entry("data", 0).text("id")
			add(draft, object{"amount": "7", "quantity": 1}).expect(201)
			s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
			Expect(s.invoice(draft).each("line_items", "amount")).To(Equal(list{"7.00"}))
			s.clock("2025-04-01T00:00:00Z")
			s.invoice(draft).shows(object{"status": "issued", "total": "7.00", "amount_due": "7.00"})
		})
		It("goes over to another invoice of the date when a change replaces the first", func() {
			sub := s.subscribe(buyer, nil, s.fee("28"), s.calls("1")).text("id")
			first := s.invoices(sub).entry("data", 0).text("id")
			add(first, object{"amount": "7", "quantity": 1}).expect(201)
			s.clock("2025-04-01T12:00:00Z")
			s.invoice(first).shows(object{"status": "issued", "total": "35.00"})
			s.cancel(sub, asOf("2025-03-20")).expect(200)
			s.invoice(first).shows(object{"status": "void"})
			second := s.get("/v1/invoices?invoice_date[gte]=2025-04-01&subscription_id="+sub).expect(200).entry("data", 0)
			second.shows(object{"status": "issued", "total": "7.00", "line_items[0].name": "Setup"})
		})
		It("takes names and items as they are given", func() {
			id := create(nil).expect(201).text("id")
			add(id, object{"name": absent, "item_id": s.item}).expect(201).shows(object{"name": "Calls", "price.item.id": s.item})
			add(id, object{"item_id": s.item}).expect(201).shows(object{"name": "Setup", "price.item.id": s.item})
			first := add(id, nil).expect(201).text("price.item.id")
			add(id, nil).expect(201).shows(object{"price.item.id": first})
			Expect(s.get("/v1/items").expect(200).each("data", "name")).To(Equal(list{"Setup", "Measured", "Calls"}))
		})
		It("comes to its amount, whatever the quantity", func() {
			id := create(nil).expect(201).text("id")
			for _, quantity := range []string{"7", "0.3", "999999999999", "0.000000000001"} {
				Expect(add(id, object{"quantity": json.Number(quantity)}).expect(201).at("amount")).To(Equal("100.00"), quantity)
			}
			add(id, object{"quantity": json.Number("7e25")}).invalid("quantity: is too large")
		})
		DescribeTable("refuses what is wrong in itself",
			func(change object, violation string) {
				id := create(nil).expect(201).text("id")
				add(id, change).invalid(violation)
				Expect(s.invoice(id).list("line_items")).To(HaveLen(1))
			},
			Entry("neither a name nor an item", object{"name": absent}, "name, item_id: at least one"),
			Entry("no quantity at all", object{"quantity": 0}, "quantity: must be above 0"),
			Entry("less than nothing", object{"amount": "-1"}, "amount: must not be negative"),
			Entry("parts of a cent", object{"amount": "0.001"}, "amount: must have at most the 2 decimals"),
			Entry("an end before its start", object{"end_date": "2025-02-28"}, "end_date: must not be before"),
			Entry("a date that is none", object{"start_date": "2025-02-30"}, "start_date: "),
			Entry("no invoice", object{"invoice_id": absent}, "invoice_id: is required"),
			Entry("a member nobody knows", object{"price": "1"}, "price: is not a field"),
		)
		It("misses an invoice and an item that do not exist", func() {
			add("nope", nil).refuse(404, "404-resource-not-found", "Invoice", "nope")
			add(create(nil).expect(201).text("id"), object{"item_id": "nope"}).refuse(404, "404-resource-not-found", "Item", "nope")
		})
	})

	Describe("DELETE /v1/invoices/{invoice_id}/invoice_line_items/{line_item_id}", func() {
		It("takes a line off a draft, and leaves the rest as it was", func() {
			made := create(object{"line_items": list{s.widgets("1", "1"), s.widgets("1", "2"), s.widgets("1", "4")}}).expect(201)
			path := "/v1/invoices/" + made.text("id") + "/invoice_line_items/"
			line := made.text("line_items[1].id")
			Expect(s.delete(path + line).status).To(Equal(204))
			after := s.invoice(made.text("id"))
			Expect(after.each("line_items", "amount")).To(Equal(list{"1.00", "4.00"}))
			Expect(after.at("line_items[0].id")).To(Equal(made.at("line_items[0].id")))
			s.delete(path+line).refuse(404, "404-resource-not-found", "InvoiceLineItem", line)
			Expect(issue(made.text("id")).at("total")).To(Equal("5.00"))
			s.delete(path+made.text("line_items[0].id")).refuse(400, refused, "draft")
		})
		It("refuses a line of a subscription, and misses what is not there", func() {
			sub := s.subscribe(buyer, nil, s.fee("28")).text("id")
			draft := s.invoices(sub).entry("data", 0)
			path := "/v1/invoices/" + draft.text("id") + "/invoice_line_items/"
			s.delete(path+draft.text("line_items[0].id")).refuse(400, refused, "subscription")
			s.delete(path+"nope").refuse(404, "404-resource-not-found", "InvoiceLineItem", "nope")
			s.delete("/v1/invoices/nope/invoice_line_items/nope").refuse(404, "404-resource-not-found", "Invoice", "nope")
		})
	})

	It("can be credited, and refuses to be while a draft", func() {
		draft := create(nil).expect(201)
		body := object{"line_items": list{credited(draft.at("line_items[0].id"), "9.97")}}
		s.post("/v1/credit_notes", body).refuse(400, refused, "draft")
		issue(draft.text("id"))
		note := s.post("/v1/credit_notes", body).expect(201)
		note.shows(object{"type": "adjustment", "line_items[0].item_id": s.item, "line_items[0].name": "Widgets", "line_items[0].quantity": json.Number("3")})
		s.invoice(draft.text("id")).shows(object{"amount_due": "50.00"})
	})

	It("goes with a customer that is deleted, if it is a draft", func() {
		create(object{"discount": discount}).expect(201)
		Expect(s.delete("/v1/customers/" + buyer).status).To(Equal(204))
		Expect(s.get("/v1/invoices?status=draft").expect(200).list("data")).To(BeEmpty())
	})

	It("explains its lines", func() {
		draft := create(object{"discount": discount}).expect(201)
		explained := s.get("/v1/invoices/" + draft.text("id") + "/line_items/" + draft.text("line_items[0].id") + "/explanation").expect(200)
		explained.shows(object{"rating.exact_subtotal": "59.97", "rating.subtotal": "59.97", "rating.service_days": json.Number("30"), "amount": "53.97"})
	})
})
