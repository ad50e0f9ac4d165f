package server_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// credits adds credits to a customer, and returns the id of their block.
func (s fixture) credits(customer string, change object) string {
	GinkgoHelper()
	return s.entry(customer, with(object{"entry_type": "increment", "amount": 100}, change)).text("credit_block.id")
}

// entry adds an entry to the ledger of a customer.
func (s fixture) entry(customer string, body object) value {
	GinkgoHelper()
	return s.post("/v1/customers/"+customer+"/credits/ledger_entry", body).expect(201)
}

// ledger writes the entries of a customer, oldest first, as "decrement 8 pending: 92".
func (s fixture) ledger(customer, currency string) (texts []string) {
	GinkgoHelper()
	all := s.get("/v1/customers/" + customer + "/credits/ledger?limit=100&currency=" + currency).expect(200)
	for k := len(all.list("data")) - 1; k >= 0; k-- {
		e := all.entry("data", k)
		texts = append(texts, fmt.Sprintf("%s %s %s: %s", e.at("entry_type"), e.at("amount"), e.at("entry_status"), e.at("ending_balance")))
	}
	return texts
}

// blocks writes what the blocks of a customer have left, oldest first.
func (s fixture) blocks(customer, currency string) (texts []string) {
	GinkgoHelper()
	all := s.get("/v1/customers/" + customer + "/credits?include_all_blocks=true&limit=100&currency=" + currency).expect(200)
	for k := len(all.list("data")) - 1; k >= 0; k-- {
		texts = append(texts, fmt.Sprint(all.entry("data", k).at("balance")))
	}
	return texts
}

// lineFrom is the line item of an invoice whose service begins on a day.
func (v value) lineFrom(day string) value {
	GinkgoHelper()
	for k := range v.list("line_items") {
		if l := v.entry("line_items", k); strings.HasPrefix(l.text("start_date"), day) {
			return l
		}
	}
	Fail("no line item begins on " + day)
	return value{}
}

// useIn is use for an event of a backfill.
func (s fixture) useIn(backfill, customer, at, n string) {
	GinkgoHelper()
	*s.sent++
	s.post("/v1/ingest?backfill_id="+backfill, fmt.Sprintf(
		`{"events":[{"idempotency_key":"e%06d","event_name":"call","customer_id":%q,"timestamp":%q,"properties":{"n":%s}}]}`, *s.sent, customer, at, n)).expect(200)
}

// each is a monthly usage price of one credit for each unit, which is worth five cents.
func (s fixture) each(change object) object {
	return with(with(s.calls("1"), object{"currency": "credits", "conversion_rate": json.Number("0.05")}), change)
}

