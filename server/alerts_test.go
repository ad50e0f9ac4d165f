package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// alertFixture has one customer with a subscription, and a webhook endpoint that gets all messages.
type alertFixture struct {
	fixture
	buyer, plan, subscription string
}

// newAlertFixture subscribes the buyer to prices from 1 March 2025 on. It is the 10th.
func newAlertFixture(prices func(s fixture) []object, adjustments ...object) alertFixture {
	GinkgoHelper()
	s := newFixture("2025-03-10T09:00:00Z")
	buyer := s.buyer(object{"external_customer_id": "acme"})
	added := list{}
	for _, a := range adjustments {
		added = append(added, object{"adjustment": with(a, object{"item_id": s.item})})
	}
	made := s.subscribe(buyer, object{"start_date": "2025-03-01", "add_adjustments": added}, prices(s)...)
	s.listens()
	return alertFixture{s, buyer, made.text("plan.id"), made.text("id")}
}

// calls1 is one price of 1.00 for each call.
func calls1(s fixture) []object { return []object{s.calls("1.00")} }

// alert makes an alert of the subscription.
func (w alertFixture) alert(body object) value {
	GinkgoHelper()
	return w.post("/v1/alerts/subscription_id/"+w.subscription, body).expect(201)
}

// usageAlert makes one of the calls.
func (w alertFixture) usageAlert(numbers ...json.Number) value {
	GinkgoHelper()
	return w.alert(object{"type": "usage_exceeded", "metric_id": w.metric, "thresholds": thresholds(numbers...)})
}

func thresholds(numbers ...json.Number) list {
	all := list{}
	for _, n := range numbers {
		all = append(all, object{"value": n})
	}
	return all
}

// uses sends an event for each number, and lets everything that follows from them happen.
func (w alertFixture) uses(at string, numbers ...string) {
	GinkgoHelper()
	w.use(w.buyer, at, numbers...)
	w.catchUp()
}

// catchUp does what requests brought about: the clock is told the time that it has.
func (a *api) catchUp() {
	GinkgoHelper()
	a.clock(a.get("/v1/test_clock").expect(200).text("now"))
}

// warned is the news of alerts, once all is done that requests brought about.
func (a *api) warned() (messages []value) {
	GinkgoHelper()
	a.catchUp()
	for _, m := range a.news() {
		if m.has("properties.alert_configuration") {
			messages = append(messages, m)
		}
	}
	return messages
}

// reached writes those messages as "type: threshold by value".
func (a *api) reached() []string {
	GinkgoHelper()
	texts := []string{}
	for _, m := range a.warned() {
		p := "properties."
		threshold, value := p+"amount_threshold", p+"evaluated_amount"
		if m.has(p + "quantity_threshold") {
			threshold, value = p+"quantity_threshold", p+"evaluated_quantity"
		}
		texts = append(texts, fmt.Sprintf("%s: %s by %s", m.text("type")[len("subscription."):], m.at(threshold), m.at(value)))
	}
	return texts
}

