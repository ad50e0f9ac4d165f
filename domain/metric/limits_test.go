package metric_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Whatever is within the limits must be within PostgreSQL's as well.
var _ = DescribeTable("A metric at the limits still runs",
	func(expression, quantity string) {
		events := []eventRow{{properties: `{"n": 1, "s": "x"}`}}
		Expect(answer("SELECT SUM("+expression+") FROM events", events)).To(Equal(quantity))
	},
	Entry("as a row of sums", "n"+strings.Repeat(" + n", 140), "141"),
	Entry("as brackets in brackets", strings.Repeat("(n + ", 45)+"n"+strings.Repeat(")", 45), "46"),
	Entry("as signs of signs", strings.Repeat(" - ", 44)+"n", "1"),
	Entry("as functions of functions", strings.Repeat("COALESCE(ABS(", 24)+"n"+strings.Repeat("), 1)", 24), "1"),
	Entry("as quotients of quotients", strings.Repeat("n / (", 15)+"n"+strings.Repeat(")", 15), "1"),
	Entry("as comparisons in comparisons", strings.Repeat("CASE WHEN NOT ", 22)+"n = 2"+strings.Repeat(" THEN COALESCE(n, s) END = n", 21)+" THEN 1 ELSE 2 END", "2"),
	Entry("as GREATEST in GREATEST", "GREATEST("+strings.Repeat("LENGTH(CAST(GREATEST(s, ", 15)+"s"+strings.Repeat(") AS VARCHAR))", 15)+", n)", "1"),
	Entry("as ranges of ranges", strings.Repeat("CASE WHEN ", 8)+"n"+strings.Repeat(" BETWEEN 1 AND 2 THEN 1 END", 8), "1"),
	Entry("as a long list", "CASE WHEN n IN (0"+strings.Repeat(",1", 999)+") THEN 5 END", "5"),
	Entry("as many conditions", "CASE WHEN n = 2"+strings.Repeat(" OR n = 1", 900)+" THEN 5 END", "5"),
	Entry("as a long pattern", "CASE WHEN s LIKE '"+strings.Repeat("%", 999)+"x' THEN 5 END", "5"),
	Entry("as a long string", "LENGTH("+strings.Repeat("CONCAT(", 3)+"s"+strings.Repeat(strings.Repeat(", 'a', 'b', 'c', 'd', 'e', 'f', 'g'", 13)+")", 3)+")", "274"),
	Entry("as many operands", "LENGTH(CONCAT(s"+strings.Repeat(",s", 99)+"))", "100"),
	Entry("as products of all digits", strings.Repeat("n * ", 15)+"n", "1"),
)

var _ = DescribeTable("A metric of many steps at the limits still runs",
	func(sql, quantity string) {
		events := []eventRow{{properties: `{"n": 1, "s": "x"}`}, {properties: `{"n": 2, "s": "x"}`}}
		Expect(answer(sql, events)).To(Equal(quantity))
	},
	Entry("as sub-queries of sub-queries, which group",
		"SELECT SUM(x) FROM "+strings.Repeat("(SELECT s, SUM(x) AS x FROM ", 8)+"(SELECT s, n AS x FROM events) t"+strings.Repeat(" GROUP BY s) t", 8), "3"),
	Entry("as sub-queries of sub-queries, which go by order",
		"SELECT LATEST_BY(x, o) FROM "+strings.Repeat("(SELECT LATEST_BY(x, o) AS x, MAX(o) AS o FROM ", 8)+
			"(SELECT n AS x, timestamp_millis AS o FROM events) t"+strings.Repeat(") t", 8), "2"),
	Entry("as a hundred columns", "SELECT SUM(c7 + c99) FROM (SELECT n"+counting(", n AS c%d", 1, 99)+" FROM events) t", "6"),
	Entry("as a hundred groups", "SELECT COUNT(*) FROM (SELECT COUNT(*) AS c FROM events GROUP BY n"+counting(", p%d", 1, 99)+") t", "2"),
	Entry("as a hundred aggregates", "SELECT COUNT(*)"+counting(" + SUM(n + %d)", 1, 99)+" FROM events", "10199"),
	Entry("as a hundred averages", "SELECT AVG(n)"+counting(" + AVG(n + %d)", 1, 99)+" FROM events", "5100"),
	Entry("as a hundred counts of different values", "SELECT 0"+counting(" + COUNT(DISTINCT n + %d)", 1, 99)+" FROM events", "198"),
	Entry("as a hundred aggregates in each of several", "SELECT COUNT(*)"+counting(" + SUM(n + %d)", 1, 99)+
		" FROM (SELECT COUNT(*)"+counting(" + SUM(n + %d)", 1, 99)+" AS n FROM events) t", "1014652"),
	Entry("as a hundred different percentiles", "SELECT 0"+counting(" + PERCENTILE_CONT(n + %d, 0.5)", 1, 99)+" FROM events", "5098.5"),
)

// counting repeats a template for numbers.
func counting(template string, from, to int) (text string) {
	for i := from; i <= to; i++ {
		text += fmt.Sprintf(template, i)
	}
	return text
}
