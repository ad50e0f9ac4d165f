package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// inCredits is one price of one credit for each call.
func inCredits(s fixture) []object {
	return []object{with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1})}
}

// balanceAlert makes an alert of the buyer's credits.
func (w alertFixture) balanceAlert(kind string, change object) value {
	GinkgoHelper()
	return w.post("/v1/alerts/customer_id/"+w.buyer, with(object{"type": kind, "currency": "credits"}, change)).expect(201)
}

// inAlert writes the status of an alert, as "threshold in_alert".
func (w alertFixture) inAlert(id string) (texts []string) {
	GinkgoHelper()
	shown := w.get("/v1/alerts/" + id).expect(200)
	for k := range shown.list("balance_alert_status") {
		status := shown.entry("balance_alert_status", k)
		texts = append(texts, fmt.Sprint(status.at("threshold_value"), " ", status.at("in_alert")))
	}
	return texts
}

// moved writes what messages told of balances, as "type" or "type threshold".
func (w alertFixture) moved() []string {
	GinkgoHelper()
	texts := []string{}
	for _, m := range w.warned() {
		text := m.text("type")[len("customer.credit_balance_"):]
		if m.has("properties.balance_threshold") {
			text += " " + m.text("properties.balance_threshold")
		}
		texts = append(texts, text)
	}
	return texts
}

