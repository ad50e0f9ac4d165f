package server_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// Usage that no metric can count is accepted, and shown (semantics 4.2.8).
var _ = Describe("Events without a number", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-10T09:00:00Z") })
	// send sends calls of acme with these values of n, as JSON.
	send := func(at string, values ...string) {
		GinkgoHelper()
		events := make([]string, len(values))
		for k, n := range values {
			*s.sent++
			events[k] = fmt.Sprintf(`{"idempotency_key":"e%06d","event_name":"call","external_customer_id":"acme","timestamp":%q,"properties":{"n":%s}}`, *s.sent, at, n)
		}
		s.post("/v1/ingest", `{"events":[`+strings.Join(events, ",")+`]}`).expect(200)
	}
	found := func() value {
		GinkgoHelper()
		return s.get("/v1/metrics/" + s.metric + "/uncounted_events").expect(200)
	}
	const hour = "2025-03-10T08:00:00Z"

	It("are counted for a metric, with the last of them", func() {
		found().shows(object{"events": number("0"), "matched": number("0"), "without_number": number("0"), "complete": true, "since": "2025-03-03T09:00:00+00:00"})
		send(hour, "5", `"5"`, `"1,5"`, `"007"`, "true", "2.5", "4")
		s.post("/v1/ingest", object{"events": list{object{
			"idempotency_key": "other", "event_name": "ping", "external_customer_id": "acme", "timestamp": hour, "properties": object{},
		}}}).expect(200)
		shown := found()
		shown.shows(object{"events": number("8"), "matched": number("7"), "without_number": number("4"), "complete": true})
		Expect(shown.each("examples", "id")).To(Equal(list{"e000005", "e000004", "e000003", "e000002"}))
		shown.entry("examples", 1).shows(object{"properties.n": "007", "external_customer_id": "acme", "event_name": "call"})
	})

	It("are those that count: not deprecated or replaced ones, nor old ones", func() {
		buyer := s.buyer(object{"external_customer_id": "acme", "currency": "USD"})
		s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.calls("1.00"))
		send(hour, `"5"`, `"6"`, `"7"`)
		s.put("/v1/events/e000001/deprecate", nil).expect(200)
		s.put("/v1/events/e000002", object{"event_name": "call", "external_customer_id": "acme", "timestamp": hour, "properties": object{"n": 6}}).expect(200)
		shown := found()
		shown.shows(object{"events": number("2"), "without_number": number("1")})
		fill := s.post(backfills, object{"timeframe_start": "2025-03-10T07:00:00Z", "timeframe_end": "2025-03-10T09:00:00Z", "replace_existing_events": true}).expect(200).text("id")
		s.useIn(fill, buyer, hour, "7")
		found().shows(object{"without_number": number("1")})
		s.post(backfills+"/"+fill+"/close", nil).expect(200)
		found().shows(object{"events": number("1"), "without_number": number("0")})
		send(hour, `"8"`)
		found().shows(object{"without_number": number("1")})
		s.clock("2025-03-18T09:00:00Z")
		found().shows(object{"events": number("0"), "without_number": number("0"), "since": "2025-03-11T09:00:00+00:00"})
	})

	It("belong to one account, and need a metric that is there", func() {
		send(hour, `"5"`)
		other := s.api.account("test").newFixture("2025-03-10T09:00:00Z")
		other.get("/v1/metrics/"+s.metric+"/uncounted_events").refuse(404, "404-resource-not-found", "Metric", s.metric)
		other.get("/v1/metrics/" + other.metric + "/uncounted_events").expect(200).shows(object{"events": number("0")})
	})

	It("are on the page of the metric", func() {
		send(hour, "5", `"seven"`)
		page := s.desk(user.RoleReader).see("/console/metrics/" + s.metric).html
		Expect(page).To(And(ContainSubstring("Without a number"), ContainSubstring("1 event"), ContainSubstring("Events without a number"), ContainSubstring("seven"), ContainSubstring("e000002")))
		Expect(page).NotTo(ContainSubstring("e000001"))
	})
})