var _ = Describe("Credits that pay for usage", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
	})
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "credits") }

	Describe("of several blocks", func() {
		var other string
		BeforeEach(func() {
			other = s.api.item("Storage")
			s.credits(buyer, object{"amount": 50, "expiry_date": "2025-03-31", "per_unit_cost_basis": "1.00"})
			s.credits(buyer, object{"amount": 50, "expiry_date": "2025-03-31", "per_unit_cost_basis": "0.00"})
			s.credits(buyer, nil)
			s.credits(buyer, object{"amount": 20, "filters": list{object{"field": "item_id", "operator": "includes", "values": list{s.item}}}})
		})

		It("CR-2: come in their order", func() {
			s.subscribe(buyer, nil, s.each(nil))
			s.use(buyer, "2025-03-10T08:00:00Z", "90")
			Expect(ledger()[4:]).To(Equal([]string{"decrement 20 pending: 200", "decrement 50 pending: 150", "decrement 20 pending: 130"}))
			Expect(s.blocks(buyer, "credits")).To(Equal([]string{"30", "0", "100", "0"}))
		})

		It("CR-3: leave out those for other items", func() {
			s.subscribe(buyer, nil, s.each(object{"item_id": other}))
			s.use(buyer, "2025-03-10T08:00:00Z", "60")
			Expect(ledger()[4:]).To(Equal([]string{"decrement 50 pending: 170", "decrement 10 pending: 160"}))
			Expect(s.blocks(buyer, "credits")).To(Equal([]string{"40", "0", "100", "20"}))
		})
	})

	It("CR-4: expire at local midnight", func() {
		angeleno := s.buyer(object{"currency": "USD", "timezone": "America/Los_Angeles"})
		s.credits(angeleno, object{"amount": 40, "expiry_date": "2025-05-02"})
		s.entry(angeleno, object{"entry_type": "decrement", "amount": json.Number("27.5")})
		s.clock("2025-05-02T06:59:59Z")
		Expect(s.ledger(angeleno, "credits")).To(HaveLen(2))
		s.clock("2025-05-02T07:00:00Z")
		Expect(s.ledger(angeleno, "credits")[2:]).To(Equal([]string{"credit_block_expiry 12.5 pending: 0"}))
		s.clock("2025-05-02T19:00:00Z")
		Expect(s.ledger(angeleno, "credits")[2:]).To(Equal([]string{"credit_block_expiry 12.5 committed: 0"}))
	})

	It("CR-6: are pending while usage may come", func() {
		s.credits(buyer, nil)
		s.subscribe(buyer, nil, s.each(nil))
		s.use(buyer, "2025-03-10T08:00:00Z", "8")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 pending: 92"}))
		s.clock("2025-03-11T06:00:00Z")
		s.use(buyer, "2025-03-10T23:00:00Z", "2")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 10 pending: 90"}))
		s.clock("2025-03-11T12:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 10 committed: 90"}))
	})

	It("CR-9: leave the overage to be converted", func() {
		s.credits(buyer, object{"amount": 800})
		sub := s.subscribe(buyer, nil, s.each(nil)).text("id")
		s.use(buyer, "2025-03-10T08:00:00Z", "1000")
		draft := s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200)
		draft.shows(object{"line_items[0].credits_applied": "800", "line_items[0].adjusted_subtotal": "1000", "total": "10.00"})
		s.clock("2025-04-01T12:00:00Z")
		issued := s.invoices(sub).entry("data", 1)
		issued.shows(object{"status": "issued", "line_items[0].credits_applied": "800", "line_items[0].amount": "10.00", "total": "10.00"})
	})

	It("CR-11: do not pay fees in advance", func() {
		s.credits(buyer, object{"amount": 300, "currency": "USD"})
		sub := s.subscribe(buyer, nil, s.fee("100.00"), s.calls("1")).text("id")
		s.use(buyer, "2025-03-10T08:00:00Z", "40")
		s.clock("2025-04-01T12:00:00Z")
		boundary := s.invoices(sub).entry("data", 1)
		fee, usage := boundary.lineFrom("2025-04-01"), boundary.lineFrom("2025-03-10")
		fee.shows(object{"credits_applied": "0.00", "amount": "100.00"})
		usage.shows(object{"credits_applied": "40.00", "amount": "0.00"})
		Expect(boundary.at("total")).To(Equal("100.00"))
	})

	Describe("of a day that is committed", func() {
		BeforeEach(func() {
			s.credits(buyer, nil)
			s.subscribe(buyer, nil, s.each(nil))
			s.use(buyer, "2025-03-10T08:00:00Z", "5", "3")
			s.clock("2025-03-12T09:00:00Z")
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92"}))
		})

		It("CR-12: are not drawn again; late usage is of the first day that is pending", func() {
			backfill := s.post("/v1/events/backfills", object{
				"timeframe_start": "2025-03-10T00:00:00Z", "timeframe_end": "2025-03-11T00:00:00Z", "replace_existing_events": false,
			}).expect(200).text("id")
			s.useIn(backfill, buyer, "2025-03-10T10:00:00Z", "5")
			s.post("/v1/events/backfills/"+backfill+"/close", nil).expect(200)
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92", "decrement 5 pending: 87"}))
			s.post("/v1/events/backfills/"+backfill+"/revert", nil).expect(200)
			s.clock("2025-03-12T09:00:00Z")
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92", "decrement 0 pending: 92"}))
		})

		It("CR-13: are given back as the invoice is issued", func() {
			s.put("/v1/events/e000002/deprecate", nil).expect(200)
			s.clock("2025-04-01T11:59:59Z")
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92"}))
			s.clock("2025-04-01T12:00:00Z")
			Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 92", "amendment 3 committed: 95"}))
		})
	})

	DescribeTable("pay for overage at the instant at which they are given back, whenever anybody looks", func(block object) {
		s.credits(buyer, with(object{"amount": 8}, block))
		first := s.subscribe(buyer, nil, s.each(nil)).text("id")
		s.subscribe(buyer, nil, s.each(nil))
		s.use(buyer, "2025-03-10T08:00:00Z", "5")
		s.use(buyer, "2025-03-10T08:30:00Z", "3")
		s.clock("2025-03-12T09:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 0"}))
		s.put("/v1/events/e000002/deprecate", nil).expect(200)
		s.post("/v1/subscriptions/"+first+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-03-20T09:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 0", "amendment 3 committed: 3", "decrement 3 committed: 0"}))
		entries := s.get("/v1/customers/" + buyer + "/credits/ledger").expect(200)
		Expect(entries.entry("data", 0).text("created_at")).To(Equal("2025-03-12T21:00:00+00:00"))
	},
		Entry("to a block in force", nil),
		Entry("to a block that expired after the day of the overage", object{"expiry_date": "2025-03-11"}),
	)

	It("CR-14: pay for the day before they expire, however late its usage comes", func() {
		s.credits(buyer, object{"amount": 40, "expiry_date": "2025-03-11"})
		s.subscribe(buyer, nil, s.each(nil))
		s.use(buyer, "2025-03-10T08:00:00Z", "20")
		s.clock("2025-03-11T00:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 20 pending: 20", "credit_block_expiry 20 pending: 0"}))
		s.clock("2025-03-11T06:00:00Z")
		s.use(buyer, "2025-03-10T23:00:00Z", "2")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 22 pending: 18", "credit_block_expiry 18 pending: 0"}))
		s.clock("2025-03-11T12:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 22 committed: 18", "credit_block_expiry 18 committed: 0"}))
	})

	It("pay for usage of the very instant at which a subscription begins", func() {
		s.clock("2025-03-11T00:00:00Z")
		s.credits(buyer, object{"amount": 100})
		s.subscribe(buyer, nil, s.each(nil))
		s.use(buyer, "2025-03-11T00:00:00Z", "8")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 pending: 92"}))
	})

	It("pay on the invoice that bills a price which ends amid its period, for days that are committed too", func() {
		s.credits(buyer, object{"amount": 10})
		after := s.subscribe(buyer, nil, s.each(object{"name": "Each"}), s.fee("5.00"))
		sub, each := after.text("id"), after.entry("price_intervals", 0)
		Expect(each.at("price.name")).To(Equal("Each"))
		s.use(buyer, "2025-03-10T08:00:00Z", "8")
		s.clock("2025-03-14T09:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 2"}))
		s.intervals(sub, object{"edit": list{object{"price_interval_id": each.text("id"), "end_date": "2025-03-12"}}}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 committed: 2"}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-10 issued 3.55", "2025-03-12 paid 0.00", "2025-04-01 issued 5.00", "2025-05-01 draft 5.00"}))
	})

	It("come back with an invoice that is void", func() {
		s.credits(buyer, object{"amount": 5, "currency": "USD"})
		sub := s.subscribe(buyer, nil, s.calls("1")).text("id")
		s.use(buyer, "2025-03-10T08:00:00Z", "8")
		s.clock("2025-04-01T12:00:00Z")
		bill := s.invoices(sub).entry("data", 1)
		bill.shows(object{"total": "3.00", "line_items[0].credits_applied": "5.00"})
		void := s.post("/v1/invoices/"+bill.text("id")+"/void", nil).expect(200)
		void.shows(object{"total": "3.00", "line_items[0].credits_applied": "5.00"})
		Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 5 committed: 0", "amendment 5 committed: 5"}))
	})

	It("follow local days where clocks change, to the end of the month", func() {
		s := newFixture("2025-03-08T12:00:00Z")
		local := s.buyer(object{"currency": "USD", "timezone": "America/New_York"})
		s.credits(local, object{"amount": 10, "expiry_date": "2025-03-10"}) // the day before has 23 hours
		sub := s.subscribe(local, nil, s.each(nil)).text("id")
		s.clock("2025-03-10T03:59:59Z")
		s.use(local, "2025-03-10T03:59:59Z", "4")
		Expect(s.ledger(local, "credits")[1:]).To(Equal([]string{"decrement 4 pending: 6"}))
		s.clock("2025-03-10T04:00:00Z")
		s.use(local, "2025-03-10T04:00:00Z", "3")
		Expect(s.ledger(local, "credits")[1:]).To(Equal([]string{"decrement 4 pending: 6", "credit_block_expiry 6 pending: 0"}))
		s.clock("2025-03-10T16:00:00Z")
		Expect(s.ledger(local, "credits")[1:]).To(Equal([]string{"decrement 4 committed: 6", "credit_block_expiry 6 committed: 0"}))

		s.clock("2025-04-01T12:00:00Z")
		s.credits(local, object{"amount": 5, "effective_date": "2025-03-31"})
		s.use(local, "2025-04-01T03:59:59Z", "1")
		s.use(local, "2025-04-01T04:00:00Z", "1")
		Expect(s.ledger(local, "credits")[3:]).To(Equal([]string{"increment 5 committed: 5", "decrement 1 pending: 4", "decrement 1 pending: 3"}))
		s.clock("2025-04-01T16:00:00Z")
		s.invoices(sub).entry("data", 1).shows(object{"status": "issued", "line_items[0].credits_applied": "5", "line_items[0].adjusted_subtotal": "8", "total": "0.15"})
		Expect(s.ledger(local, "credits")[3:]).To(Equal([]string{"increment 5 committed: 5", "decrement 1 committed: 4", "decrement 1 pending: 3"}))
	})
})
