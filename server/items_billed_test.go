package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An item that is billed", func() {
	const refused = "400-constraint-violation"
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T00:00:00Z") })

	sold := func(invoice value, k int) any {
		GinkgoHelper()
		return invoice.entry("line_items", k).at("price.item.name")
	}
	rename := func() {
		GinkgoHelper()
		s.put("/v1/items/"+s.item, object{"name": "Requests"}).expect(200)
	}

	It("is called on issued invoices what it was called then, and on drafts what it is", func() {
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
		old := s.post("/v1/invoices", s.oneOff(buyer, object{"will_auto_issue": true})).expect(201).text("id")
		s.clock("2025-04-01T12:00:00Z")
		before := s.invoices(sub)
		rename()
		after := s.invoices(sub)
		Expect([]any{sold(after.entry("data", 0), 0), sold(after.entry("data", 1), 0), sold(after.entry("data", 2), 0)}).
			To(Equal([]any{"Requests", "Calls", "Calls"}), "the draft follows")
		for k := 1; k < 3; k++ {
			Expect(after.entry("data", k).json).To(Equal(before.entry("data", k).json))
			issued := after.entry("data", k)
			told := s.get("/v1/invoices/" + issued.text("id") + "/line_items/" + issued.entry("line_items", 0).text("id") + "/explanation").expect(200)
			Expect(told.at("price.item.name")).To(Equal("Calls"))
		}
		Expect(sold(s.invoice(old), 0)).To(Equal("Calls"))
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("price_intervals[0].price.item.name")).To(Equal("Requests"))
		s.clock("2025-05-01T12:00:00Z")
		Expect(sold(s.invoices(sub).entry("data", 1), 0)).To(Equal("Requests"), "issued since")
	})

	It("is called on partial invoices what it was called then", func() {
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, object{"invoicing_threshold": "10.00"}, s.calls("1.00")).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "15")
		s.clock("2025-03-01T00:00:00Z")
		rename()
		Expect(sold(s.invoices(sub).entry("data", 1), 0)).To(Equal("Calls"))
	})

	It("goes on being billed when it is archived", func() {
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		s.post("/v1/items/"+s.item+"/archive", nil).expect(200)
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00"}))
		plan := s.get("/v1/subscriptions/" + sub).expect(200).at("plan.id")
		s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": plan}).expect(201)
	})

	It("is nothing to make new things of when it is archived", func() {
		buyer := s.buyer(object{"currency": "USD"})
		s.post("/v1/items/"+s.item+"/archive", nil).expect(200)
		for path, body := range map[string]object{
			"/v1/metrics":  {"name": "M", "item_id": s.item, "description": nil, "sql": "SELECT COUNT(*) FROM events"},
			"/v1/prices":   with(s.fee("1.00"), object{"currency": "USD"}),
			"/v1/plans":    {"name": "P", "currency": "USD", "prices": list{object{"price": s.fee("1.00")}}},
			"/v1/invoices": s.oneOff(buyer, nil),
			"/v1/customers/" + buyer + "/credits/ledger_entry": {
				"entry_type": "increment", "amount": 5, "currency": "credits", "per_unit_cost_basis": "1.00",
				"invoice_settings": object{"auto_collection": false, "net_terms": 0, "item_id": s.item},
			},
		} {
			s.post(path, body).refuse(400, refused, "is archived")
		}
		draft := s.post("/v1/invoices", with(s.oneOff(buyer, nil), object{"line_items": list{with(s.widgets("1", "2.00"), object{"item_id": s.api.item("Other")})}})).expect(201)
		line := object{"invoice_id": draft.at("id"), "amount": "1.00", "quantity": 1, "start_date": "2025-03-01", "end_date": "2025-03-02"}
		s.post("/v1/invoice_line_items", with(line, object{"item_id": s.item})).refuse(400, refused, "is archived")
		named := s.post("/v1/invoice_line_items", with(line, object{"name": "Calls"})).expect(201)
		Expect(named.at("price.item.id")).NotTo(Equal(s.item), "another of its name")
	})
})
