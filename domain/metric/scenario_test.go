package metric_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
)

// The four events of semantics 4.5.
var sample = []eventRow{
	{properties: `{"n": 5, "u": "x", "r": "eu"}`, at: "2025-03-01T10:00:00Z"},
	{properties: `{"n": 7, "u": "y", "r": "us"}`, at: "2025-03-01T11:00:00Z"},
	{properties: `{"n": "9", "u": "x"}`, at: "2025-03-01T12:00:00Z"},
	{properties: `{"n": 2.5, "u": "x", "r": "eu"}`, at: "2025-03-01T13:00:00Z"},
}

var _ = Describe("The scenarios of billable metrics", func() {
	quantities := []any{
		func(sql, quantity string) { Expect(answer(sql, sample)).To(Equal(quantity)) },
		Entry("M-1: every event is counted", `SELECT COUNT(*) FROM events`, "4"),
		Entry("M-2: a string is no number to a sum", `SELECT SUM(n) FROM events`, "14.5"),
		Entry("M-3: different values of one region", `SELECT COUNT(DISTINCT u) FROM events WHERE r = 'eu'`, "1"),
		Entry("M-4: the latest number", `SELECT LATEST_BY(n, timestamp) FROM events`, "2.5"),
		Entry("M-4: the earliest number", `SELECT EARLIEST_BY(n, timestamp) FROM events`, "5"),
		Entry("M-4: the highest number", `SELECT MAX(n) FROM events`, "7"),
		Entry("M-5: a sum of choices", `SELECT SUM(CASE WHEN r = 'eu' THEN n * 2 ELSE COALESCE(n, 1) END) FROM events`, "23"),
		Entry("M-6: a sum of maxima", `SELECT SUM(m) FROM (SELECT u, MAX(n) AS m FROM events GROUP BY u) t`, "12"),
	}
	DescribeTable("over the sample", quantities...)

	DescribeTable("M-7: over a period without events the quantity is 0",
		func(sql string) {
			Expect(answer(sql, nil)).To(Equal("0"))
			Expect(answer(strings.Replace(sql, "FROM events", "FROM events WHERE event_name = 'another'", 1), sample)).To(Equal("0"))
		},
		Entry("for a count", `SELECT COUNT(*) FROM events`),
		Entry("for a sum", `SELECT SUM(n) FROM events`),
		Entry("for different values", `SELECT COUNT(DISTINCT u) FROM events`),
		Entry("for the latest number", `SELECT LATEST_BY(n, timestamp) FROM events`),
		Entry("for the earliest number", `SELECT EARLIEST_BY(n, timestamp) FROM events`),
		Entry("for the highest number", `SELECT MAX(n) FROM events`),
		Entry("for the lowest number", `SELECT MIN(n) FROM events`),
		Entry("for the average", `SELECT AVG(n) FROM events`),
		Entry("for a sum of choices", `SELECT SUM(CASE WHEN r = 'eu' THEN n * 2 ELSE COALESCE(n, 1) END) FROM events`),
		Entry("for a sum of maxima", `SELECT SUM(m) FROM (SELECT u, MAX(n) AS m FROM events GROUP BY u) t`),
		Entry("for a percentile", `SELECT PERCENTILE_CONT(n, 0.5) FROM events`),
		Entry("for a quotient", `SELECT SUM(n) / COUNT(*) FROM events`),
	)

	DescribeTable("M-8: what is no metric is refused",
		func(sql string) {
			_, err := metric.Parse(sql)
			Expect(err).To(BeAssignableToTypeOf(&metric.SyntaxError{}))
		},
		Entry("for a second statement", `SELECT SUM(n) FROM events; DROP TABLE events`),
		Entry("for want of an aggregate", `SELECT n FROM events`),
	)

	It("M-9: a missing region is not another region", func() {
		Expect(passing(`NOT r = 'eu'`, sample)).To(Equal([]int{1}))
	})
})
