package server_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// call is an event of the alias acme at noon of 10 May, with changes; a change
// to nil takes a member away.
func call(key string, changes object) object {
	event := object{
		"idempotency_key": key, "event_name": "api_call", "timestamp": "2025-05-10T12:00:00Z", "external_customer_id": "acme",
	}
	for name, to := range changes {
		if event[name] = to; to == nil {
			delete(event, name)
		}
	}
	return event
}

// ingest sends events in one request that asks for the lists of keys.
func (a *api) ingest(events ...object) *answer {
	GinkgoHelper()
	if events == nil {
		events = []object{}
	}
	return a.post("/v1/ingest?debug=true", object{"events": events})
}

// taken fails the spec unless these are the keys that were new, and these known.
func taken(body value, ingested, duplicate list) {
	GinkgoHelper()
	Expect(body.at("debug.ingested")).To(Equal(ingested))
	Expect(body.at("debug.duplicate")).To(Equal(duplicate))
}

// failures writes what is wrong with the events, as "key: reason".
func failures(body value) (all []string) {
	GinkgoHelper()
	for i := range body.list("validation_failed") {
		failed := body.entry("validation_failed", i)
		for _, reason := range failed.list("validation_errors") {
			all = append(all, failed.text("idempotency_key")+": "+reason.(string))
		}
	}
	return all
}

var _ = Describe("POST /v1/ingest", func() {
	var a *api
	var acme string
	BeforeEach(func() {
		a = start()
		a.clock("2025-05-10T12:00:00Z")
		acme = a.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test", "external_customer_id": "acme"}).expect(201).text("id")
	})

	It("takes events by id and by alias, and once each (E-1, E-2)", func() {
		byID := call("e1", object{"external_customer_id": nil, "customer_id": acme})
		first := a.ingest(byID, call("e2", nil)).expect(200)
		Expect(first.list("validation_failed")).To(BeEmpty())
		taken(first, list{"e1", "e2"}, list{})
		taken(a.ingest(byID, call("e2", nil)).expect(200), list{}, list{"e1", "e2"})
	})

	It("shows keys only when asked", func() {
		Expect(a.post("/v1/ingest", object{"events": list{call("e", nil)}}).expect(200).has("debug")).To(BeFalse())
	})

	It("takes the same event twice in a request for one (E-3)", func() {
		taken(a.ingest(call("e3", nil), call("e3", nil)).expect(200), list{"e3"}, list{"e3"})
	})

	It("refuses a request that uses a key for two events (E-4)", func() {
		answer := a.ingest(call("e4", object{"properties": object{"n": 1}}), call("e4", object{"properties": object{"n": 2}}), call("e5", nil))
		problem := answer.refuse(400, "400-request-validation-errors")
		reason := "e4: idempotency_key: used more than once in this request with different event bodies"
		Expect(failures(problem)).To(Equal([]string{reason}))
		Expect(problem.at("validation_errors")).To(Equal(list{reason}))
		Expect(problem.at("request_id")).To(Equal(answer.header.Get("X-Request-Id")))
		taken(problem, list{}, list{})
		taken(a.ingest(call("e5", nil)).expect(200), list{"e5"}, list{})
	})

	It("stores the valid events beside a failed one (E-5)", func() {
		problem := a.ingest(call("e6", nil), call("e7", object{"customer_id": acme})).invalid("e7: customer_id, external_customer_id: ")
		taken(problem, list{"e6"}, list{})
		taken(a.ingest(call("e6", nil), call("e7", nil)).expect(200), list{"e7"}, list{"e6"})
	})

	DescribeTable("judges timestamps (E-6, E-7, E-8)",
		func(timestamp string, beginnings ...string) {
			answer := a.ingest(call("e", object{"timestamp": timestamp}))
			if len(beginnings) > 0 {
				answer.invalid(beginnings...)
				return
			}
			answer.expect(200)
		},
		Entry("twelve hours old is young enough", "2025-05-10T00:00:00Z"),
		Entry("a millisecond older is not", "2025-05-09T23:59:59.999Z", "e: timestamp: "),
		Entry("an hour ahead is taken", "2025-05-10T13:00:00Z"),
		Entry("a second more is not", "2025-05-10T13:00:01Z", "e: timestamp: "),
		Entry("nor a day", "2025-05-11T12:00:00Z", "e: timestamp: "),
		Entry("another offset than UTC is refused", "2025-05-10T14:00:00+02:00", "e: timestamp: "),
		Entry("UTC as an offset is taken", "2025-05-10T12:00:00+00:00"),
	)

	It("bills events that came before their customer (E-9)", func() {
		s := a.newFixture("2025-05-10T12:00:00Z")
		events := make([]object, 7)
		for i := range events {
			events[i] = call(fmt.Sprint("later", i), object{"event_name": "call", "external_customer_id": "later", "properties": object{"n": 1}})
		}
		a.ingest(events...).expect(200)
		buyer := s.buyer(object{"external_customer_id": "later"})
		subscription := s.subscribe(buyer, object{"start_date": "2025-05-10"}, s.calls("0.50")).text("id")
		costs := a.get("/v1/subscriptions/" + subscription + "/costs").expect(200)
		Expect(costs.at("data[0].per_price_costs[0].quantity")).To(Equal(json.Number("7")))
		Expect(costs.at("data[0].subtotal")).To(Equal("3.50"))
	})

	It("takes a request without events", func() {
		taken(a.ingest().expect(200), list{}, list{})
	})

	It("ignores other members of the body", func() {
		a.post("/v1/ingest", object{"events": list{}, "debug": true}).expect(200)
	})

	DescribeTable("refuses a body of another shape",
		func(body, beginning string) {
			problem := a.post("/v1/ingest", body).invalid(beginning)
			Expect(problem.at("validation_failed")).To(Equal(list{}))
		},
		Entry("no JSON", `{"events"`, "body: "),
		Entry("no object", `[]`, "body: "),
		Entry("no events", `{}`, "events: "),
		Entry("events that are no list", `{"events": 1}`, "events: "),
		Entry("an event that is no object", `{"events": [{}, "x"]}`, "events[1]: "),
	)

	It("answers every failure with its place, whatever bytes the event has", func() {
		problem := a.post("/v1/ingest", `{"events": [{"idempotency_key": "k\u0000", "event_name": 1, "customer_id": "nobody",
			"timestamp": "soon", "properties": {"a": [1], "b": 1e400000, "c": "\u0000"}, "extra": `+strings.Repeat("[", 900)+strings.Repeat("]", 900)+`}]}`).
			expect(400)
		Expect(failures(problem)).To(HaveExactElements(
			HavePrefix(": idempotency_key: "), HavePrefix(": event_name: "), HavePrefix(": customer_id: "), HavePrefix(": timestamp: "),
			HavePrefix(": properties.a: "), HavePrefix(": properties.b: "), HavePrefix(": properties.c: "), HavePrefix(": extra: ")))
	})

	It("is closed to those without a key", func() {
		a.post("/v1/ingest", object{"events": list{}}, header{"Authorization", ""}).refuse(401, "401-authentication-error")
	})
})
