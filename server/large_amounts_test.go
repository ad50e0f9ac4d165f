package server_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Amounts with more digits than a request may have", func() {
	const rate = "12345678901234567890"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
	})

	It("are shown in full of credits that are sold", func() {
		sold := s.entry(buyer, object{"entry_type": "increment", "amount": json.Number("1e25"), "per_unit_cost_basis": rate,
			"invoice_settings": object{"auto_collection": false, "net_terms": 0}})
		Expect(sold.at("created_invoices[0].total")).To(Equal(rate + strings.Repeat("0", 25) + ".00"))
	})

	It("are shown in full of invoices, of subscriptions and of none, of costs and of their explanation", func() {
		bill := s.post("/v1/invoices", s.oneOff(buyer, object{"line_items": list{s.widgets("1e25", rate)}})).expect(201)
		Expect(bill.at("line_items[0].amount")).To(Equal(rate + strings.Repeat("0", 25) + ".00"))
		sub := s.subscribe(buyer, nil, s.calls(rate)).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "1e25")
		Expect(s.bills(sub)).To(Equal([]string{"2025-04-01 draft " + rate + strings.Repeat("0", 25) + ".00"}))
		s.get("/v1/subscriptions/" + sub + "/costs").expect(200)
		s.clock("2025-04-02T00:00:00Z")
		issued := s.invoices(sub).entry("data", 1)
		s.get("/v1/invoices/" + issued.text("id") + "/line_items/" + issued.text("line_items[0].id") + "/explanation").expect(200)
	})

	It("are shown in full of balances that add up", func() {
		path, most := "/v1/customers/"+buyer+"/balance_transactions", strings.Repeat("9", 30)
		for range 2 {
			s.post(path, object{"amount": most, "type": "increment"}).expect(200)
		}
		Expect(s.get("/v1/customers/" + buyer).expect(200).at("balance")).To(Equal("1" + strings.Repeat("9", 29) + "8.00"))
	})
})
