package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An alert of a subscription", func() {
	It("shows what it watches", func() {
		w := newAlertFixture(calls1)
		made := w.usageAlert("500", "100.50")
		made.shows(object{
			"type": "usage_exceeded", "enabled": true, "subscription.id": w.subscription, "metric.id": w.metric, "customer": nil, "plan": nil, "currency": nil,
			"thresholds[0].value": json.Number("500"), "thresholds[1].value": json.Number("100.5"), "created_at": "2025-03-10T09:00:00+00:00",
			"license_type": nil, "grouping_keys": nil, "price_filters": nil, "threshold_overrides": nil, "balance_alert_status": nil,
		})
		Expect(w.get("/v1/alerts/" + made.text("id")).expect(200).json).To(Equal(made.json))
	})

	DescribeTable("is refused", func(change object, violations ...string) {
		w := newAlertFixture(calls1)
		body := with(object{"type": "cost_exceeded", "thresholds": thresholds("10")}, change)
		w.post("/v1/alerts/subscription_id/"+w.subscription, body).invalid(violations...)
	},
		Entry("without a threshold", object{"thresholds": list{}}, "thresholds: must have at least one threshold"),
		Entry("with one threshold twice", object{"thresholds": thresholds("1", "2", "1.0")}, "thresholds[2].value: must differ from the other thresholds"),
		Entry("of usage without a metric", object{"type": "usage_exceeded"}, "metric_id: must be given"),
		Entry("of costs with a metric", object{"metric_id": "x"}, "metric_id: is only for usage_exceeded"),
		Entry("of spend without a currency", object{"type": "spend_exceeded"}, "currency: must be given"),
		Entry("by groups without a currency", object{"grouping_keys": list{"project"}}, "currency: must be given"),
		Entry("by the same property twice", object{"grouping_keys": list{"a", "a"}, "currency": "USD"}, "grouping_keys[1]: must be"),
		Entry("with filters that nothing is filtered by", object{"price_filters": list{filter("price_id", "includes", "x")}}, "price_filters: is only for"),
		Entry("with filters by currency", object{"type": "spend_exceeded", "currency": "USD", "price_filters": list{filter("currency", "includes", "USD")}},
			"price_filters[0].field: must be"),
		Entry("with overrides but without groups", object{"threshold_overrides": list{object{"group_values": list{"a"}, "thresholds": list{}}}},
			"threshold_overrides: must be given together with grouping_keys"),
		Entry("with overrides for too many values", object{"grouping_keys": list{"a"}, "currency": "USD", "threshold_overrides": list{
			object{"group_values": list{"a", "b"}, "thresholds": list{}}}}, "threshold_overrides[0].group_values: must have one value"),
		Entry("with two overrides for one group", object{"grouping_keys": list{"a"}, "currency": "USD", "threshold_overrides": list{
			object{"group_values": list{"a"}, "thresholds": list{}}, object{"group_values": list{"a"}, "thresholds": thresholds("1")}}},
			"threshold_overrides[1].group_values: must differ from the groups of the other overrides"),
	)

	It("is refused where no price is charged by the metric, or in the currency", func() {
		w := newAlertFixture(calls1)
		other := w.api.metric("SELECT COUNT(*) FROM events")
		at := "/v1/alerts/subscription_id/" + w.subscription
		w.post(at, object{"type": "usage_exceeded", "metric_id": other, "thresholds": thresholds("1")}).refuse(400, "400-constraint-violation", "metric")
		w.post(at, object{"type": "usage_exceeded", "metric_id": "nope", "thresholds": thresholds("1")}).refuse(404, "404-resource-not-found", "Metric", "nope")
		w.post(at, object{"type": "spend_exceeded", "currency": "EUR", "thresholds": thresholds("1")}).refuse(400, "400-constraint-violation", "currency")
		w.post("/v1/alerts/subscription_id/nope", object{"type": "cost_exceeded", "thresholds": thresholds("1")}).refuse(404, "404-resource-not-found", "Subscription")
		w.get("/v1/alerts/nope").refuse(404, "404-resource-not-found", "Alert", "nope")
	})

	It("is one of its kind", func() {
		w := newAlertFixture(calls1)
		at := "/v1/alerts/subscription_id/" + w.subscription
		w.usageAlert("100")
		w.post(at, object{"type": "usage_exceeded", "metric_id": w.metric, "thresholds": thresholds("7")}).refuse(400, "400-duplicate-resource-creation")
		plain := w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("1")})
		w.post(at, object{"type": "cost_exceeded", "thresholds": thresholds("2")}).refuse(400, "400-duplicate-resource-creation")
		grouped := object{"type": "cost_exceeded", "thresholds": thresholds("1"), "currency": "USD", "grouping_keys": list{"project"}}
		w.alert(grouped)
		w.post(at, grouped).refuse(400, "400-duplicate-resource-creation")
		w.delete("/v1/alerts/" + plain.text("id")).expect(204)
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("2")})
	})

	It("is made once under one idempotency key", func() {
		w := newAlertFixture(calls1)
		body := object{"type": "cost_exceeded", "thresholds": thresholds("1")}
		at := "/v1/alerts/subscription_id/" + w.subscription
		first := w.post(at, body, header{"Idempotency-Key", "k"}).expect(201)
		Expect(w.post(at, body, header{"Idempotency-Key", "k"}).expect(201).at("id")).To(Equal(first.at("id")))
	})

	It("fires at once when a threshold is reached already", func() {
		w := newAlertFixture(calls1)
		w.uses("2025-03-10T08:00:00Z", "250")
		w.usageAlert("100", "200", "300")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 200 by 250"}))
	})

	It("fires for new thresholds at once, and not again for those that stay", func() {
		w := newAlertFixture(calls1)
		id := w.usageAlert("100", "500").text("id")
		w.uses("2025-03-10T08:00:00Z", "250")
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 250"}))
		updated := w.put("/v1/alerts/"+id, object{"thresholds": thresholds("100", "300")}).expect(200)
		Expect(updated.each("thresholds", "value")).To(Equal(list{json.Number("100"), json.Number("300")}))
		Expect(w.reached()).To(BeEmpty())
		w.put("/v1/alerts/"+id, object{"thresholds": thresholds("100", "200")}).expect(200)
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 200 by 250"}))
		w.put("/v1/alerts/"+id, object{"thresholds": list{}}).invalid("thresholds: must have at least one threshold")
		w.put("/v1/alerts/"+id, object{}).invalid("thresholds: ")
	})

	It("keeps filters and overrides that an update leaves out, and clears empty ones", func() {
		w := newAlertFixture(calls1)
		made := w.alert(object{
			"type": "cost_exceeded", "thresholds": thresholds("10"), "currency": "USD", "grouping_keys": list{"project"},
			"price_filters":       list{filter("item_id", "includes", w.item)},
			"threshold_overrides": list{object{"group_values": list{"p1"}, "thresholds": thresholds("7")}},
		})
		at := "/v1/alerts/" + made.text("id")
		kept := w.put(at, object{"thresholds": thresholds("11")}).expect(200)
		Expect(kept.at("price_filters")).To(Equal(made.at("price_filters")))
		Expect(kept.at("threshold_overrides")).To(Equal(made.at("threshold_overrides")))
		cleared := w.put(at, object{"thresholds": thresholds("11"), "price_filters": list{}, "threshold_overrides": list{}}).expect(200)
		Expect(cleared.at("price_filters")).To(BeEmpty())
		Expect(cleared.at("threshold_overrides")).To(BeEmpty())
		w.put(at, object{"thresholds": thresholds("11"), "threshold_overrides": list{object{"group_values": list{}, "thresholds": list{}}}}).
			invalid("threshold_overrides[0].group_values: ")
	})

	It("is silent while it is disabled, and tells what it missed when it is enabled", func() {
		w := newAlertFixture(calls1)
		at := "/v1/alerts/" + w.usageAlert("100").text("id")
		w.post(at+"/disable", nil).expect(200).shows(object{"enabled": false})
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{
			"type": "subscription.alert_disabled", "properties.reason": "user", "properties.cardinality": nil, "properties.alert_configuration.enabled": false,
		})
		w.uses("2025-03-10T08:00:00Z", "250")
		Expect(w.reached()).To(BeEmpty())
		w.post(at+"/enable", nil).expect(200).shows(object{"enabled": true})
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 250"}))
		w.post(at+"/disable?subscription_id="+w.subscription, nil).refuse(400, "400-constraint-violation", "of a plan")
	})

	It("is gone once it was deleted", func() {
		w := newAlertFixture(calls1)
		at := "/v1/alerts/" + w.usageAlert("100").text("id")
		w.delete(at).expect(204)
		w.uses("2025-03-10T08:00:00Z", "250")
		Expect(w.warned()).To(BeEmpty())
		w.get(at).refuse(404, "404-resource-not-found", "Alert")
		w.delete(at).refuse(404, "404-resource-not-found", "Alert")
		w.put(at, object{"thresholds": thresholds("1")}).refuse(404, "404-resource-not-found", "Alert")
		Expect(w.get("/v1/alerts?subscription_id=" + w.subscription).expect(200).list("data")).To(BeEmpty())
	})
})