var _ = Describe("Alerts of a balance", func() {
	var w alertFixture
	BeforeEach(func() { w = newAlertFixture(inCredits) })

	It("A-5: tell a drop, and are armed again when the balance rises", func() {
		w.credits(w.buyer, object{"amount": 60})
		id := w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("50", "10")}).text("id")
		w.uses("2025-03-10T08:00:00Z", "12")
		Expect(w.moved()).To(Equal([]string{"dropped 50"}))
		Expect(w.inAlert(id)).To(Equal([]string{"50 true", "10 false"}))
		w.uses("2025-03-10T08:00:00Z", "39")
		Expect(w.moved()).To(Equal([]string{"dropped 10"}))
		Expect(w.inAlert(id)).To(Equal([]string{"50 true", "10 true"}))
		w.credits(w.buyer, object{"amount": 100})
		Expect(w.moved()).To(BeEmpty())
		Expect(w.inAlert(id)).To(Equal([]string{"50 false", "10 false"}))
		w.uses("2025-03-10T08:00:00Z", "64")
		Expect(w.moved()).To(Equal([]string{"dropped 50"}))
	})

	It("A-6: tell that credits are used up, and that there are some again", func() {
		w.credits(w.buyer, object{"amount": 5})
		depleted := w.balanceAlert("credit_balance_depleted", nil)
		depleted.shows(object{"thresholds": nil, "customer.id": w.buyer, "customer.external_customer_id": "acme", "currency": "credits", "metric": nil})
		recovered := w.balanceAlert("credit_balance_recovered", nil)
		w.uses("2025-03-10T08:00:00Z", "5")
		messages := w.warned()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{
			"type": "customer.credit_balance_depleted", "customer.id": w.buyer,
			"properties.pricing_unit.id": "credits", "properties.pricing_unit.symbol": nil,
			"properties.alert_configuration.balance_alert_status[0].threshold_value": "0",
			"properties.alert_configuration.balance_alert_status[0].in_alert":        true,
		})
		Expect(w.inAlert(depleted.text("id"))).To(Equal([]string{"0 true"}))
		w.credits(w.buyer, object{"amount": 1})
		Expect(w.moved()).To(Equal([]string{"recovered"}))
		Expect(w.inAlert(depleted.text("id"))).To(Equal([]string{"0 false"}))
		Expect(w.inAlert(recovered.text("id"))).To(Equal([]string{"0 false"}))
	})

	It("A-8: are one of a type in a currency", func() {
		w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("10")})
		w.post("/v1/alerts/external_customer_id/acme", object{"type": "credit_balance_dropped", "currency": "credits", "thresholds": thresholds("7")}).
			refuse(400, "400-duplicate-resource-creation")
		w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("10"), "currency": "USD"})
		w.balanceAlert("credit_balance_depleted", nil)
	})

	It("send nothing of what is so already", func() {
		id := w.balanceAlert("credit_balance_depleted", object{"thresholds": thresholds("7")}).text("id")
		Expect(w.moved()).To(BeEmpty())
		Expect(w.inAlert(id)).To(Equal([]string{"0 true"}))
		w.balanceAlert("credit_balance_recovered", nil)
		w.credits(w.buyer, object{"amount": 3})
		Expect(w.moved()).To(Equal([]string{"recovered"}))
	})

	It("tell when credits take effect and expire", func() {
		w.credits(w.buyer, object{"amount": 5, "effective_date": "2025-03-12", "expiry_date": "2025-03-15"})
		w.balanceAlert("credit_balance_depleted", nil)
		w.balanceAlert("credit_balance_recovered", nil)
		w.clock("2025-03-20T00:00:00Z")
		messages := w.warned()
		Expect(messages).To(HaveLen(2))
		messages[0].shows(object{"type": "customer.credit_balance_recovered", "created_at": "2025-03-12T00:00:00+00:00"})
		messages[1].shows(object{"type": "customer.credit_balance_depleted", "created_at": "2025-03-15T00:00:00+00:00"})
	})

	It("keep track while they are disabled, and send nothing of it", func() {
		w.credits(w.buyer, object{"amount": 5})
		id := w.balanceAlert("credit_balance_depleted", nil).text("id")
		w.post("/v1/alerts/"+id+"/disable", nil).expect(200)
		w.uses("2025-03-10T08:00:00Z", "5")
		Expect(w.moved()).To(BeEmpty())
		Expect(w.inAlert(id)).To(Equal([]string{"0 true"}))
		w.post("/v1/alerts/"+id+"/enable", nil).expect(200)
		Expect(w.moved()).To(BeEmpty())
	})

	It("end with their customer, of whose credits nothing is told any more", func() {
		gone := w.fixture.buyer(nil)
		w.credits(gone, object{"expiry_date": "2025-03-20"})
		id := w.post("/v1/alerts/customer_id/"+gone, object{"type": "credit_balance_depleted", "currency": "credits"}).expect(201).text("id")
		w.delete("/v1/customers/" + gone).expect(204)
		w.get("/v1/alerts/"+id).refuse(404, "404-resource-not-found", "Alert", id)
		Expect(w.get("/v1/alerts?customer_id=" + gone).expect(200).list("data")).To(BeEmpty())
		w.clock("2025-03-21T00:00:00Z")
		Expect(w.moved()).To(BeEmpty())
	})

	It("take other thresholds without sending anything", func() {
		w.credits(w.buyer, object{"amount": 30})
		id := w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("10")}).text("id")
		updated := w.put("/v1/alerts/"+id, object{"thresholds": thresholds("50", "20")}).expect(200)
		Expect(updated.each("thresholds", "value")).To(Equal(list{json.Number("50"), json.Number("20")}))
		Expect(w.moved()).To(BeEmpty())
		Expect(w.inAlert(id)).To(Equal([]string{"50 true", "20 false"}))
		w.uses("2025-03-10T08:00:00Z", "10")
		Expect(w.moved()).To(Equal([]string{"dropped 20"}))
		w.put("/v1/alerts/"+id, object{"thresholds": list{}}).invalid("thresholds: must have at least one threshold")
		w.delete("/v1/alerts/" + id).expect(204)
		w.uses("2025-03-10T08:00:00Z", "20")
		Expect(w.moved()).To(BeEmpty())
	})

	It("tell the lowest of several thresholds that are passed at once", func() {
		w.credits(w.buyer, object{"amount": 60})
		w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("50", "10", "30")})
		w.uses("2025-03-10T08:00:00Z", "60")
		Expect(w.moved()).To(Equal([]string{"dropped 10"}))
	})

	DescribeTable("are refused", func(change object, violation string) {
		w.post("/v1/alerts/customer_id/"+w.buyer, with(object{"type": "credit_balance_dropped", "currency": "credits", "thresholds": thresholds("1")}, change)).invalid(violation)
	},
		Entry("to tell drops without a threshold", object{"thresholds": nil}, "thresholds: must have at least one threshold"),
		Entry("to tell drops to one threshold twice", object{"thresholds": thresholds("1", "1")}, "thresholds[1].value: must differ from the other thresholds"),
		Entry("in a unit that there is not", object{"currency": "points"}, "currency: must be"),
		Entry("of usage", object{"type": "usage_exceeded"}, "type: "),
	)

	It("need a customer", func() {
		body := object{"type": "credit_balance_depleted", "currency": "credits"}
		w.post("/v1/alerts/customer_id/nope", body).refuse(404, "404-resource-not-found", "Customer")
		w.post("/v1/alerts/external_customer_id/nope", body).refuse(404, "404-resource-not-found", "Customer")
	})
})

var _ = Describe("Alerts of costs that credits pay for", func() {
	It("A-4: look at what is left to pay", func() {
		w := newAlertFixture(calls1)
		w.credits(w.buyer, object{"amount": 40, "currency": "USD", "effective_date": "2025-03-01"})
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("50.00")})
		w.uses("2025-03-10T08:00:00Z", "85")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "10")
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 50.00 by 55.00"}))
	})

	It("convert what credits of a custom unit do not pay for", func() {
		w := newAlertFixture(func(s fixture) []object {
			return []object{with(s.calls("1"), object{"currency": "credits", "conversion_rate": json.Number("0.05")})}
		})
		w.credits(w.buyer, object{"amount": 800})
		w.alert(object{"type": "cost_exceeded", "thresholds": thresholds("10")})
		w.uses("2025-03-10T08:00:00Z", "999")
		Expect(w.reached()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "1")
		Expect(w.reached()).To(Equal([]string{"cost_exceeded: 10.00 by 10.00"}))
	})
})
