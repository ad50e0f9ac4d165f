package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// told writes the messages about licenses as "from to: name percentage, …".
func toldOfLicenses(messages []value) []string {
	GinkgoHelper()
	texts := []string{}
	for _, m := range messages {
		Expect(m.at("type")).To(Equal("subscription.license_balance_threshold_reached"))
		names := []string{}
		for k := range m.list("properties.licenses") {
			l := m.entry("properties.licenses", k)
			names = append(names, fmt.Sprint(l.at("external_license_id"), " ", l.at("threshold_percentage")))
		}
		texts = append(texts, fmt.Sprintf("%s %s: %s", m.text("properties.timeframe_start")[5:10], m.text("properties.timeframe_end")[5:10], strings.Join(names, ", ")))
	}
	return texts
}

var _ = Describe("Alerts of licenses", func() {
	var o licenseFixture
	var customer, sub string
	BeforeEach(func() {
		o = newLicenseFixture("2025-06-10T15:00:00Z")
		customer, sub = o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.listens()
	})

	wanted := func(percentages ...json.Number) object {
		return object{"type": "license_balance_threshold_reached", "license_type_id": o.kind, "thresholds": thresholds(percentages...)}
	}
	alert := func(percentages ...json.Number) value {
		GinkgoHelper()
		return o.post("/v1/alerts/subscription_id/"+sub, wanted(percentages...)).expect(201)
	}
	reached := func() []string { GinkgoHelper(); return toldOfLicenses(o.warned()) }

	It("are made for a subscription and a type", func() {
		made := alert("80", "100")
		Expect(made.json).To(Equal(object{
			"id": made.at("id"), "created_at": "2025-06-10T15:00:00+00:00", "type": "license_balance_threshold_reached", "enabled": true,
			"license_type": object{"id": o.kind}, "subscription": object{"id": sub}, "customer": nil, "plan": nil, "metric": nil, "currency": nil,
			"thresholds":    list{object{"value": json.Number("80")}, object{"value": json.Number("100")}},
			"grouping_keys": nil, "price_filters": nil, "threshold_overrides": nil, "balance_alert_status": nil,
		}))
		Expect(o.get("/v1/alerts/" + made.text("id")).expect(200).json).To(Equal(made.json))
		o.post("/v1/alerts/subscription_id/"+sub, wanted("50")).refuse(400, "400-duplicate-resource-creation", "license type")
	})

	It("tell of each license, at each share of its own, once in a period", func() {
		alert("50", "100")
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "49.999")
		Expect(reached()).To(BeEmpty())
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "0.001")
		messages := o.warned()
		Expect(toldOfLicenses(messages)).To(Equal([]string{"06-10 07-01: a 50"}))
		messages[0].shows(object{
			"subscription.id": sub, "properties.licenses[0].license_type_id": o.kind,
			"properties.alert_configuration.license_type": object{"id": o.kind}, "properties.alert_configuration.thresholds[0].value": "50",
		})
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "500")
		Expect(reached()).To(Equal([]string{"06-10 07-01: a 100"}), "what is beyond is not its own")
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "500")
		Expect(reached()).To(BeEmpty())
		o.clock("2025-07-05T00:00:00Z")
		o.spend(customer, "a", "2025-07-04T23:00:00Z", "60")
		Expect(reached()).To(Equal([]string{"07-01 08-01: a 50"}))
	})

	It("tell of several licenses in one message, each at the greatest share that it came to", func() {
		alert("50", "100")
		for _, name := range []string{"a", "b", "c"} {
			o.give(sub, name, nil)
		}
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "70")
		o.spend(customer, "b", "2025-06-10T14:00:00Z", "130")
		o.spend(customer, "c", "2025-06-10T14:00:00Z", "10")
		Expect(reached()).To(Equal([]string{"06-10 07-01: b 100, a 50"}))
	})

	It("fire at once where a share is reached already, and when a license is given that has used it", func() {
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "70")
		o.spend(customer, "b", "2025-06-10T14:00:00Z", "90")
		id := alert("50").text("id")
		Expect(reached()).To(Equal([]string{"06-10 07-01: a 50"}))
		o.give(sub, "b", nil)
		Expect(reached()).To(Equal([]string{"06-10 07-01: b 50"}))
		o.put("/v1/alerts/"+id, object{"thresholds": thresholds("50", "90")}).expect(200)
		Expect(reached()).To(Equal([]string{"06-10 07-01: b 90"}))
	})

	It("know a name that is given again from the one before", func() {
		alert("50")
		o.give(sub, "a", object{"end_date": "2025-06-11"})
		o.give(sub, "a", object{"start_date": "2025-06-11"})
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "60")
		Expect(reached()).To(HaveLen(1))
		o.clock("2025-06-11T12:00:00Z")
		o.spend(customer, "a", "2025-06-11T11:00:00Z", "40")
		Expect(reached()).To(BeEmpty())
		o.spend(customer, "a", "2025-06-11T11:00:00Z", "10")
		Expect(reached()).To(Equal([]string{"06-10 07-01: a 50"}))
	})

	It("tell once in a period that is longer than that of the invoices", func() {
		o.api = start()
		o.fixture, o.kind = o.newFixture("2025-06-10T15:00:00Z"), ""
		o.kind = o.licenseType("Seat")
		yearly := o.seats(3, "100", nil)
		yearly["license_allocation_price"].(object)["cadence"] = "annual"
		customer, sub = o.rent(nil, nil, yearly, o.metered())
		o.listens()
		alert("50", "80")
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "60")
		Expect(reached()).To(HaveLen(1))
		o.clock("2025-08-10T15:00:00Z")
		o.spend(customer, "a", "2025-08-10T14:00:00Z", "10")
		Expect(reached()).To(BeEmpty())
		o.spend(customer, "a", "2025-08-10T14:00:00Z", "10")
		messages := reached()
		Expect(messages).To(HaveLen(1))
		Expect(messages[0]).To(HaveSuffix(": a 80"))
	})

	It("begin anew with a local day's start, also in a month in which the clock changes", func() {
		o.clock("2025-10-31T12:00:00Z")
		customer, sub = o.rent(object{"timezone": "America/New_York"}, nil, o.seats(3, "100", nil), o.metered())
		alert("50")
		o.give(sub, "a", nil)
		o.clock("2025-11-02T12:00:00Z")
		o.spend(customer, "a", "2025-11-02T05:30:00Z", "25") // in the hour that comes twice
		o.spend(customer, "a", "2025-11-02T06:30:00Z", "25")
		messages := o.warned()
		Expect(toldOfLicenses(messages)).To(Equal([]string{"11-01 12-01: a 50"}))
		messages[0].shows(object{"properties.timeframe_start": "2025-11-01T04:00:00+00:00", "properties.timeframe_end": "2025-12-01T05:00:00+00:00"})
	})

	It("tell each share of each license once, whoever sends events at once and however many servers watch", func() {
		alert("25", "50", "75", "100")
		names := []string{"a", "b", "c"}
		for _, name := range names {
			o.give(sub, name, nil)
		}
		servers := []*api{o.watched(), o.watched()}
		var sending sync.WaitGroup
		for client := range 6 {
			sending.Go(func() {
				defer GinkgoRecover()
				for n := range 10 { // 100 for each name in all
					servers[n%len(servers)].insist("/v1/ingest", object{"events": list{object{
						"idempotency_key": fmt.Sprint(client, "-", n), "event_name": "call", "customer_id": customer, "timestamp": "2025-06-10T14:00:00Z",
						"properties": object{"n": 5, "seat_id": names[client%len(names)]},
					}}})
				}
			})
		}
		sending.Wait()
		shares := map[string][]string{}
		Eventually(func() int {
			for _, m := range toldOfLicenses(o.warned()) {
				for _, one := range strings.Split(m[len("06-10 07-01: "):], ", ") {
					name, share, _ := strings.Cut(one, " ")
					shares[name] = append(shares[name], share)
				}
			}
			return len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(shares[name], "100") }))
		}, onBusyMachine, "50ms").Should(Equal(len(names)))
		for _, name := range names { // those between may have been passed at once with a greater one
			inOrder := slices.DeleteFunc([]string{"25", "50", "75", "100"}, func(share string) bool { return !slices.Contains(shares[name], share) })
			Expect(shares[name]).To(Equal(inOrder), name)
		}
	})

	It("are refused where they make no sense", func() {
		path := "/v1/alerts/subscription_id/" + sub
		o.post(path, object{"type": "license_balance_threshold_reached", "thresholds": thresholds("50")}).
			invalid("license_type_id: must be given")
		o.post(path, with(wanted("0", "100.5", "-1"), nil)).
			invalid("thresholds[0].value: must be a percentage", "thresholds[1].value: ", "thresholds[2].value: ")
		o.post(path, with(wanted("50"), object{"currency": "credits"})).invalid("currency: is only for")
		o.post(path, with(wanted("50"), object{"metric_id": o.metric})).invalid("metric_id: is only for")
		o.post(path, object{"type": "usage_exceeded", "metric_id": o.metric, "license_type_id": o.kind, "thresholds": thresholds("50")}).
			invalid("license_type_id: is only for")
		o.post(path, with(wanted("50"), object{"license_type_id": "nope"})).refuse(404, "404-resource-not-found", "LicenseType", "nope")
		o.post(path, with(wanted("50"), object{"license_type_id": o.licenseType("Desk")})).refuse(400, "400-constraint-violation", "no price")
		id := alert("50").text("id")
		o.put("/v1/alerts/"+id, object{"thresholds": thresholds("101")}).invalid("thresholds[0].value: must be a percentage")
		o.delete("/v1/alerts/" + id).expect(204)
		alert("70")
	})
})
