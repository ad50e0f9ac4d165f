package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// held writes the blocks of a customer that hold something, oldest first, as "amount of
// source at basis from day to day".
func (s fixture) held(customer, currency string) []string {
	GinkgoHelper()
	texts := []string{}
	all := s.get("/v1/customers/" + customer + "/credits?include_all_blocks=true&limit=100&currency=" + currency).expect(200)
	for k := len(all.list("data")) - 1; k >= 0; k-- {
		b := all.entry("data", k)
		if fmt.Sprint(b.at("balance")) == "0" {
			continue
		}
		until := "on"
		if b.at("expiry_date") != nil {
			until = "to " + b.text("expiry_date")
		}
		texts = append(texts, fmt.Sprintf("%s of %s at %v from %s %s", b.at("balance"), b.at("credit_block_source"), b.at("per_unit_cost_basis"), b.text("effective_date"), until))
	}
	return texts
}

var _ = Describe("Credits that paid an invoice, when that is void", func() {
	var s fixture
	var buyer, sub string
	// open subscribes a buyer to calls at 1.00 on 1 June, and to more.
	open := func(change object, more ...func() object) {
		GinkgoHelper()
		s = newFixture("2025-06-01T00:00:00Z")
		buyer = s.buyer(with(object{"currency": "USD"}, change))
		prices := []object{with(s.calls("1"), object{"name": "A"})}
		for _, price := range more {
			prices = append(prices, price())
		}
		sub = s.subscribe(buyer, nil, prices...).text("id")
	}
	give := func(change object) string {
		GinkgoHelper()
		return s.credits(buyer, with(object{"currency": "USD"}, change))
	}
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "USD") }
	held := func() []string { GinkgoHelper(); return s.held(buyer, "USD") }
	// voidOn makes the one invoice void that is issued and not paid.
	voidOn := func(now string) {
		GinkgoHelper()
		s.clock(now)
		unpaid := s.get("/v1/invoices?status[]=issued&subscription_id=" + sub).expect(200)
		Expect(unpaid.list("data")).To(HaveLen(1))
		s.post("/v1/invoices/"+unpaid.text("data[0].id")+"/void", nil).expect(200)
	}
	void := func() { GinkgoHelper(); voidOn("2025-07-10T15:00:00Z") }

	It("come back in a block that lasts as many days as the old one had left when it paid", func() {
		open(nil)
		filters := list{object{"field": "item_id", "operator": "includes", "values": list{s.item}}}
		block := give(object{"amount": 20, "expiry_date": "2025-06-10", "per_unit_cost_basis": "0.50", "filters": filters, "metadata": object{"deal": "7"}})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		void()
		Expect(ledger()).To(Equal([]string{
			"increment 20 committed: 20", "decrement 20 committed: 0", "amendment 20 committed: 20", "expiration_change 20 committed: 20",
		}))
		moved := s.get("/v1/customers/"+buyer+"/credits/ledger?currency=USD&limit=1").expect(200).entry("data", 0)
		moved.shows(object{"new_block_expiry_date": "2025-07-17T00:00:00+00:00", "credit_block.id": block})
		Expect(held()).To(Equal([]string{"20 of manual at 0.50 from 2025-07-10T00:00:00+00:00 to 2025-07-17T00:00:00+00:00"}))
		s.get("/v1/customers/" + buyer + "/credits?currency=USD").expect(200).shows(object{
			"data[0].filters[0].values[0]": s.item, "data[0].metadata.deal": "7", "data[0].effective_date": "2025-07-10T00:00:00+00:00",
		})
		s.use(buyer, "2025-07-10T14:00:00Z", "8")
		Expect(ledger()[4:]).To(Equal([]string{"decrement 8 pending: 12"}))
		s.clock("2025-07-17T00:00:00Z")
		Expect(ledger()[4:]).To(Equal([]string{"decrement 8 committed: 12", "credit_block_expiry 12 pending: 0"}))
		s.clock("2025-07-20T00:00:00Z")
		Expect(held()).To(BeEmpty())
	})

	It("come back in a block for each day and old block that paid, and to blocks that still last", func() {
		open(nil)
		give(object{"amount": 10, "expiry_date": "2025-06-05", "per_unit_cost_basis": "1"})
		give(object{"amount": 12, "expiry_date": "2025-06-10"})
		give(object{"amount": 10, "expiry_date": "2025-07-20"})
		give(object{"amount": 4})
		s.clock("2025-06-02T12:00:00Z")
		s.use(buyer, "2025-06-02T11:00:00Z", "7")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "6")
		s.clock("2025-06-08T12:00:00Z")
		s.use(buyer, "2025-06-08T11:00:00Z", "24")
		void()
		Expect(held()).To(Equal([]string{
			"10 of manual at <nil> from 2025-06-01T00:00:00+00:00 to 2025-07-20T00:00:00+00:00",
			"4 of manual at <nil> from 2025-06-01T00:00:00+00:00 on",
			"7 of manual at 1 from 2025-07-10T00:00:00+00:00 to 2025-07-13T00:00:00+00:00",
			"3 of manual at 1 from 2025-07-10T00:00:00+00:00 to 2025-07-12T00:00:00+00:00",
			"3 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-07-17T00:00:00+00:00",
			"9 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-07-12T00:00:00+00:00",
		}))
		Expect(ledger()[len(ledger())-1]).To(HaveSuffix(": 36"))
	})

	It("come back less what was given back as the invoice was issued", func() {
		open(nil, func() object { return s.fee("7.00") })
		s.collect(sub)
		give(object{"amount": 20, "expiry_date": "2025-06-10"})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "6", "14")
		s.clock("2025-06-12T00:00:00Z")
		s.put("/v1/events/e000001/deprecate", nil).expect(200)
		s.clock("2025-07-01T12:00:00Z")
		Expect(ledger()[2:]).To(Equal([]string{"amendment 6 committed: 6", "credit_block_expiry 6 committed: 0"}))
		void()
		Expect(held()).To(Equal([]string{"14 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-07-17T00:00:00+00:00"}))
	})

	It("count days, not hours, where clocks change", func() {
		open(object{"timezone": "America/New_York"}) // 2 November has 25 hours
		give(object{"amount": 20, "expiry_date": "2025-06-06"})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		voidOn("2025-10-31T12:00:00Z")
		Expect(held()).To(Equal([]string{"20 of manual at <nil> from 2025-10-31T04:00:00+00:00 to 2025-11-03T05:00:00+00:00"}))
	})

	It("come back of an allocation, in a block that is no grant", func() {
		s = newFixture("2025-06-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		plan := s.plan(object{"prices": list{
			object{"allocation_price": object{"amount": "20", "currency": "USD", "cadence": "monthly", "expires_at_end_of_cadence": true}},
			object{"price": s.calls("1")},
		}}).text("id")
		sub = s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		void()
		Expect(held()).To(Equal([]string{
			"20 of allocation at 0.00 from 2025-07-01T00:00:00+00:00 to 2025-08-01T00:00:00+00:00",
			"20 of allocation at 0.00 from 2025-07-10T00:00:00+00:00 to 2025-08-07T00:00:00+00:00",
		}))
	})

	It("pay before what another price charges for the old block's time", func() {
		open(nil, func() object { return with(s.calls("0.32"), object{"name": "B"}) })
		give(object{"amount": 20, "expiry_date": "2025-06-10"})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		s.clock("2025-06-12T00:00:00Z")
		intervals := s.get("/v1/subscriptions/" + sub).expect(200)
		at := 0
		if intervals.at("price_intervals[0].price.name") != "A" {
			at = 1
		}
		s.intervals(sub, edit(intervals.entry("price_intervals", at).text("id"), object{"end_date": "2025-06-12"})).expect(200)
		voidOn("2025-06-20T09:00:00Z")
		Expect(held()).To(Equal([]string{"12 of manual at <nil> from 2025-06-20T00:00:00+00:00 to 2025-06-27T00:00:00+00:00"}))
		Expect(ledger()[2:]).To(Equal([]string{
			"amendment 20 committed: 20", "decrement 8 committed: 12", "expiration_change 12 committed: 12",
		}))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-07-01 paid 0.00", "2025-08-01 draft 0.00"}))
	})

	It("come back while usage of the block's last day is still awaited", func() {
		open(nil)
		give(object{"amount": 20, "expiry_date": "2025-07-10"})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "12")
		s.credits(buyer, object{"amount": 1, "currency": "USD"})
		s.clock("2025-06-04T12:00:00Z")
		s.use(buyer, "2025-06-04T11:00:00Z", "8", "1", "3")
		voidOn("2025-07-10T06:00:00Z")
		Expect(held()).To(Equal([]string{
			"1 of manual at <nil> from 2025-06-03T00:00:00+00:00 on",
			"12 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-08-16T00:00:00+00:00",
			"8 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-08-15T00:00:00+00:00",
		}))
	})

	It("go on to the invoice that replaces it, and the rest comes back like that", func() {
		open(nil)
		give(object{"amount": 20, "expiry_date": "2025-06-10"})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "12")
		s.clock("2025-06-08T12:00:00Z")
		s.use(buyer, "2025-06-08T11:00:00Z", "15")
		s.clock("2025-07-10T15:00:00Z")
		Expect(s.bills(sub)[0]).To(Equal("2025-07-01 issued 7.00"))
		s.cancel(sub, asOf("2025-06-05")).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-05 paid 0.00"}))
		Expect(ledger()[1:]).To(Equal([]string{
			"decrement 12 committed: 8", "decrement 8 committed: 0", "amendment 8 committed: 8", "expiration_change 8 committed: 8",
		}))
		Expect(held()).To(Equal([]string{"8 of manual at <nil> from 2025-07-10T00:00:00+00:00 to 2025-07-12T00:00:00+00:00"}))
	})

	It("are void where their block was deleted", func() {
		open(nil)
		block := give(object{"amount": 20})
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		s.clock("2025-07-05T00:00:00Z")
		s.delete("/v1/credit_blocks/" + block).expect(204)
		void()
		Expect(ledger()[2:]).To(Equal([]string{"amendment 20 committed: 20", "void_initiated 20 committed: 20", "void 20 committed: 0"}))
	})

	It("tell of the balance once", func() {
		w := newAlertFixture(inCredits)
		w.credits(w.buyer, object{"amount": 20, "effective_date": "2025-03-01", "expiry_date": "2025-03-20"})
		w.uses("2025-03-10T08:00:00Z", "25")
		w.clock("2025-04-10T09:00:00Z")
		w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("10")})
		w.balanceAlert("credit_balance_recovered", nil)
		w.balanceAlert("credit_balance_depleted", nil)
		w.moved()
		march := w.invoices(w.subscription).entry("data", 1)
		march.shows(object{"status": "issued", "total": "5.00"})
		w.post("/v1/invoices/"+march.text("id")+"/void", nil).expect(200)
		Expect(w.moved()).To(Equal([]string{"recovered"}))
	})
})