var _ = Describe("An alert of a plan", func() {
	It("watches every subscription to the version, those to come too, but not where it is off", func() {
		w := newAlertFixture(calls1)
		made := w.post("/v1/alerts/plan_id/"+w.plan, object{"type": "usage_exceeded", "metric_id": w.metric, "thresholds": thresholds("100")}).expect(201)
		made.shows(object{"plan.id": w.plan, "plan.plan_version": "1", "subscription": nil, "customer": nil})
		at := "/v1/alerts/" + made.text("id")
		other := w.subscribeTo(w.plan)
		off := w.post(at+"/disable?subscription_id="+w.subscription, nil).expect(200)
		Expect(off.at("enabled")).To(BeFalse())
		Expect(w.warned()).To(HaveLen(1))
		w.uses("2025-03-10T08:00:00Z", "250")
		w.use(other.buyer, "2025-03-10T08:00:00Z", "100")
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		Expect(messages[0].at("subscription.id")).To(Equal(other.subscription))
		Expect(w.get(at).expect(200).at("enabled")).To(BeTrue())
		Expect(w.get("/v1/alerts?subscription_id="+w.subscription).expect(200).each("data", "enabled")).To(Equal(list{false}))
		Expect(w.get("/v1/alerts?subscription_id="+other.subscription).expect(200).each("data", "enabled")).To(Equal(list{true}))

		w.post(at+"/enable?subscription_id="+w.subscription, nil).expect(200).shows(object{"enabled": true})
		Expect(w.reached()).To(Equal([]string{"usage_exceeded: 100 by 250"}))
		w.post(at+"/disable", nil).expect(200).shows(object{"enabled": false})
		w.delete(at).refuse(400, "400-constraint-violation", "disable it")
	})

	It("is of one version", func() {
		w := newAlertFixture(calls1)
		w.post("/v1/plans/"+w.plan+"/versions", object{"version": 2, "set_as_default": true, "add_prices": list{object{"price": w.fee("1.00")}}}).expect(201)
		body := object{"type": "cost_exceeded", "thresholds": thresholds("1")}
		w.post("/v1/alerts/plan_id/"+w.plan, body).expect(201).shows(object{"plan.plan_version": "2"})
		w.post("/v1/alerts/plan_id/"+w.plan, body).refuse(400, "400-duplicate-resource-creation")
		w.post("/v1/alerts/plan_id/"+w.plan, with(body, object{"plan_version": 1})).expect(201).shows(object{"plan.plan_version": "1"})
		w.post("/v1/alerts/plan_id/"+w.plan, with(body, object{"plan_version": 3})).refuse(400, "400-constraint-violation", "version")
		w.post("/v1/alerts/plan_id/nope", body).refuse(404, "404-resource-not-found", "Plan")
		Expect(w.get("/v1/alerts?subscription_id="+w.subscription).expect(200).each("data", "plan.plan_version")).To(Equal(list{"1"}))
	})

	It("can be off only for subscriptions to the plan", func() {
		w := newAlertFixture(calls1)
		at := "/v1/alerts/" + w.post("/v1/alerts/plan_id/"+w.plan, object{"type": "cost_exceeded", "thresholds": thresholds("1")}).expect(201).text("id")
		w.post(at+"/disable?subscription_id=nope", nil).refuse(404, "404-resource-not-found", "Subscription")
		stranger := w.subscribe(w.buyer, nil, w.fee("3.00")).text("id")
		w.post(at+"/disable?subscription_id="+stranger, nil).refuse(400, "400-constraint-violation", "on another plan or plan version")
	})
})

