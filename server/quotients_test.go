package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// Three calls of 40 seconds are two minutes, and not a digit more (semantics 4.2.4).
var _ = Describe("A metric that divides", func() {
	const minutes = "SELECT SUM(n / 60) FROM events WHERE event_name = 'call'"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		s.metric = s.api.metric(minutes)
		buyer = s.buyer(object{"currency": "USD"})
	})
	// seconds sends calls of one hour, so that a bucket adds them up.
	seconds := func(numbers ...string) {
		GinkgoHelper()
		s.use(buyer, "2025-03-10T08:00:00Z", numbers...)
	}
	// regions sends calls of so many seconds, each of another region.
	regions := func(numbers ...int) {
		GinkgoHelper()
		sent := list{}
		for k, n := range numbers {
			sent = append(sent, object{
				"idempotency_key": fmt.Sprint("r", k), "event_name": "call", "customer_id": buyer, "timestamp": "2025-03-10T08:00:00Z",
				"properties": object{"n": n, "region": []string{"eu", "us", "asia"}[k]},
			})
		}
		s.post("/v1/ingest", object{"events": sent}).expect(200)
	}

	DescribeTable("gives models a quantity without an error of division",
		func(model string, config object, cost string) {
			sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, modeled(s.calls("1"), model, config)).text("id")
			seconds("40", "40", "40")
			Expect(s.cost(sub)).To(Equal(cost))
			s.clock("2025-04-01T00:00:00Z")
			Expect(s.bills(sub)[0]).To(HaveSuffix(" " + cost))
			line := s.invoices(sub).entry("data", 1).entry("line_items", 0)
			line.shows(object{"quantity": number("2"), "amount": cost})
		},
		Entry("of packages", "package", object{"package_amount": "1.00", "package_size": 1}, "2.00"),
		Entry("of bulk", "bulk", object{"tiers": list{object{"maximum_units": 2, "unit_amount": "1.00"}, object{"unit_amount": "5.00"}}}, "2.00"),
		Entry("of total amounts", "threshold_total_amount", object{"consumption_table": list{
			object{"threshold": "0", "total_amount": "1.00"}, object{"threshold": "2", "total_amount": "50.00"},
		}}, "1.00"),
		Entry("of tiers with minimums", "tiered_with_minimum", object{"tiers": list{
			object{"tier_lower_bound": "0", "unit_amount": "0", "minimum_amount": "1.00"},
			object{"tier_lower_bound": "2", "unit_amount": "0", "minimum_amount": "99.00"},
		}}, "1.00"),
	)

	It("leaves nothing of units that are free", func() {
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01", "add_adjustments": list{object{"adjustment": off("usage_discount", "usage_discount", 2, object{"applies_to_all": true})}}},
			modeled(s.calls("1"), "package", object{"package_amount": "9.00", "package_size": 1})).text("id")
		seconds("40", "40", "40")
		Expect(s.cost(sub)).To(Equal("0.00"))
		seconds("1")
		Expect(s.cost(sub)).To(Equal("9.00"))
	})

	It("adds groups up before it rounds", func() {
		bulk := modeled(s.calls("1"), "cumulative_grouped_bulk", object{"group": "region", "dimension_values": list{
			object{"grouping_key": "eu", "tier_lower_bound": "0", "unit_amount": "1.00"}, object{"grouping_key": "eu", "tier_lower_bound": "2", "unit_amount": "3.00"},
			object{"grouping_key": "us", "tier_lower_bound": "0", "unit_amount": "1.00"}, object{"grouping_key": "us", "tier_lower_bound": "2", "unit_amount": "3.00"},
			object{"grouping_key": "asia", "tier_lower_bound": "0", "unit_amount": "1.00"}, object{"grouping_key": "asia", "tier_lower_bound": "2", "unit_amount": "3.00"},
		}})
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, bulk).text("id")
		regions(20, 20, 80) // 1/3, 1/3 and 4/3: the sum of the rounded ones is below 2
		Expect(s.cost(sub)).To(Equal("6.00"))
		s.clock("2025-04-01T00:00:00Z")
		s.invoices(sub).entry("data", 1).entry("line_items", 0).shows(object{"quantity": number("2")})
	})

	It("does so with groups that an invoice shows, and with averages", func() {
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, with(modeled(s.calls("1"), "package",
			object{"package_amount": "1.00", "package_size": 1}), object{"invoice_grouping_key": "region"})).text("id")
		regions(40, 40, 40)
		Expect(s.cost(sub)).To(Equal("2.00"))
		s.metric = s.api.metric("SELECT AVG(n) * 3 FROM events WHERE event_name = 'call'")
		other := s.buyer(object{"currency": "USD"})
		average := s.subscribe(other, object{"start_date": "2025-03-01"}, modeled(s.calls("1"), "package",
			object{"package_amount": "1.00", "package_size": 1})).text("id")
		s.use(other, "2025-03-10T08:00:00Z", "1", "0", "1") // three times 2/3
		Expect(s.cost(average)).To(Equal("2.00"))
	})

	It("empties a balance of credits to the last one", func() {
		w := newAlertFixture(func(s fixture) []object {
			hours := s.api.metric("SELECT SUM(n / 3600) FROM events WHERE event_name = 'call'")
			return []object{with(s.calls("100"), object{"billable_metric_id": hours, "currency": "credits", "conversion_rate": 1})}
		})
		hours := w.get("/v1/subscriptions/" + w.subscription).expect(200).text("price_intervals[0].price.billable_metric.id")
		w.credits(w.buyer, object{"amount": 100})
		w.post("/v1/alerts/customer_id/"+w.buyer, object{"type": "credit_balance_depleted", "currency": "credits"}).expect(201)
		w.alert(object{"type": "usage_exceeded", "metric_id": hours, "thresholds": thresholds("1")})
		w.uses("2025-03-10T08:00:00Z", "700", "700", "700", "700", "800") // an hour: each is a fraction that does not end
		Expect(w.blocks(w.buyer, "credits")).To(Equal([]string{"0"}))
		types := []string{}
		for _, m := range w.warned() {
			types = append(types, m.text("type"))
		}
		Expect(types).To(ConsistOf("customer.credit_balance_depleted", "subscription.usage_exceeded"))
	})

	It("triggers a top-up at 0", func() {
		s.metric = s.api.metric("SELECT SUM(n / 3600) FROM events WHERE event_name = 'call'")
		s.credits(buyer, object{"amount": 100})
		s.subscribe(buyer, object{"start_date": "2025-03-01"}, with(s.calls("100"), object{"currency": "credits", "conversion_rate": 1}))
		s.post("/v1/customers/"+buyer+"/credits/top_ups", object{
			"currency": "credits", "threshold": "0", "amount": "20", "per_unit_cost_basis": "1.00",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}).expect(201)
		seconds("700", "700", "700", "700", "800")
		s.catchUp()
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0", "20"}))
	})

	It("is aggregated again where its buckets have quotients of fewer digits", func() {
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, modeled(s.calls("1"), "package", object{"package_amount": "1.00", "package_size": 1})).text("id")
		seconds("40", "40", "40")
		s.clock("2025-03-10T13:00:00Z")
		Expect(s.cost(sub)).To(Equal("2.00")) // and there are buckets of the hour and of six hours
		old := func(table string) {
			s.tx(func(tx *store.Tx) error {
				done := tx.Exec(`UPDATE `+table+` SET totals = array_replace(totals, totals[array_upper(totals, 1)], 2.00000000000000000001)
					WHERE account_id = ? AND totals[array_upper(totals, 1)] > 1.9 AND totals[array_upper(totals, 1)] < 2.1`, tx.AccountID)
				Expect(done.RowsAffected).To(BeNumerically("==", 1), table)
				return done.Error
			})
		}
		old("usage_buckets")
		old("usage_buckets_6h")
		s.tx(func(tx *store.Tx) error {
			return tx.Exec("UPDATE usage_series SET quotient_places = DEFAULT WHERE account_id = ?", tx.AccountID).Error
		})
		Expect(lastTotal(string(s.send("GET", "/v1/subscriptions/"+sub+"/costs?view_mode=cumulative", nil).text))).To(Equal("2.00")) // from events
		s.settle()
		Expect(s.cost(sub)).To(Equal("2.00")) // from buckets that were made again
	})
})
