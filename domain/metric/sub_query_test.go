package metric_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
)

var _ = Describe("A metric of several steps", func() {
	// Requests of four users in two regions, in the order of ingestion.
	requests := []eventRow{
		{properties: `{"u": "ann", "r": "eu", "n": 4, "tier": "free"}`, at: "2025-03-01T10:00:00Z"},
		{properties: `{"u": "bob", "r": "eu", "n": 10, "tier": "pro"}`, at: "2025-03-01T10:30:00Z"},
		{properties: `{"u": "ann", "r": "us", "n": 6, "tier": "pro"}`, at: "2025-03-01T11:10:00Z"},
		{properties: `{"u": "cid", "r": "us", "n": "9"}`, at: "2025-03-01T11:20:00Z"},
		{properties: `{"r": "us", "n": 1}`, at: "2025-03-02T11:20:00Z"},
	}
	DescribeTable("gives",
		func(sql, quantity string) { Expect(answer(sql, requests)).To(Equal(quantity)) },
		Entry("what is computed of aggregates", `SELECT SUM(n) / COUNT(*) FROM events`, "4.2"),
		Entry("a function of an aggregate", `SELECT ROUND(SUM(n) / 1000, 2) FROM events`, "0.02"),
		Entry("a choice between aggregates", `SELECT CASE WHEN COUNT(*) > 3 AND SUM(n) > 20 THEN MAX(n) ELSE 0 END FROM events`, "10"),
		Entry("a value in place of none", `SELECT COALESCE(SUM(absent), 7) FROM events`, "7"),
		Entry("a quotient by zero as 0", `SELECT SUM(n) / COUNT(absent) FROM events`, "0"),
		Entry("an aggregate that stands twice", `SELECT COUNT(DISTINCT u) * COUNT(DISTINCT u) + COUNT(u) FROM events`, "13"),
		Entry("a negative number", `SELECT -SUM(n) FROM events`, "-21"),
		Entry("a fraction that ends after 40 places", `SELECT SUM(n) / 9 FROM events`, "2.3333333333333333333333333333333333333333"),
		Entry("nothing beyond the bounds of a number", `SELECT SUM(n) * 1e29 FROM events`, "0"),
		Entry("an outermost HAVING that holds", `SELECT SUM(n) FROM events HAVING COUNT(*) = 5`, "21"),
		Entry("an outermost HAVING that does not", `SELECT SUM(n) FROM events HAVING COUNT(*) > 5`, "0"),
		Entry("an outermost HAVING that is unknown", `SELECT SUM(n) FROM events HAVING MAX(absent) = 1`, "0"),

		Entry("the middle of numbers", `SELECT PERCENTILE_CONT(n, 0.5) FROM events`, "5"),
		Entry("the place of a percentile in proportion", `SELECT PERCENTILE_CONT(n, 0.95) FROM events`, "9.4"),
		Entry("the lowest as percentile 0", `SELECT PERCENTILE_CONT(n, 0) FROM events`, "1"),
		Entry("the highest as percentile 1", `SELECT PERCENTILE_CONT(n, 1.0) FROM events`, "10"),
		Entry("a percentile of one number", `SELECT PERCENTILE_CONT(n, 0.3) FROM events WHERE u = 'bob'`, "10"),
		Entry("a percentile with exact tenths", `SELECT PERCENTILE_CONT(n * 0.1, 0.1) FROM events`, "0.19"),
		Entry("a percentile to 60 places", `SELECT PERCENTILE_CONT(CASE WHEN n = 1 THEN 3e-60 WHEN n = 4 THEN 0 END, 0.5) * 1 FROM events`,
			"0.000000000000000000000000000000000000000000000000000000000002"),
		Entry("a percentile alone to 60 places", `SELECT PERCENTILE_CONT(CASE WHEN n = 1 THEN 3e-60 WHEN n = 4 THEN 0 END, 0.5) FROM events`,
			"0.000000000000000000000000000000000000000000000000000000000002"),

		Entry("rows of a sub-query", `SELECT SUM(double) FROM (SELECT n * 2 AS double, r FROM events WHERE n > 1) t WHERE r = 'eu'`, "28"),
		Entry("rows of a sub-query by its name", `SELECT SUM(t.n) FROM (SELECT n FROM events) AS t WHERE t.n < 5`, "5"),
		Entry("rows of a sub-query with names in quotes", `SELECT SUM("a ""b""") FROM (SELECT n AS "a ""b""" FROM events) "t t"`, "21"),
		Entry("columns of events that a sub-query hands on", `SELECT COUNT(DISTINCT SUBSTR(timestamp, 1, 10)) FROM (SELECT timestamp FROM events) t`, "2"),
		Entry("a property with its prefix", `SELECT SUM(n) FROM (SELECT properties.n FROM events) t`, "21"),
		Entry("groups", `SELECT COUNT(*) FROM (SELECT u FROM events GROUP BY u) t`, "4"),
		Entry("groups, of which the missing value makes one", `SELECT COUNT(u) FROM (SELECT u FROM events GROUP BY u) t`, "3"),
		Entry("groups by two values", `SELECT COUNT(*) FROM (SELECT u, r FROM events GROUP BY u, r) t`, "5"),
		Entry("groups by what is computed", `SELECT MAX(c) FROM (SELECT COUNT(*) AS c FROM events GROUP BY hour_floor_timestamp_millis(timestamp_millis)) t`, "2"),
		Entry("a calculation that is grouped by, and more of it", `SELECT SUM(x) FROM (SELECT (n % 5) * 10 + COUNT(*) AS x FROM events GROUP BY n % 5) t`, "54"),
		Entry("numbers and strings as different groups, and 1 and 1.0 as one",
			`SELECT COUNT(*) FROM (SELECT v FROM (SELECT CASE WHEN n = 4 THEN '1' WHEN n = 6 THEN 1.0 ELSE 1 END AS v FROM events) t GROUP BY v) t`, "2"),
		Entry("users with more than one request", `SELECT COUNT(*) FROM (SELECT u FROM events GROUP BY u HAVING COUNT(*) > 1) t`, "1"),
		Entry("groups by a HAVING of the group", `SELECT SUM(s) FROM (SELECT u, SUM(n) AS s FROM events GROUP BY u HAVING u <> 'bob') t`, "10"),
		Entry("a peak of hourly sums", `SELECT MAX(s) FROM (SELECT SUM(n) AS s FROM events GROUP BY hour_floor_timestamp_millis(timestamp_millis)) hours`, "14"),
		Entry("the latest state of each user", `SELECT COUNT(*) FROM (SELECT u, LATEST_BY(tier, timestamp) AS tier FROM events GROUP BY u) t WHERE tier = 'pro'`, "2"),
		Entry("the earliest state of each user", `SELECT COUNT(*) FROM (SELECT u, EARLIEST_BY(tier, timestamp) AS tier FROM events GROUP BY u) t WHERE tier = 'free'`, "1"),
		Entry("the middle of users' sums", `SELECT PERCENTILE_CONT(s, 0.5) FROM (SELECT SUM(n) AS s FROM events GROUP BY u) t`, "10"),
		Entry("sub-queries in sub-queries",
			`SELECT MAX(s) FROM (SELECT r, SUM(m) AS s FROM (SELECT u, r, MAX(n) AS m FROM events GROUP BY u, r) a GROUP BY r) b`, "14"),
		Entry("a sub-query of one row", `SELECT SUM(c) FROM (SELECT COUNT(*) AS c FROM events WHERE r = 'eu') t`, "2"),
		Entry("a sub-query of one row over nothing", `SELECT COUNT(*) FROM (SELECT SUM(n) AS s FROM events WHERE r = 'asia') t`, "1"),
		Entry("a sub-query of one row that HAVING drops", `SELECT COUNT(*) FROM (SELECT SUM(n) AS s FROM events HAVING COUNT(*) > 99) t`, "0"),
		Entry("keywords in any case", `select sum(M) from (select u, max(n) as M from events where n > 0 group by u having count(*) > 0) as T`, "17"),

		Entry("in numbers, the latest number, past a later string", `SELECT LATEST_BY(n, timestamp) FROM events WHERE n <> 1 OR u = 'cid'`, "6"),
		Entry("in a comparison, the latest value of any type", `SELECT CASE WHEN LATEST_BY(n, timestamp) = '9' THEN 3 ELSE 4 END FROM events WHERE u IS NOT NULL`, "3"),
		Entry("the latest time", `SELECT CASE WHEN LATEST_BY(timestamp, n) = '2025-03-01T10:30:00Z' THEN 1 END FROM events`, "1"),
		Entry("the latest boolean", `SELECT CASE WHEN LATEST_BY(CAST(n AS BOOLEAN), timestamp) THEN 1 ELSE 0 END FROM events`, "1"),
		Entry("nothing where nothing is given", `SELECT EARLIEST_BY(NULL, timestamp) FROM events`, "0"),
		Entry("of groups that tie, the one with the event ingested last", `SELECT LATEST_BY(s, 1) FROM (SELECT SUM(n) AS s FROM events WHERE u IS NOT NULL GROUP BY r) t`, "6"),
		Entry("of groups that tie, the one whose last event came first", `SELECT EARLIEST_BY(s, 1) FROM (SELECT SUM(n) AS s FROM events GROUP BY r) t`, "14"),
	)

	It("ranks a group by its last event, also where earlier slices had another", func() {
		q := compiled(`SELECT LATEST_BY(k, 1) FROM (SELECT k, COUNT(*) AS c FROM events GROUP BY k) t`)
		events := []eventRow{{properties: `{"k": 1}`}, {properties: `{"k": 2}`}, {properties: `{"k": 1}`}}
		var amounts []string
		for slice := 1; slice <= 3; slice++ {
			amounts = append(amounts, measured(q, events, 3, 0)[""][slice].RatString())
		}
		Expect(amounts).To(Equal([]string{"1", "2", "1"}))
	})

	It("adds up over parts of its events if it is a count or a sum", func() {
		for sql, adds := range map[string]bool{
			`SELECT COUNT(*) FROM events`:                                        true,
			`SELECT SUM(n * 2) FROM events WHERE r = 'eu'`:                       true,
			`SELECT SUM(x) FROM (SELECT n AS x FROM events) t`:                   true,
			`SELECT COUNT(DISTINCT u) FROM events`:                               false,
			`SELECT MAX(n) FROM events`:                                          false,
			`SELECT SUM(n) / 2 FROM events`:                                      false,
			`SELECT SUM(n) FROM events HAVING COUNT(*) > 1`:                      false,
			`SELECT COUNT(*) FROM (SELECT u FROM events GROUP BY u) t`:           false,
			`SELECT SUM(x) FROM (SELECT MAX(n) AS x FROM events) t WHERE x <> 1`: false,
		} {
			q, err := metric.Parse(sql)
			Expect(err).NotTo(HaveOccurred(), sql)
			Expect(q.AddsUp()).To(Equal(adds), sql)
		}
	})
})
