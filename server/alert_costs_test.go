package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// sends sends calls with a property project, each written "project n".
func (w alertFixture) sends(calls ...string) {
	GinkgoHelper()
	events := list{}
	for _, call := range calls {
		var project, n string
		_, err := fmt.Sscan(call, &project, &n)
		Expect(err).NotTo(HaveOccurred())
		properties := object{"n": json.Number(n)}
		if project != "-" {
			properties["project"] = project
		}
		if project == "7" {
			properties["project"] = json.Number("7.0")
		}
		*w.sent++
		events = append(events, object{
			"idempotency_key": fmt.Sprintf("e%06d", *w.sent), "event_name": "call", "customer_id": w.buyer,
			"timestamp": "2025-03-10T08:00:00Z", "properties": properties,
		})
	}
	w.post("/v1/ingest", object{"events": events}).expect(200)
	w.catchUp()
}

func feeAndCalls(s fixture) []object { return []object{s.fee("20.00"), s.calls("1.00")} }

// leastOfUsage is a minimum of the usage prices.
func leastOfUsage(amount string) object {
	return off("minimum", "minimum_amount", amount, object{"filters": list{filter("price_type", "includes", "usage")}})
}

var _ = Describe("Alerts of costs", func() {
	It("count fees of the period and minimums, after discounts", func() {
		w := newAlertFixture(feeAndCalls, leastOfUsage("30.00"))
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("50", "60", "100")})
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 50.00 by 50.00"}))
		w.uses("2025-03-10T08:00:00Z", "25")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "15.50")
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 60.00 by 60.50"}))
	})

	It("A-3: count what partial invoices have billed already", func() {
		w := newAlertFixture(calls1)
		w.put("/v1/subscriptions/"+w.subscription, object{"invoicing_threshold": "10.00"}).expect(200)
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("25")})
		for range 2 {
			w.uses("2025-03-10T08:00:00Z", "10")
			w.clock("2025-03-10T09:00:00Z")
			Expect(w.reached()).To(BeEmpty())
		}
		Expect(w.bills(w.subscription)).To(HaveExactElements("2025-03-10 issued 10.00", "2025-03-10 issued 10.00", "2025-04-01 draft 0.00"))
		w.uses("2025-03-10T08:00:00Z", "5")
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 25.00 by 25.00"}))
	})

	It("fire anew in the next billing period, as soon as it begins", func() {
		w := newAlertFixture(func(s fixture) []object { return []object{s.fee("20.00")} })
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("20")})
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 20.00 by 20.00"}))
		w.clock("2025-03-31T23:59:59Z")
		Expect(w.reached()).To(BeEmpty())
		w.clock("2025-04-01T00:00:00Z")
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{"created_at": "2025-04-01T00:00:00+00:00", "properties.timeframe_start": "2025-04-01T00:00:00+00:00"})
	})

	It("see what a change of the subscription costs", func() {
		w := newAlertFixture(func(s fixture) []object { return []object{s.fee("20.00")} })
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("30")})
		Expect(w.reached()).To(BeEmpty())
		price := w.get("/v1/subscriptions/" + w.subscription).expect(200).text("price_intervals[0].price.id")
		w.post("/v1/subscriptions/"+w.subscription+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": 3, "change_option": "immediate"}).expect(200)
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 30.00 by 48.39"}))
	})

	It("look at nothing before the start, and at the start at what it costs", func() {
		w := newAlertFixture(func(s fixture) []object { return []object{s.fee("20.00")} })
		w.post("/v1/alerts/plan_id/"+w.plan, object{"type": "cost_exceeded", "thresholds": thresholds("7.50")}).expect(201)
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 7.50 by 20.00"}))
		later := w.post("/v1/subscriptions", object{"customer_id": w.buyer, "plan_id": w.plan, "start_date": "2025-03-20"}).expect(201).text("id")
		Expect(w.reached()).To(BeEmpty())
		w.clock("2025-03-20T00:00:00Z")
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{"subscription.id": later, "properties.evaluated_amount": "7.74"}) // twelve days of March
	})

	It("convert what prices in a custom unit come to, or look at it alone", func() {
		inCredits := func(s fixture) []object {
			return []object{with(s.calls("1"), object{"currency": "credits", "conversion_rate": json.Number("0.05")})}
		}
		w := newAlertFixture(inCredits)
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("10")})
		w.alert(object{"type": "spend_exceeded", "thresholds": thresholds("150"), "currency": "credits"})
		w.uses("2025-03-10T08:00:00Z", "200")
		Expect(w.reached()).To(ConsistOf("cost_exceeded: 10.00 by 10.00", "spend_exceeded: 150 by 200"))
	})
})

var _ = Describe("Alerts of spend", func() {
	It("look at what the filtered prices were rated at, before discounts and minimums", func() {
		w := newAlertFixture(feeAndCalls, leastOfUsage("90.00"))
		w.alert(object{"type": "spend_exceeded", "currency": "USD", "thresholds": thresholds("30"), "price_filters": list{filter("price_type", "includes", "usage")}})
		w.alert(object{"type": "spend_exceeded", "currency": "USD", "thresholds": thresholds("45")})
		w.uses("2025-03-10T08:00:00Z", "24")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "6")
		Expect(w.reached()).To(ConsistOf("spend_exceeded: 30.00 by 30.00", "spend_exceeded: 45.00 by 50.00"))
	})
})