// subscribeTo is another buyer of the plan.
func (w alertFixture) subscribeTo(plan string) alertFixture {
	GinkgoHelper()
	buyer := w.fixture.buyer(nil)
	made := w.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-03-01"}).expect(201)
	return alertFixture{w.fixture, buyer, plan, made.text("id")}
}

var _ = Describe("GET /v1/alerts", func() {
	It("A-9: needs exactly one filter", func() {
		w := newAlertFixture(calls1)
		w.get("/v1/alerts").invalid("customer_id: must be given")
		w.get("/v1/alerts?customer_id=a&subscription_id=b").invalid("customer_id: must be given")
		w.get("/v1/alerts?customer_id=&subscription_id=nope").expect(200)
	})

	It("lists those of a subscription with those of its plan, newest first, in pages", func() {
		w := newAlertFixture(calls1)
		first := w.usageAlert("100").text("id")
		w.clock("2025-03-11T00:00:00Z")
		ofPlan := w.post("/v1/alerts/plan_id/"+w.plan, object{"type": "cost_exceeded", "thresholds": thresholds("1")}).expect(201).text("id")
		last := w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("1")}).text("id")
		w.post("/v1/alerts/customer_id/"+w.buyer, object{"type": "credit_balance_depleted", "currency": "USD"}).expect(201)
		at := "/v1/alerts?subscription_id=" + w.subscription
		Expect(w.get(at).expect(200).each("data", "id")).To(Equal(list{last, ofPlan, first}))
		page := w.get(at + "&limit=2").expect(200)
		Expect(page.each("data", "id")).To(Equal(list{last, ofPlan}))
		Expect(w.get(at+"&limit=2&cursor="+page.text("pagination_metadata.next_cursor")).expect(200).each("data", "id")).To(Equal(list{first}))
		Expect(w.get(at+"&created_at[lt]=2025-03-11").expect(200).each("data", "id")).To(Equal(list{first}))
		Expect(w.get(at+"&created_at[gte]=2025-03-11").expect(200).each("data", "id")).To(Equal(list{last, ofPlan}))
	})

	It("lists those of a customer's balances, by id or alias", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100")
		made := w.post("/v1/alerts/external_customer_id/acme", object{"type": "credit_balance_depleted", "currency": "credits"}).expect(201).text("id")
		for _, filter := range []string{"customer_id=" + w.buyer, "external_customer_id=acme"} {
			Expect(w.get("/v1/alerts?"+filter).expect(200).each("data", "id")).To(Equal(list{made}))
		}
		Expect(w.get("/v1/alerts?customer_id=nope").expect(200).list("data")).To(BeEmpty())
		Expect(w.get("/v1/alerts?external_customer_id=nope").expect(200).list("data")).To(BeEmpty())
	})
})
