package server_test

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// A known key keeps its first body, and a change of it is shown (semantics 2.3.7).
var _ = Describe("Events that come again with another body", func() {
	const hour = "2025-03-10T08:00:00Z"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"external_customer_id": "acme", "currency": "USD"})
		s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.calls("1.00"))
	})
	body := func(key string, change object) object {
		return with(object{"idempotency_key": key, "event_name": "call", "external_customer_id": "acme", "timestamp": hour, "properties": object{"n": 1}}, change)
	}
	send := func(key string, change object) {
		GinkgoHelper()
		s.post("/v1/ingest", object{"events": list{body(key, change)}}).expect(200)
	}
	found := func() value {
		GinkgoHelper()
		return s.get("/v1/events/changed_resends").expect(200)
	}

	It("are counted once each, with both bodies", func() {
		send("a", nil)
		found().shows(object{"events": number("0"), "since": "2025-03-03T09:00:00+00:00"})
		send("b", nil)
		send("a", object{"properties": object{"n": 2}})
		s.clock("2025-03-10T09:30:00Z")
		send("b", object{"timestamp": "2025-03-10T08:30:00Z"})
		send("a", object{"event_name": "ping"})
		shown := found()
		shown.shows(object{"events": number("2")})
		Expect(shown.each("examples", "sent.id")).To(Equal(list{"a", "b"}))
		shown.entry("examples", 0).shows(object{
			"times": number("2"), "sent_at": "2025-03-10T09:30:00+00:00", "sent.event_name": "ping", "kept.event_name": "call",
			"sent.properties.n": number("1"), "kept.properties.n": number("1"), "kept.timestamp": "2025-03-10T08:00:00+00:00",
		})
		shown.entry("examples", 1).shows(object{"times": number("1"), "sent.timestamp": "2025-03-10T08:30:00+00:00", "kept.timestamp": "2025-03-10T08:00:00+00:00"})
	})

	It("do not differ by how values are written, by who is named how, or from what they were", func() {
		send("a", object{"properties": object{"n": 1, "x": "y"}})
		send("a", object{"properties": object{"x": "y", "n": number("1.0"), "z": nil}, "timestamp": "2025-03-10T08:00:00.000+00:00"})
		send("a", object{"properties": object{"n": 1, "x": "y"}, "external_customer_id": absent, "customer_id": buyer})
		s.put("/v1/events/a", object{"event_name": "call", "external_customer_id": "acme", "timestamp": hour, "properties": object{"n": 5}}).expect(200)
		send("a", object{"properties": object{"n": 1, "x": "y"}}) // as it was
		send("a", object{"properties": object{"n": 5}})           // as it is
		found().shows(object{"events": number("0")})
		other := s.buyer(object{"external_customer_id": "other", "currency": "USD"})
		send("a", object{"properties": object{"n": 5}, "external_customer_id": absent, "customer_id": other})
		found().shows(object{"events": number("1")})
	})

	It("are of one account, and of the last 7 days", func() {
		send("a", nil)
		send("a", object{"properties": object{"n": 2}})
		other := s.api.account("test").newFixture("2025-03-10T09:00:00Z")
		other.get("/v1/events/changed_resends").expect(200).shows(object{"events": number("0")})
		s.clock("2025-03-17T09:00:00Z")
		found().shows(object{"events": number("1")})
		s.clock("2025-03-17T09:00:01Z")
		found().shows(object{"events": number("0")})
	})

	It("are noted whichever of many requests at once came first", func() {
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() {
				defer GinkgoRecover()
				send("a", object{"properties": object{"n": n}})
				send(fmt.Sprint("b", n), nil)
			})
		}
		all.Wait()
		shown := found()
		shown.shows(object{"events": number("1")})
		shown.entry("examples", 0).shows(object{"times": number("5")})
	})

	It("are on the page of events", func() {
		send("a", nil)
		d := s.desk(user.RoleReader)
		Expect(d.see("/console/events").html).NotTo(ContainSubstring("another body"))
		send("a", object{"properties": object{"n": "changed later"}})
		Expect(d.see("/console/events").html).To(And(ContainSubstring("Came again with another body"), ContainSubstring("changed later")))
	})
})
