package event_test

import (
	"errors"
	"io"
	"strings"
	"testing/iotest"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/store/fault"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Decoding a request", func() {
	It("reads what an event holds", func() {
		events, err := event.Decode(strings.NewReader(`{"debug": true, "events": [{
			"event_name": "call", "idempotency_key": "k\u00e9y", "timestamp": "2025-05-10T12:00:00.1234567Z",
			"customer_id": "cus_1", "external_customer_id": null,
			"properties": {"n": 1e-05, "s": "a\"b", "t": true, "gone": null, "exact": 0.10}}], "more": [{}]}`))
		Expect(err).NotTo(HaveOccurred())
		Expect(events).To(HaveLen(1))
		e := events[0]
		Expect([]string{e.Name, e.Key, e.Subject}).To(Equal([]string{"call", "kéy", "c:cus_1"}))
		Expect(e.Timestamp).To(Equal(time.Date(2025, 5, 10, 12, 0, 0, 123456000, time.UTC)))
		Expect(e.Properties).To(Equal(`{"n":1e-05,"s":"a\"b","t":true,"exact":0.10}`))
	})

	DescribeTable("refuses a body of another shape",
		func(body, reason string) {
			_, err := event.Decode(strings.NewReader(body))
			Expect(err).To(MatchError(reason))
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
		},
		Entry("nothing", ``, "body: ends too early to be JSON"),
		Entry("no JSON", `{"events": [}`, "body: cannot be read as JSON in UTF-8: see byte 12"),
		Entry("half a body", `{"events": [{"event_name": "ca`, "body: ends too early to be JSON"),
		Entry("half a surrogate pair", `{"events": [{"event_name": "\ud800"}]}`, "body: cannot be read as JSON in UTF-8: see byte 28"),
		Entry("an array", `[]`, "body: must be an object"),
		Entry("no events", `{"debug": true}`, "events: is required"),
		Entry("events that are null", `{"events": null}`, "events: must be an array"),
		Entry("events in an object", `{"events": {}}`, "events: must be an array"),
		Entry("an event that is no object", `{"events": [{}, 1]}`, "events[1]: must be an object"),
		Entry("events twice", `{"events": [], "events": []}`, "events: is given twice"),
		Entry("a second value", `{"events": []} {}`, "body: nothing may follow the object"),
		Entry("text after the body", `{"events": []} x`, "body: cannot be read as JSON in UTF-8: see byte 15"),
		Entry("nesting beyond measure", `{"events": [{"x": `+strings.Repeat("[", 20000), "body: cannot be read as JSON in UTF-8: see byte 10015"),
	)

	It("hands on an error of the reader", func() {
		broken := errors.New("connection reset")
		_, err := event.Decode(io.MultiReader(strings.NewReader(`{"events": [{"event_name": "ca`), iotest.ErrReader(broken)))
		Expect(err).To(MatchError(broken))
	})
})

