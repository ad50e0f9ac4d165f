package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("Verifying documents by the independent reference model", func() {
	var s fixture
	verified := func() worker.Verification {
		GinkgoHelper()
		v, err := worker.Verify(s.ctx, s.store, store.AccountID(s.ctx))
		Expect(err).NotTo(HaveOccurred())
		return v
	}
	told := func(v worker.Verification) (all []string) {
		for _, f := range v.Findings {
			all = append(all, f.Wrong)
		}
		return all
	}

	// carried are values that the properties of events have: those that configurations name,
	// and others.
	carried := map[string]list{
		"source": {"api", "web"}, "region": {"<eu>", "eu", "us"}, "tier": {"hot", "cold"}, "cluster": {"c1", "c2", 7}, "user": {"ann", "bob"},
		"colour": {"blue", "green"}, "shape": {"circle", "triangle"}, "site": {"s1", "s2", true}, "table": {"t1", "t2"},
		"kind": {"write", "download", "snapshot"}, "speed": {"fast", "slow"}, "model": {"gpt-s", "gpt-l"}, "hour": {"1", "2", 3},
		"gpu": {"h100", "a10"}, "zone": {"eu", "us"}, "job": {"j1", "j2"}, "channel": {"sms", "push"}, "project": {"p1", "p2", "p3"},
		"size": {"large", "small"}, "day": {"monday", "tuesday"}, "price": {1.5, "1.50", "2", "none"}, "order": {"o1", "o2"},
	}
	// send uses with random values of all properties, now and then without one.
	send := func(random *rand.Rand, buyer, at string, events int) {
		GinkgoHelper()
		sent := list{}
		for range events {
			*s.sent++
			properties := object{"n": json.Number(fmt.Sprintf("%d.%02d", random.IntN(400)-20, random.IntN(100)))}
			for _, name := range slices.Sorted(maps.Keys(carried)) {
				if k := random.IntN(len(carried[name]) * 5); k < len(carried[name])*4 {
					properties[name] = carried[name][k%len(carried[name])]
				}
			}
			sent = append(sent, object{
				"idempotency_key": fmt.Sprintf("r%06d", *s.sent), "event_name": "call", "customer_id": buyer, "timestamp": at, "properties": properties,
			})
		}
		s.post("/v1/ingest", object{"events": sent}).expect(200)
	}
	// priced is a price of that model.
	priced := func(model string, change object) object {
		GinkgoHelper()
		var config object
		Expect(json.Unmarshal(configs[model], &config)).To(Succeed())
		if model == "event_output" {
			config["default_unit_rate"] = "0.5"
		}
		body := with(s.calls("0"), object{"name": model, "model_type": model, "unit_config": absent, model + "_config": config})
		if model == "percent" || model == "minimum_composite" {
			delete(body, "billable_metric_id")
		}
		return with(body, change)
	}

	It("agrees on prices of all 35 models, over months cut short, a clock change and shared adjustments", func() {
		s = newFixture("2025-03-10T00:00:00Z")
		random := rand.New(rand.NewPCG(1, 2))
		buyer := s.buyer(object{"currency": "USD", "timezone": "America/New_York"})
		var prices []object
		for _, model := range domaintest.PriceModels() {
			prices = append(prices, priced(model, nil))
		}
		prices = append(prices, s.fee("100.00"), with(s.fee("70.01"), object{"name": "In arrears", "billed_in_advance": false}))
		adjustments := list{}
		for _, a := range []object{
			{"adjustment_type": "percentage_discount", "percentage_discount": 0.15, "applies_to_all": true},
			{"adjustment_type": "amount_discount", "amount_discount": "33.33", "price_type": "usage"},
			{"adjustment_type": "maximum", "maximum_amount": "100000.00", "applies_to_all": true},
		} {
			adjustments = append(adjustments, object{"adjustment": a})
		}
		sub := s.subscribe(buyer, object{"add_adjustments": adjustments}, prices...).text("id")
		send(random, buyer, "2025-03-10T00:00:00Z", 60)
		s.clock("2025-03-25T00:00:00Z")
		send(random, buyer, "2025-03-25T00:00:00Z", 60)
		s.clock("2025-04-05T00:00:00Z")
		send(random, buyer, "2025-04-05T00:00:00Z", 60)
		s.clock("2025-04-20T00:00:00Z")
		s.cancel(sub, object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-05-05T00:00:00Z")

		v := verified()
		Expect(told(v)).To(BeEmpty())
		Expect(v.LeftOut).To(BeEmpty())
		Expect(v.Invoices).To(BeNumerically(">=", 3))
		Expect(v.Referred).To(Equal(v.Invoices))
	})

	It("keeps the cent that three prorated minimums come to together", func() {
		s = newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		// 96 days, of which 41 are served: 445.60 each is 190.308333..., and 570.925 in all
		minimum := with(s.calls("0"), object{"model_type": "grouped_with_prorated_minimum", "unit_config": absent, "cadence": "custom",
			"billing_cycle_configuration":          object{"duration": 96, "duration_unit": "day"},
			"grouped_with_prorated_minimum_config": object{"grouping_key": "n", "minimum": "445.60", "unit_rate": "1"}})
		sub := s.subscribe(buyer, nil, minimum).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "1", "2", "3")
		s.clock("2025-02-11T00:00:00Z")
		s.cancel(sub, object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-02-12T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElement(HaveSuffix(" 570.93")))
		Expect(verified().Referred).To(BeNumerically(">", 0))
	})

	// billed is a fixture with an issued invoice of 9.5 calls at 0.50.
	billed := func(api *api, sql string) {
		GinkgoHelper()
		s = api.newFixture("2025-01-01T00:00:00Z")
		if sql != "" {
			s.metric = s.api.metric(sql)
		}
		buyer := s.buyer(object{"currency": "USD"})
		s.subscribe(buyer, nil, s.calls("0.50"))
		s.use(buyer, "2025-01-01T00:00:00Z", "7", "2.5")
		s.clock("2025-02-01T12:00:00Z")
	}

	It("finds what the code that bills does wrong, where working it out again by that code finds nothing", func() {
		api := startAlone()
		s = fixture{api: api}
		// a bug in how metrics read numbers, before anything is billed
		s.owner(`CREATE OR REPLACE FUNCTION metric_number(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
			RETURN CASE WHEN jsonb_typeof(v) = 'number' THEN v::numeric + 1 END`)
		billed(api, "")
		*s.spoiled = true
		v := verified()
		Expect(v.Recomputed).To(Equal(v.Invoices))
		Expect(v.Findings).NotTo(BeEmpty())
		for _, wrong := range told(v) {
			Expect(wrong).To(HaveSuffix("by the reference model"))
		}
		Expect(told(v)).To(ContainElements(
			HaveSuffix("the quantity is 11.5, and 9.5 by the reference model"), HaveSuffix("the subtotal is 5.75, and 4.75 by the reference model"),
			HaveSuffix("the amount is 5.75, and 4.75 by the reference model")))
	})

	DescribeTable("finds what was changed behind its back",
		func(wrong, statement string) {
			billed(start(), "")
			Expect(told(verified())).To(BeEmpty())
			*s.spoiled = true
			s.owner(strings.ReplaceAll(statement, "ours", "account_id = '"+store.AccountID(s.ctx)+"'"))
			Expect(told(verified())).To(ContainElement(HaveSuffix(wrong)))
		},
		Entry("a whole line and its invoice, so that they add up", "the subtotal is 5.75, and 4.75 by the reference model", `
			ALTER TABLE invoice_lines DISABLE TRIGGER USER; ALTER TABLE invoices DISABLE TRIGGER USER;
			UPDATE invoice_lines SET quantity = 11.5, exact = 5.75, subtotal = 5.75, adjusted_subtotal = 5.75, amount = 5.75, parts = '[]' WHERE ours;
			UPDATE invoices SET subtotal = 5.75, total = 5.75, amount_due = 5.75 WHERE ours AND status = 'issued';
			ALTER TABLE invoice_lines ENABLE TRIGGER USER; ALTER TABLE invoices ENABLE TRIGGER USER`),
		Entry("the configuration of the price", "the subtotal is 4.75, and 5.7 by the reference model",
			`ALTER TABLE prices DISABLE TRIGGER USER; UPDATE prices SET config = '{"unit_amount": "0.60"}' WHERE ours; ALTER TABLE prices ENABLE TRIGGER USER`),
		Entry("the metric", "the quantity is 9.5, and 2 by the reference model",
			`ALTER TABLE metrics DISABLE TRIGGER USER; UPDATE metrics SET sql = 'SELECT COUNT(*) FROM events' WHERE ours; ALTER TABLE metrics ENABLE TRIGGER USER`),
		Entry("an event", "the quantity is 9.5, and 10.5 by the reference model", `UPDATE events SET properties = '{"n": 8}' WHERE ours AND properties = '{"n": 7}'`),
	)

	It("counts what it does not cover, with the reason", func() {
		billed(start(), "SELECT SUM(ROUND(n, -1)) FROM events")
		v := verified()
		Expect(v.Findings).To(BeEmpty())
		Expect(v.Referred).To(Equal(v.Invoices - 1))
		Expect(v.LeftOut).To(Equal(map[string]int{"ROUND to -1/1 places: the reference model does not cover it": 1}))
	})
})
