package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// Each adjustment meets each event of a period that several documents bill. The documents charge together what
// the adjustment leaves of the whole amount (price models 6.7). The whole amount is what the same history charges
// without an adjustment.
//
// A run takes a tenth of the table, which its seed chooses; SPEC_PAIRS=all takes it all.

// pairPrices are the prices of the table. Each of them has usage, or a fee that another fee can be added to.
var pairPrices = []struct {
	name    string
	usage   int  // prices of usage
	advance int  // fees in advance
	arrears bool // a fee in arrears
	inParts bool // a quarter that is invoiced by months; else a month
}{
	{name: "one price in parts", usage: 1, inParts: true},
	{name: "two prices in parts", usage: 2, inParts: true},
	{name: "a price in parts and a fee at the end", usage: 1, arrears: true, inParts: true},
	{name: "one price", usage: 1},
	{name: "two prices", usage: 2},
	{name: "a fee in arrears and usage", usage: 1, arrears: true},
	{name: "a fee in advance", advance: 1},
	{name: "two fees in advance", advance: 2},
	{name: "a fee in advance and usage", usage: 1, advance: 1},
	{name: "fees in both modes and usage", usage: 1, advance: 1, arrears: true},
}

// pairEvents are what happens in the period.
var pairEvents = []string{"nothing", "threshold", "more seats", "fewer seats", "fee added", "fee ended", "cancellation", "cancellation taken back", "usage removed"}

