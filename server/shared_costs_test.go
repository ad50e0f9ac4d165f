package server_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// A minimum, a maximum or a discount over several prices works once for each invoice, on
// the lines that are on it. Costs follow the invoices: those of the days of a line add up
// to the line, whatever the cycles of the prices.
var _ = Describe("The costs of prices that share an adjustment", func() {
	shared := func(s fixture, kind object) object {
		kind = with(kind, object{"applies_to_all": true})
		if kind["adjustment_type"] == "minimum" {
			kind["item_id"] = s.item
		}
		return object{"add_adjustments": list{object{"adjustment": kind}}}
	}
	minimum := object{"adjustment_type": "minimum", "minimum_amount": "100.00"}
	quarterly := object{"name": "Quarterly", "cadence": "quarterly"}
	inArrears := object{"name": "Quarterly fee", "cadence": "quarterly", "billed_in_advance": false}
	monthly := object{"name": "Monthly"}
	toDate := object{"name": "Annual", "cadence": "annual", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}

	// spent are the periodic costs of a subscription, by the day and the name of the price.
	spent := func(s fixture, sub, from, to string) map[string]map[string]money.Decimal {
		GinkgoHelper()
		all := s.get("/v1/subscriptions/" + sub + "/costs?view_mode=periodic&timeframe_start=" + from + "&timeframe_end=" + to).expect(200)
		days := map[string]map[string]money.Decimal{}
		for k := range all.list("data") {
			day := all.entry("data", k)
			of := map[string]money.Decimal{}
			for n := range day.list("per_price_costs") {
				price := day.entry("per_price_costs", n)
				of[price.text("price.name")] = of[price.text("price.name")].Add(money.Must(price.text("total")))
			}
			Expect(money.Must(day.text("total")).Sign()).To(BeNumerically(">=", 0), "%s: no day costs less than nothing", day.text("timeframe_start"))
			days[day.text("timeframe_start")[:10]] = of
		}
		return days
	}

	// addUp fails the spec unless the costs of the days of each line add up to it.
	addUp := func(s fixture, sub string, days map[string]map[string]money.Decimal) (checked int) {
		GinkgoHelper()
		all := s.invoices(sub)
		for k := range all.list("data") {
			inv := all.entry("data", k)
			for n := range inv.list("line_items") {
				l := inv.entry("line_items", n)
				var sum money.Decimal
				for day, of := range days {
					if day >= l.text("start_date")[:10] && day < l.text("end_date")[:10] {
						sum = sum.Add(of[l.text("name")])
					}
				}
				Expect(sum.String()).To(Equal(decimal(l.at("adjusted_subtotal"))), fmt.Sprint(l.at("name"), " ", l.at("start_date"), " on ", inv.at("invoice_date")))
				checked++
			}
		}
		return checked
	}

	It("tell the invoices of one date apart, of which the first has the discount", func() {
		s := newFixture("2025-03-01T09:00:00Z")
		discount := object{"adjustment_type": "amount_discount", "amount_discount": "15.00"}
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, shared(s, discount), with(s.fee("20.00"), object{"name": "First"})).text("id")
		other := s.subscribe(buyer, shared(s, discount), with(s.fee("20.00"), object{"name": "Other"})).text("id")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{"add": list{object{
			"start_date": "2025-03-01", "price": with(s.fee("40.00"), object{"name": "Second", "currency": "USD"}),
		}}}).expect(200)
		Expect(s.bills(sub)).To(ConsistOf("2025-03-01 issued 5.00", "2025-03-01 issued 40.00", "2025-04-01 draft 45.00"))
		days := spent(s, sub, "2025-03-01", "2025-03-02")
		Expect(days["2025-03-01"]["First"].String()).To(Equal("5"))
		Expect(days["2025-03-01"]["Second"].String()).To(Equal("40"))
		Expect(spent(s, other, "2025-03-01", "2025-03-02")["2025-03-01"]["Other"].String()).To(Equal("5"))
		s.clock("2025-04-01T09:00:00Z") // the next one is one again
		april := spent(s, sub, "2025-04-01", "2025-04-02")["2025-04-01"]
		Expect(april["First"].Add(april["Second"]).String()).To(Equal("45"))
	})

	It("do not fall in the second month of a quarterly price beside a monthly one", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(nil)
		sub := s.subscribe(acme, with(shared(s, minimum), object{"end_date": "2025-04-01"}), with(s.calls("1.00"), monthly), with(s.calls("1.00"), quarterly)).text("id")
		s.clock("2025-01-20T00:00:00Z")
		s.use(acme, "2025-01-20T00:00:00Z", "10")
		s.clock("2025-04-02T00:00:00Z")
		// each invoice has a monthly line; that of April the quarterly one too
		Expect(s.linesOf(sub)).To(ConsistOf(
			"Monthly 2025-01-01 to 2025-02-01: 100.00", "Monthly 2025-02-01 to 2025-03-01: 100.00",
			"Monthly 2025-03-01 to 2025-04-01: 0.00", "Quarterly 2025-01-01 to 2025-04-01: 100.00"))
		Expect(addUp(s, sub, spent(s, sub, "2025-01-01", "2025-04-01"))).To(Equal(4))
	})

	zones := map[string]string{"UTC": "Z", "Europe/Berlin": "+01:00"}
	DescribeTable("add up to the lines of the invoices",
		func(zone string, kind object, changes ...object) {
			for seed := range uint64(3) {
				random := rand.New(rand.NewPCG(seed, 6))
				s := start().account("test").newFixture("2025-01-31T00:00:00" + zones[zone])
				acme := s.buyer(object{"timezone": zone})
				prices := []object{with(s.calls("1.00"), monthly), with(s.fee("20.00"), object{"name": "Fee"})}
				for _, change := range changes {
					if change["billed_in_advance"] != nil {
						prices = append(prices, with(s.fee("45.00"), change))
					} else {
						prices = append(prices, with(s.calls("0.50"), change))
					}
				}
				made := s.subscribe(acme, with(shared(s, kind), object{"end_date": "2025-07-31"}), prices...)
				sub, now := made.text("id"), instant("2025-01-31T12:00:00Z")
				for now.Before(instant("2025-07-30T00:00:00Z")) {
					now = now.Add(time.Duration(24*(1+random.IntN(25))) * time.Hour)
					if now.Before(instant("2025-07-30T00:00:00Z")) {
						s.clock(now.Format(time.RFC3339))
						s.use(acme, now.Add(-time.Hour).Format(time.RFC3339), fmt.Sprint(random.IntN(90)))
					}
				}
				s.clock("2025-08-02T00:00:00Z")
				days := spent(s, sub, "2025-01-31", "2025-07-31")
				Expect(addUp(s, sub, days)).To(BeNumerically(">=", 13), "seed %d", seed)
			}
		},
		Entry("a minimum of a quarterly price", "UTC", minimum, quarterly),
		Entry("a minimum, over two clock changes", "Europe/Berlin", minimum, quarterly, inArrears),
		Entry("a maximum", "UTC", object{"adjustment_type": "maximum", "maximum_amount": "60.00"}, quarterly, inArrears),
		Entry("a discount of an amount", "UTC", object{"adjustment_type": "amount_discount", "amount_discount": "30.00"}, quarterly, inArrears),
		Entry("a minimum of a price charged to date", "UTC", minimum, toDate),
		Entry("a minimum of such a price, over two clock changes", "Europe/Berlin", minimum, toDate, quarterly),
		Entry("a maximum of such a price", "UTC", object{"adjustment_type": "maximum", "maximum_amount": "60.00"}, toDate, inArrears),
		Entry("a discount of such a price", "UTC", object{"adjustment_type": "amount_discount", "amount_discount": "30.00"}, toDate),
		Entry("a percentage", "UTC", object{"adjustment_type": "percentage_discount", "percentage_discount": 0.3}, quarterly, inArrears),
	)
})