var _ = Describe("Alerts of costs by group", func() {
	byProject := func(more object) object {
		return with(object{"type": "cost_exceeded", "currency": "USD", "grouping_keys": list{"project"}, "thresholds": thresholds("10")}, more)
	}
	// groups is what messages told, as "project threshold by amount".
	groups := func(messages []value) (texts []string) {
		for _, m := range messages {
			Expect(m.at("type")).To(Equal("subscription.grouped_cost_exceeded"))
			for k := range m.list("properties.groups") {
				g := m.entry("properties.groups", k)
				texts = append(texts, fmt.Sprintf("%s %s by %s", g.at("group_values[0]"), g.at("amount_threshold"), g.at("evaluated_amount")))
			}
		}
		return texts
	}

	It("A-7: tell all groups that crossed in one message, by their own thresholds", func() {
		w := newAlertFixture(calls1)
		w.alert(byProject(object{"threshold_overrides": list{
			object{"group_values": list{"p1"}, "thresholds": thresholds("100")}, object{"group_values": list{"p2"}, "thresholds": list{}},
		}}))
		w.sends("p1 40", "p2 400", "p3 11")
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		Expect(groups(messages)).To(Equal([]string{"p3 10.00 by 11.00"}))
		messages[0].shows(object{
			"properties.grouping_keys[0]": "project", "subscription.id": w.subscription, "subscription.status": "active", "subscription.plan.id": w.plan,
			"properties.alert_configuration.threshold_overrides[0].group_keys[0]":       "project",
			"properties.alert_configuration.threshold_overrides[0].thresholds[0].value": "100",
		})
		Expect(messages[0].has("subscription.price_intervals")).To(BeFalse())
		w.sends("p1 60", "p4 12", "p5 10")
		messages = w.warned()
		Expect(messages).To(HaveLen(1))
		Expect(groups(messages)).To(Equal([]string{"p1 100.00 by 100.00", "p4 10.00 by 12.00", "p5 10.00 by 10.00"}))
	})

	It("leave out events without the property, and compare values as text", func() {
		w := newAlertFixture(calls1)
		w.alert(byProject(object{"threshold_overrides": list{object{"group_values": list{"7"}, "thresholds": thresholds("20")}}}))
		w.sends("- 400", "7 15")
		Expect(w.warned()).To(BeEmpty())
		w.sends("7 5")
		Expect(groups(w.warned())).To(Equal([]string{"7 20.00 by 20.00"}))
	})

	It("rate each group alone", func() {
		w := newAlertFixture(func(s fixture) []object {
			tiers := list{object{"first_unit": 0, "last_unit": 10, "unit_amount": "2.00"}, object{"first_unit": 10, "unit_amount": "0.10"}}
			tiered := with(s.calls("1.00"), object{"model_type": "tiered", "tiered_config": object{"tiers": tiers}})
			delete(tiered, "unit_config")
			return []object{tiered, s.fee("900.00")}
		})
		w.alert(byProject(nil))
		w.sends("p1 11", "p2 4", "p3 5")
		Expect(groups(w.warned())).To(Equal([]string{"p1 10.00 by 20.10", "p3 10.00 by 10.00"}))
	})

	It("rate each group by what its model looks at", func() {
		w := newAlertFixture(func(s fixture) []object {
			matrix := with(s.calls("1.00"), object{"model_type": "matrix", "matrix_config": object{
				"default_unit_amount": "1.00", "dimensions": list{"region"}, "matrix_values": list{object{"dimension_values": list{"eu"}, "unit_amount": "3.00"}},
			}})
			delete(matrix, "unit_config")
			return []object{matrix}
		})
		w.alert(byProject(nil))
		events := list{}
		for k, properties := range []object{{"project": "p1", "region": "eu", "n": 3}, {"project": "p1", "region": "us", "n": 2}, {"project": "p2", "n": 9}} {
			events = append(events, object{"idempotency_key": fmt.Sprint("m", k), "event_name": "call", "customer_id": w.buyer, "timestamp": "2025-03-10T08:00:00Z", "properties": properties})
		}
		w.post("/v1/ingest", object{"events": events}).expect(200)
		Expect(groups(w.warned())).To(Equal([]string{"p1 10.00 by 11.00"}))
	})

	It("look only at the filtered prices", func() {
		w := newAlertFixture(func(s fixture) []object {
			return []object{s.calls("1.00"), with(s.calls("5.00"), object{"name": "More"})}
		})
		cheap := w.get("/v1/subscriptions/" + w.subscription).expect(200).text("price_intervals[0].price.id")
		w.alert(byProject(object{"price_filters": list{filter("price_id", "includes", cheap)}}))
		w.sends("p1 9")
		Expect(w.warned()).To(BeEmpty())
		w.sends("p1 1")
		Expect(groups(w.warned())).To(Equal([]string{"p1 10.00 by 10.00"}))
	})

	It("are off when there are too many groups", func() {
		w := newAlertFixture(calls1)
		made := w.alert(byProject(nil))
		w.catchUp()
		w.sends("0 1") // makes the partition of the month
		w.tx(func(tx *store.Tx) error {
			return tx.Exec(`WITH many AS (INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
				SELECT ?, 'many' || k, 'call', 'c:' || ?, ?, jsonb_build_object('n', 1, 'project', k::text), ?, event_number() + k
				FROM generate_series(1, 10000) AS k RETURNING account_id, idempotency_key, seq)
				INSERT INTO event_keys SELECT (SELECT max(part) FROM event_key_parts), * FROM many`, tx.AccountID, w.buyer, instant("2025-03-10T08:00:00Z"), tx.Now).Error
		})
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{
			"type": "subscription.alert_disabled", "properties.reason": "system_cardinality_limit", "properties.cardinality": json.Number("10001"),
			"properties.cardinality_limit": json.Number("10000"), "properties.alert_configuration.enabled": false, "subscription.id": w.subscription,
		})
		w.get("/v1/alerts/" + made.text("id")).expect(200).shows(object{"enabled": false})
	})
})