// pairAdjustments are the adjustments, each with what it makes of a sum for a part of a full billing period.
var pairAdjustments = []struct {
	name  string
	body  object
	makes func(sum, f money.Decimal) money.Decimal
}{
	{"a minimum that is not reached", object{"adjustment_type": "minimum", "minimum_amount": "900.00"}, atLeast("900")},
	{"a minimum that is reached", object{"adjustment_type": "minimum", "minimum_amount": "30.00"}, atLeast("30")},
	{"a maximum that is reached", object{"adjustment_type": "maximum", "maximum_amount": "60.00"}, atMost("60")},
	{"a maximum that is not reached", object{"adjustment_type": "maximum", "maximum_amount": "5000.00"}, atMost("5000")},
	{"a discount of an amount", object{"adjustment_type": "amount_discount", "amount_discount": "45.00"}, lessAmount("45")},
	{"a discount of more than there is", object{"adjustment_type": "amount_discount", "amount_discount": "4500.00"}, lessAmount("4500")},
	{"a percentage", object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.5")}, func(sum, _ money.Decimal) money.Decimal { return sum.Mul(money.Must("0.5")) }},
	{"tiers", object{"adjustment_type": "tiered_percentage_discount", "tiers": list{
		object{"lower_bound": 0, "upper_bound": 40, "percentage": json.Number("0")},
		object{"lower_bound": 40, "upper_bound": nil, "percentage": json.Number("0.5")},
	}}, func(sum, _ money.Decimal) money.Decimal {
		return sum.Sub(money.Max(sum.Sub(money.Must("40")), money.Decimal{}).Mul(money.Must("0.5")))
	}},
}

func atLeast(amount string) func(sum, f money.Decimal) money.Decimal {
	return func(sum, f money.Decimal) money.Decimal { return money.Max(sum, money.Must(amount).Mul(f).Round(2)) }
}

func atMost(amount string) func(sum, f money.Decimal) money.Decimal {
	return func(sum, f money.Decimal) money.Decimal { return money.Min(sum, money.Must(amount).Mul(f).Round(2)) }
}

func lessAmount(amount string) func(sum, f money.Decimal) money.Decimal {
	return func(sum, f money.Decimal) money.Decimal {
		return sum.Sub(money.Min(sum, money.Must(amount).Mul(f).Round(2)))
	}
}

var _ = Describe("Each adjustment with each event of a period", func() {
	// play lives through the period and returns what all documents come to.
	play := func(prices int, event string, adjustment object) money.Decimal {
		GinkgoHelper()
		p := pairPrices[prices]
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{"currency": "USD"})
		cycle := object{}
		if p.inParts {
			cycle = object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
		}
		var bodies []object
		for k := range p.usage {
			price := with(s.calls("1.00"), with(cycle, object{"name": fmt.Sprint("Usage ", k)}))
			if k == 1 {
				price["unit_config"] = object{"unit_amount": "0.50"}
			}
			bodies = append(bodies, price)
		}
		for k := range p.advance {
			bodies = append(bodies, with(s.fee("20.00"), object{"name": fmt.Sprint("Fee ", k), "fixed_price_quantity": 2}))
		}
		if p.arrears {
			late := with(s.fee("30.00"), object{"name": "Late", "billed_in_advance": false})
			if p.inParts {
				late["cadence"] = "quarterly"
			}
			bodies = append(bodies, late)
		}
		terms := object{}
		if adjustment != nil {
			body := with(adjustment, object{"applies_to_all": true})
			if body["adjustment_type"] == "minimum" {
				body["item_id"] = s.item
			}
			terms["add_adjustments"] = list{object{"adjustment": body}}
		}
		if event == "threshold" {
			terms["invoicing_threshold"] = "25.00"
		}
		made := s.subscribe(acme, terms, bodies...)
		sub := made.text("id")
		interval := func(name string) (id, price string) {
			for k := range made.list("price_intervals") {
				if v := made.entry("price_intervals", k); v.at("price.name") == name {
					return v.text("id"), v.text("price.id")
				}
			}
			return "", ""
		}
		s.clock("2025-01-10T00:00:00Z")
		s.use(acme, "2025-01-10T00:00:00Z", "40")
		s.clock("2025-01-10T00:00:00Z") // a threshold is compared
		s.clock("2025-01-16T00:00:00Z")
		switch event {
		case "more seats", "fewer seats":
			quantity := map[string]int{"more seats": 5, "fewer seats": 1}[event]
			_, price := interval("Fee 0")
			s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": quantity, "change_option": "immediate"}).expect(200)
		case "fee added":
			s.post("/v1/subscriptions/"+sub+"/price_intervals", adding(object{
				"start_date": "2025-01-16", "price": with(s.fee("31.00"), with(cycle, object{"name": "Added", "currency": "USD", "billed_in_advance": p.advance > 0})),
			})).expect(200)
		case "fee ended":
			id, _ := interval("Late")
			s.post("/v1/subscriptions/"+sub+"/price_intervals", edit(id, object{"end_date": "2025-01-16"})).expect(200)
		case "cancellation", "cancellation taken back":
			s.cancel(sub, object{"cancel_option": "requested_date", "cancellation_date": "2025-01-21"}).expect(200)
			if event == "cancellation taken back" {
				s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", object{}).expect(200)
			}
		}
		end := "2025-02-01"
		if p.inParts {
			for month, n := range []string{"24", "6"} {
				at := fmt.Sprintf("2025-%02d-10T00:00:00Z", month+2)
				if event == "cancellation" {
					break
				}
				s.clock(at)
				s.use(acme, at, n)
				s.clock(at)
			}
			end = "2025-04-01"
		}
		if event == "usage removed" { // before the last invoice of the period is issued
			at := "2025-01-20T00:00:00Z"
			if p.inParts {
				at = "2025-03-20T00:00:00Z"
			}
			s.clock(at)
			s.use(acme, at, "-12")
		}
		s.clock(end + "T13:00:00Z")
		var sum money.Decimal
		for k := range s.invoices(sub).list("data") {
			inv := s.invoices(sub).entry("data", k)
			if status := inv.text("status"); status == "draft" || status == "void" {
				continue
			}
			for n := range inv.list("line_items") {
				l := inv.entry("line_items", n)
				if l.text("start_date") < end { // not the fees of the next period
					sum = sum.Add(money.Must(l.text("amount")))
				}
			}
			for n := range inv.list("credit_notes") {
				if note := inv.entry("credit_notes", n); note.at("voided_at") == nil {
					sum = sum.Sub(money.Must(note.text("total")))
				}
			}
		}
		return sum
	}

	// applies reports whether the event can happen to the prices.
	applies := func(prices int, event string) bool {
		p := pairPrices[prices]
		switch event {
		case "threshold", "usage removed":
			return p.usage > 0
		case "more seats", "fewer seats":
			return p.advance > 0
		case "fee ended":
			return p.arrears
		}
		return true
	}

	It("charges in all documents what one document for the period would charge", func() {
		var pairs, differ []string
		number, turn := 0, GinkgoRandomSeed()%10
		for prices := range pairPrices {
			for _, event := range pairEvents {
				if !applies(prices, event) {
					continue
				}
				var without *money.Decimal
				for _, a := range pairAdjustments {
					number++
					if os.Getenv("SPEC_PAIRS") != "all" && int64(number)%10 != turn {
						continue
					}
					if without == nil {
						sum := play(prices, event, nil)
						without = &sum
					}
					days := map[bool]string{true: "90", false: "31"}[pairPrices[prices].inParts]
					f := money.FromInt(1)
					if event == "cancellation" {
						f = money.FromInt(20).Quo(money.Must(days))
					}
					want, cents := a.makes(*without, f), money.FromInt(1) // that roundings may make
					if p := pairPrices[prices]; event == "cancellation" && p.usage == 0 && !p.arrears {
						// Each fee is given back by days for good (price models 6.7.16).
						want, cents = a.makes(without.Quo(f).Round(2), money.FromInt(1)).Mul(f), money.FromInt(int64(1+p.advance))
					}
					name := strings.Join([]string{pairPrices[prices].name, event, a.name}, ", ")
					pairs = append(pairs, name)
					got := play(prices, event, a.body)
					if off := got.Sub(want).Abs(); off.Mul(money.FromInt(100)).Cmp(cents) > 0 {
						differ = append(differ, fmt.Sprintf("%s: %s, expected %s of %s", name, got.StringFixed(2), want.StringFixed(2), without.StringFixed(2)))
					}
				}
			}
		}
		slices.Sort(pairs)
		AddReportEntry("pairs", fmt.Sprintf("%d of %d", len(pairs), number))
		Expect(pairs).NotTo(BeEmpty())
		Expect(differ).To(BeEmpty())
	})
})
