package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// simulate asks for a simulation of a plan.
func (s fixture) simulate(plan string, body object) value {
	GinkgoHelper()
	return s.post("/v1/plans/"+plan+"/simulate?limit=100", body).expect(200)
}

var _ = Describe("POST /v1/plans/{plan_id}/simulate", func() {
	// billed is what the invoices of a subscription charge before credits, as "name start: subtotal total", and the sum.
	billed := func(s fixture, sub string, now time.Time) (all map[string]string, sum money.Decimal) {
		GinkgoHelper()
		invoices := s.invoices(sub)
		all = map[string]string{}
		for k := range invoices.list("data") {
			inv := invoices.entry("data", k)
			for n := range inv.list("line_items") {
				l := inv.entry("line_items", n)
				if instant(l.text("start_date")).After(now) { // charged in advance
					continue
				}
				name := l.text("name") + " " + l.text("start_date")
				Expect(all).NotTo(HaveKey(name))
				all[name] = decimal(l.at("subtotal")) + " " + decimal(l.at("adjusted_subtotal"))
				sum = sum.Add(money.Must(l.text("amount"))).Add(money.Must(l.text("credits_applied")))
			}
		}
		return all, sum
	}
	// simulated is the same of one side of the only subscription of a simulation.
	simulated := func(answer value, side string) (all map[string]string, sum money.Decimal) {
		GinkgoHelper()
		Expect(answer.list("data")).To(HaveLen(1))
		of := answer.entry("data", 0)
		all = map[string]string{}
		for k := range of.list("periods") {
			p := of.entry("periods", k)
			cost := value{p.asked, p.at(side)}
			for n := range cost.list("per_price_costs") {
				c := cost.entry("per_price_costs", n)
				all[c.text("name")+" "+p.text("timeframe_start")] = decimal(c.at("subtotal")) + " " + decimal(c.at("total"))
			}
			sum = sum.Add(money.Must(cost.text("total")))
		}
		Expect(decimal(answer.entry("totals", 0).at(side + ".total"))).To(Equal(sum.String()))
		return all, sum
	}

	models := map[string]func(s fixture) object{
		"unit": func(s fixture) object { return s.calls("0.37") },
		"tiered": func(s fixture) object {
			return with(s.calls("1"), object{"unit_config": absent, "model_type": "tiered", "tiered_config": object{"tiers": list{
				object{"first_unit": 0, "last_unit": 40, "unit_amount": "0.333"}, object{"first_unit": 40, "unit_amount": "0.0777"}}}})
		},
		"bulk": func(s fixture) object {
			return with(s.calls("1"), object{"unit_config": absent, "model_type": "bulk", "bulk_config": object{"tiers": list{
				object{"maximum_units": 60, "unit_amount": "0.21"}, object{"unit_amount": "0.13"}}}})
		},
		"package": func(s fixture) object {
			return with(s.calls("1"), object{"unit_config": absent, "model_type": "package", "package_config": object{"package_amount": "2.50", "package_size": 7}})
		},
	}
	minimum := func(s fixture) object {
		return object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "25.00", "applies_to_all": true, "item_id": s.item}}
	}
	percentage := func(fixture) object {
		return object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": 0.15, "applies_to_all": true}}
	}

	// The days are those of two months that begin at a month end, with the change to summer time in them.
	DescribeTable("equals the invoices to the cent, with the terms it has and with those of another customer",
		func(zone, before, after string, adjustments ...func(fixture) object) {
			for seed := range uint64(2) {
				random := rand.New(rand.NewPCG(seed, 21))
				offset := map[string]string{"UTC": "Z", "Europe/Berlin": "+01:00"}[zone]
				s := start().account("test").newFixture("2025-01-31T00:00:00" + offset)
				entries := list{}
				for _, adjustment := range adjustments {
					entries = append(entries, adjustment(s))
				}
				old, now := models[before](s), models[after](s)
				made := s.plan(object{"adjustments": entries}, with(s.fee("12.34"), object{"name": "Fee"}), old)
				plan := made.text("id")
				acme, twin := s.buyer(object{"timezone": zone, "currency": "USD"}), s.buyer(object{"timezone": zone})
				s.credits(acme, object{"currency": "USD", "amount": 11})
				sub := s.on(plan, acme, object{"start_date": "2025-01-31"})
				second := s.version(plan, 2, replacing(made.text("prices[1].id"), now))
				other := s.on(plan, twin, object{"start_date": "2025-01-31", "plan_version_number": 2})
				at := instant("2025-01-31T12:00:00Z")
				for at.Before(instant("2025-04-20T00:00:00Z")) {
					at = at.Add(time.Duration(24*(1+random.IntN(12))) * time.Hour)
					n := fmt.Sprint(random.IntN(60))
					s.clock(at.Format(time.RFC3339))
					s.use(acme, at.Add(-time.Hour).Format(time.RFC3339), n)
					s.use(twin, at.Add(-time.Hour).Format(time.RFC3339), n)
				}
				has, hasSum := billed(s, sub, at)
				would, wouldSum := billed(s, other, at)
				Expect(len(has)).To(BeNumerically(">=", 6))
				days := object{"start_date": "2025-01-31", "end_date": "2025-05-01", "customer_id": acme}
				for _, asked := range []object{
					with(days, object{"plan_version_number": 2}), days, // not the default one yet
					with(days, replacing(second.text("prices[1].id"), now)), // of the highest one
				} {
					answer := s.simulate(plan, asked)
					of, sum := simulated(answer, "present")
					Expect(sum.String()).To(Equal(hasSum.String()), "seed %d, %v", seed, asked)
					Expect(of).To(Equal(has))
					of, sum = simulated(answer, "simulated")
					if asked["plan_version_number"] == nil && asked["replace_prices"] == nil {
						Expect(of).To(Equal(has))
						continue
					}
					Expect(sum.String()).To(Equal(wouldSum.String()), "seed %d, %v", seed, asked)
					Expect(of).To(Equal(would))
				}
			}
		},
		Entry("tiers for units", "UTC", "unit", "tiered"),
		Entry("units for tiers, over a clock change, with a minimum", "Europe/Berlin", "tiered", "unit", minimum),
		Entry("packages for volumes, with a discount", "UTC", "bulk", "package", percentage),
		Entry("volumes for packages, over a clock change, with both", "Europe/Berlin", "package", "bulk", percentage, minimum),
	)

	It("prices all customers of the plan, a page at a time, and stores nothing", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		made := s.plan(object{}, s.calls("1.00"))
		plan, other := made.text("id"), s.plan(object{"name": "Other"}, s.calls("9.00")).text("id")
		for k := range 3 {
			buyer := s.buyer(object{"name": fmt.Sprint("Customer ", k)})
			s.on(plan, buyer, object{"start_date": "2025-03-01"})
			s.clock("2025-03-01T12:00:00Z")
			s.use(buyer, "2025-03-01T11:00:00Z", fmt.Sprint(10*(k+1)))
		}
		s.on(other, s.buyer(nil), nil)
		body := with(replacing(made.text("prices[0].id"), s.calls("2.00")), object{"start_date": "2025-03-01", "end_date": "2025-04-01"})
		stored := s.rows()
		all := s.simulate(plan, body)
		Expect(all.list("data")).To(HaveLen(3))
		all.shows(object{"totals[0].currency": "USD", "totals[0].present.total": "60.00", "totals[0].simulated.total": "120.00"})
		Expect(all.at("data[0].periods[0].simulated.per_price_costs[0].price_id")).To(BeNil())
		Expect(all.text("data[0].periods[0].present.per_price_costs[0].price_id")).To(Equal(made.text("prices[0].id")))
		Expect(s.rows()).To(Equal(stored))

		var names []any
		next := ""
		for {
			page := s.post("/v1/plans/"+plan+"/simulate?limit=2&cursor="+url.QueryEscape(next), body).expect(200)
			for k := range page.list("data") {
				names = append(names, page.entry("data", k).text("customer_name"))
			}
			if page.at("pagination_metadata.has_more") != true {
				break
			}
			next = page.text("pagination_metadata.next_cursor")
		}
		Expect(names).To(Equal([]any{"Customer 2", "Customer 1", "Customer 0"}))
	})

	It("adds and leaves out prices, and keeps what is the subscription's own", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		made := s.plan(object{}, with(s.fee("5.00"), object{"name": "Seats", "fixed_price_quantity": 2}), s.calls("1.00"))
		plan, seats, calls := made.text("id"), made.text("prices[0].id"), made.text("prices[1].id")
		sub := s.on(plan, s.buyer(nil), nil)
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": seats, "quantity": 3}).expect(200)
		days := object{"start_date": "2025-03-01", "end_date": "2025-04-01"}
		dearer := s.simulate(plan, with(days, replacing(seats, with(s.fee("7.00"), object{"name": "Seats", "fixed_price_quantity": 2}))))
		dearer.shows(object{"totals[0].present.total": "15.00", "totals[0].simulated.total": "21.00"})
		without := s.simulate(plan, with(days, object{
			"remove_prices": list{object{"price_id": calls}}, "add_prices": list{object{"price": with(s.fee("4.00"), object{"name": "Support"})}},
		}))
		without.shows(object{"totals[0].simulated.total": "19.00"})
		Expect(without.at("data[0].periods[0].simulated.per_price_costs")).To(HaveLen(2))
	})

	It("follows a subscription that changed its version amid the period as if it had always had the other", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		made := s.plan(object{}, s.calls("1.00"))
		plan, buyer := made.text("id"), s.buyer(nil)
		s.on(plan, buyer, nil)
		second := s.version(plan, 2, replacing(made.text("prices[0].id"), s.calls("2.00")))
		s.version(plan, 3, replacing(second.text("prices[0].id"), with(s.calls("1"), object{
			"unit_config": absent, "model_type": "package", "package_config": object{"package_amount": "10.00", "package_size": 100},
		})))
		s.clock("2025-03-10T00:00:00Z")
		s.use(buyer, "2025-03-09T23:00:00Z", "10")
		s.migrate(plan, 2, "")
		s.clock("2025-03-20T00:00:00Z")
		s.use(buyer, "2025-03-19T23:00:00Z", "20")
		days := object{"start_date": "2025-03-01", "end_date": "2025-04-01"}
		s.simulate(plan, with(days, object{"plan_version_number": 3})).shows(object{"totals[0].present.total": "50.00", "totals[0].simulated.total": "10.00"})
		s.simulate(plan, with(days, object{"plan_version_number": 1})).shows(object{"totals[0].simulated.total": "30.00"})
	})

	It("refuses what is not there, and more than it may ask", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(object{}, s.calls("1.00")).text("id")
		body := object{"start_date": "2025-03-01", "end_date": "2025-04-01"}
		path := "/v1/plans/" + plan + "/simulate"
		bad := func(change object, field string) {
			GinkgoHelper()
			refused := s.post(path, with(body, change)).expect(400)
			if found := refused.list("validation_errors"); len(found) > 0 {
				Expect(found[0]).To(HavePrefix(field))
			} else {
				Expect(refused.text("detail")).To(HavePrefix(field))
			}
		}
		bad(object{"end_date": "2025-03-01"}, "end_date: ")
		bad(object{"end_date": "2025-06-10"}, "end_date: ")
		bad(object{"start_date": "2025-02-30"}, "start_date: ")
		bad(object{"customer_id": "a", "external_customer_id": "b"}, "customer_id: ")
		bad(object{"plan_version_number": 7}, "plan_version_number: ")
		bad(object{"plan_version_number": 1, "remove_prices": list{object{"price_id": "x"}}}, "plan_version_number: ")
		bad(object{"remove_prices": list{object{"price_id": "x"}}}, "remove_prices[0]")
		s.post(path, with(body, object{"customer_id": "none"})).expect(404)

		other := s.account("test").newFixture("2025-03-01T00:00:00Z")
		theirs := other.plan(object{}, other.calls("1.00"))
		stranger := other.buyer(nil)
		other.on(theirs.text("id"), stranger, nil)
		s.post("/v1/plans/"+theirs.text("id")+"/simulate", body).expect(404)
		s.post(path, with(body, object{"customer_id": stranger})).expect(404)
		Expect(s.simulate(plan, body).list("data")).To(BeEmpty())
	})
})