var _ = Describe("Alerts of usage", func() {
	It("A-1: fire at each threshold once in a billing period", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100", "500")
		w.uses("2025-03-10T08:00:00Z", "80")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "40")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 120"}))
		w.uses("2025-03-10T08:00:00Z", "10")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "470")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 500 by 600"}))
		w.clock("2025-04-05T00:00:00Z")
		w.uses("2025-04-04T23:00:00Z", "150")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 150"}))
	})

	It("A-2: tell the greatest of several thresholds that are reached at once", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100", "500")
		w.uses("2025-03-10T08:00:00Z", "300", "400")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 500 by 700"}))
	})

	It("do not fire again when usage falls and rises again", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100", "500")
		w.uses("2025-03-10T08:00:00Z", "120")
		Expect(w.reached()).To(HaveLen(1))
		w.uses("2025-03-10T08:00:00Z", "-50")
		w.uses("2025-03-10T08:00:00Z", "60")
		Expect(w.reached()).To(BeEmpty())
	})

	It("tell whose usage of which metric reached what, and when", func() {
		w := newAlertFixture(calls1)
		made := w.usageAlert("100")
		w.uses("2025-03-10T08:00:00Z", "100")
		message := w.warned()[0]
		message.shows(object{
			"type": "subscription.usage_exceeded", "created_at": "2025-03-10T09:00:00+00:00",
			"subscription.id": w.subscription, "subscription.customer.id": w.buyer,
			"properties.billable_metric_id":                       w.metric,
			"properties.alert_configuration.id":                   made.at("id"),
			"properties.alert_configuration.thresholds[0].value":  "100",
			"properties.quantity_threshold":                       json.Number("100"),
			"properties.evaluated_quantity":                       json.Number("100"),
			"properties.timeframe_start":                          "2025-03-01T00:00:00+00:00",
			"properties.timeframe_end":                            "2025-04-01T00:00:00+00:00",
			"properties.alert_configuration.balance_alert_status": nil,
			"properties.alert_configuration.subscription.id":      w.subscription,
			"properties.alert_configuration.metric.id":            w.metric,
			"properties.alert_configuration.plan":                 nil,
			"properties.alert_configuration.customer":             nil,
			"properties.alert_configuration.threshold_overrides":  nil,
		})
	})

	It("look at the closed and the running period during the grace period", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100")
		w.clock("2025-04-01T06:00:00Z")
		w.uses("2025-04-01T05:00:00Z", "101")
		w.uses("2025-03-31T20:00:00Z", "102")
		messages := w.warned()
		Expect(messages).To(HaveLen(2))
		messages[0].shows(object{"properties.evaluated_quantity": json.Number("101"), "properties.timeframe_start": "2025-04-01T00:00:00+00:00"})
		messages[1].shows(object{"properties.evaluated_quantity": json.Number("102"), "properties.timeframe_start": "2025-03-01T00:00:00+00:00"})
	})

	It("see backfills and amended events", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100", "200", "300")
		w.uses("2025-03-10T08:00:00Z", "90")
		w.put("/v1/events/e000001", object{"event_name": "call", "customer_id": w.buyer, "timestamp": "2025-03-10T08:00:00Z", "properties": object{"n": 110}}).expect(200)
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 110"}))
		backfill := w.post("/v1/events/backfills", object{
			"timeframe_start": "2025-03-05T00:00:00Z", "timeframe_end": "2025-03-06T00:00:00Z", "replace_existing_events": false,
		}).expect(200).text("id")
		w.post("/v1/ingest?backfill_id="+backfill, object{"events": list{object{
			"idempotency_key": "b1", "event_name": "call", "external_customer_id": "acme", "timestamp": "2025-03-05T01:00:00Z", "properties": object{"n": 100},
		}}}).expect(200)
		Expect(w.reached()).To(BeEmpty())
		w.post("/v1/events/backfills/"+backfill+"/close", nil).expect(200)
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 200 by 210"}))
	})

	It("go on after a plan change while a price is charged by the metric, counting from zero", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100")
		w.uses("2025-03-10T08:00:00Z", "90")
		next := w.post("/v1/plans", object{"name": "Next", "currency": "USD", "prices": list{object{"price": w.calls("2.00")}}}).expect(201).text("id")
		w.post("/v1/subscriptions/"+w.subscription+"/schedule_plan_change", object{"plan_id": next, "change_option": "immediate"}).expect(200)
		w.clock("2025-03-11T00:00:00Z")
		w.uses("2025-03-10T23:00:00Z", "99")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T23:00:00Z", "2")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 101"}))

		other := w.post("/v1/plans", object{"name": "Flat", "currency": "USD", "prices": list{object{"price": w.fee("5.00")}}}).expect(201).text("id")
		w.post("/v1/subscriptions/"+w.subscription+"/schedule_plan_change", object{"plan_id": other, "change_option": "immediate"}).expect(200)
		w.clock("2025-03-12T00:00:00Z")
		w.uses("2025-03-11T23:00:00Z", "500")
		Expect(w.reached()).To(BeEmpty())
	})

	It("go on over a migration in mid-period, with what was counted before", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("50", "100")
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("50", "100")})
		w.uses("2025-03-10T08:00:00Z", "80")
		Expect(w.reached()).To(ConsistOf("usage_exceeded: 50 by 80", "cost_exceeded: 50.00 by 80.00"))
		w.version(w.plan, 2, object{"add_prices": list{object{"price": w.fee("21.00")}}})
		w.migrate(w.plan, 2, "2025-03-11")
		w.clock("2025-03-12T00:00:00Z")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-11T23:00:00Z", "30")
		Expect(w.reached()).To(ConsistOf("usage_exceeded: 100 by 110", "cost_exceeded: 100.00 by 124.23"))
		w.uses("2025-03-11T23:00:00Z", "80")
		Expect(w.reached()).To(BeEmpty())
	})

	It("end with a migration to a version without a price by the metric", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100")
		w.uses("2025-03-10T08:00:00Z", "80")
		charged := w.get("/v1/subscriptions/" + w.subscription).expect(200).at("price_intervals[0].price.id")
		w.version(w.plan, 2, replacing(charged, w.fee("21.00")))
		w.migrate(w.plan, 2, "2025-03-11")
		w.clock("2025-03-12T00:00:00Z")
		w.uses("2025-03-11T23:00:00Z", "500")
		Expect(w.reached()).To(BeEmpty())
	})

	It("count in the billing periods of the customer's zone, over a clock change and the end of a month", func() {
		s := newFixture("2025-03-30T09:00:00Z")
		buyer := s.buyer(object{"timezone": "America/New_York"})
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.calls("1.00"))
		s.listens()
		w := alertFixture{s, buyer, sub.text("plan.id"), sub.text("id")}
		w.usageAlert("100")
		w.clock("2025-04-01T04:30:00Z")
		w.uses("2025-04-01T03:59:59Z", "100") // still March there, in summer time
		w.uses("2025-04-01T04:00:00Z", "150")
		messages := w.warned()
		Expect(messages).To(HaveLen(2))
		messages[0].shows(object{"properties.timeframe_start": "2025-03-01T05:00:00+00:00", "properties.timeframe_end": "2025-04-01T04:00:00+00:00"})
		messages[1].shows(object{"properties.timeframe_start": "2025-04-01T04:00:00+00:00", "properties.evaluated_quantity": json.Number("150")})
	})
})