var _ = Describe("Checking an event by itself", func() {
	var d fixture
	BeforeEach(OncePerOrdered, func() { d = newFixture() })

	Describe("one member", Ordered, func() {
		DescribeTable("is refused, or not",
			func(member, reason string) {
				outcome := d.send(call("key", member))
				if reason == "" {
					Expect(outcome.Failed).To(BeEmpty())
					return
				}
				Expect(outcome.Failed).To(HaveLen(1))
				Expect(outcome.Failed[0].Reasons).To(Equal([]string{reason}))
			},
			Entry("a name with blanks is allowed", `"event_name": " a b "`, ""),
			Entry("a name of 255 characters is allowed", `"event_name": "`+strings.Repeat("é", 255)+`"`, ""),
			Entry("a name of 256 characters is not", `"event_name": "`+strings.Repeat("e", 256)+`"`, "event_name: must be a string of 1 to 255 characters"),
			Entry("an empty name is not", `"event_name": ""`, "event_name: must be a string of 1 to 255 characters"),
			Entry("nor a number", `"event_name": 5`, "event_name: must be a string of 1 to 255 characters"),
			Entry("nor null", `"event_name": null`, "event_name: is required"),
			Entry("nor U+0000", `"event_name": "a\u0000"`, "event_name: must not contain the character U+0000"),

			Entry("an empty alias names nobody", `"external_customer_id": ""`, "customer_id, external_customer_id: exactly one must be specified"),
			Entry("a null alias neither", `"external_customer_id": null`, "customer_id, external_customer_id: exactly one must be specified"),
			Entry("an alias is text", `"external_customer_id": 12`, "external_customer_id: must be a string of 1 to 255 characters"),
			Entry("an id too", `"customer_id": {}`, "customer_id: must be a string of 1 to 255 characters"),

			Entry("an offset of zero is UTC (E-8)", `"timestamp": "2025-05-10T12:00:00+00:00"`, ""),
			Entry("a negative zero too", `"timestamp": "2025-05-10T12:00:00-00:00"`, ""),
			Entry("another offset is not (E-8)", `"timestamp": "2025-05-10T14:00:00+02:00"`, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("seconds may be left out", `"timestamp": "2025-05-10T12:00"`, ""),
			Entry("a date is not enough", `"timestamp": "2025-05-10"`, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("30 February is no date", `"timestamp": "2025-02-30T12:00:00Z"`, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("ten digits of a second are too many", `"timestamp": "2025-05-10T12:00:00.1234567890Z"`, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("a number is no time", `"timestamp": 1746878400`, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("null neither", `"timestamp": null`, "timestamp: must be an ISO 8601 date-time in UTC"),

			Entry("properties may be null", `"properties": null`, ""),
			Entry("and empty", `"properties": {}`, ""),
			Entry("but no array", `"properties": []`, "properties: must be an object"),
			Entry("and hold 256 KiB", `"properties": {"s": "`+strings.Repeat("s", 256<<10-8)+`"}`, ""),
			Entry("but no byte more", `"properties": {"s": "`+strings.Repeat("s", 256<<10-7)+`"}`, "properties: must be at most 256 KiB"),
			Entry("a property may be null", `"properties": {"a": null}`, ""),
			Entry("and have any name", `"properties": {"": 1, "a b": 2, "\u00e9": 3}`, ""),
			Entry("but be no object", `"properties": {"a": {"b": 1}}`, "properties.a: must be a string, number or boolean"),
			Entry("nor stand twice, under any spelling", `"properties": {"a": 1, "\u0061": 1}`, "properties.a: is given twice"),
			Entry("nor hold U+0000", `"properties": {"a": "\u0000"}`, "properties.a: must not contain the character U+0000"),
			Entry("while a backslash before u0000 is text", `"properties": {"a": "\\u0000"}`, ""),
			Entry("38 digits are exact", `"properties": {"n": 12345678901234567890.123456789012345678}`, ""),
			Entry("39 are too many", `"properties": {"n": 12345678901234567890.1234567890123456789}`,
				"properties.n: must be a number below 1e30 with up to 38 significant digits and 60 decimal places"),
			Entry("1e30 is too large", `"properties": {"n": 1e30}`,
				"properties.n: must be a number below 1e30 with up to 38 significant digits and 60 decimal places"),
			Entry("1e400000 costs nothing", `"properties": {"n": 1e400000}`,
				"properties.n: must be a number below 1e30 with up to 38 significant digits and 60 decimal places"),
			Entry("1e-60 is small enough", `"properties": {"n": 1e-60}`, ""),

			Entry("an unknown member loses nothing in silence", `"propertys": {}`, "propertys: is not a field of an event"),
			Entry("names of members are exact", `"Properties": {}`, "Properties: is not a field of an event"),
			Entry("a member stands once", `"event_name": "a", "event_name": "a"`, "event_name: is given twice"),
		)
	})
})
