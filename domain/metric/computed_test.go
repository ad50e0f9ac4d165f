package metric_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
)

var _ = Describe("A computed property", func() {
	one := []eventRow{{
		subject:    "e:acme",
		at:         "2025-03-01T10:20:30.5Z",
		properties: `{"n": 5.0, "s": "eu", "five": "5", "yes": true, "user-id": "u1", "a.b": 1, "5xx": 3, "group": "g", "timestamp": "mine", "list": [1], "nil": null}`,
	}}
	DescribeTable("is a JSON text",
		func(text, value string) {
			c, err := metric.ParseComputed(text)
			Expect(err).NotTo(HaveOccurred())
			Expect(readEach(c.Compile("e"), one, "none")).To(Equal([]string{value}))
		},
		Entry("of a string", `s`, `"eu"`),
		Entry("of a number, in one form", `n`, `5`),
		Entry("of a string of digits, which is no number", `five`, `"5"`),
		Entry("of a boolean", `yes`, `true`),
		Entry("of a column", `event_name`, `"call"`),
		Entry("of the customer as sent", `external_customer_id`, `"acme"`),
		Entry("of a property that is called like a column", `properties.timestamp`, `"mine"`),
		Entry("of an instant", `timestamp`, `"2025-03-01T10:20:30.5+00:00"`),
		Entry("of the hour of an event", `hour_floor_timestamp_millis(timestamp_millis)`, `1740823200000`),
		Entry("of arithmetic, in its shortest form", `n * 0.5`, `2.5`),
		Entry("of a condition", `n > 4 AND s = 'eu'`, `true`),
		Entry("of either type", `CASE WHEN yes THEN n ELSE s END`, `5`),
		Entry("of a name with a dash, not of a difference", `user-id`, `"u1"`),
		Entry("of a name with a dot", `a.b`, `1`),
		Entry("of a name that begins with a digit, in quotes", `properties."5xx"`, `3`),
		Entry("of a name that is a word of the language", `group`, `"g"`),
		Entry("of a name in quotes", `"user-id"`, `"u1"`),
		Entry("and nothing for a missing property", `absent`, `none`),
		Entry("and nothing for null", `nil`, `none`),
		Entry("and nothing for a list", `list`, `none`),
		Entry("and nothing for what is unknown", `absent > 1`, `none`),
		Entry("and nothing beyond the bounds of a number", `n * 1e29 * 10`, `none`),
	)

	DescribeTable("is refused",
		func(text, message string) {
			_, err := metric.ParseComputed(text)
			Expect(err).To(MatchError(message))
		},
		Entry("with an aggregate", `SUM(n)`, "line 1, column 1: an aggregate cannot stand in a computed property"),
		Entry("with something after it", `n + 1 n`, "line 1, column 7: nothing may follow the computed property"),
		Entry("without anything", ``, "line 1, column 1: expected a value"),
		Entry("without a name behind the prefix", `properties.`, "line 1, column 12: expected a name"),
		Entry("with a zero byte", "\x00", "line 1, column 1: is not UTF-8 text without zero bytes"),
	)
})
