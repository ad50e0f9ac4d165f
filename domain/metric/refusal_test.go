package metric_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
)

// refused gives the error of a metric, which must be there.
func refused(sql string) *metric.SyntaxError {
	q, err := metric.Parse(sql)
	Expect(q).To(BeNil())
	Expect(err).To(BeAssignableToTypeOf(&metric.SyntaxError{}), sql)
	return err.(*metric.SyntaxError)
}

// doubling compiles to some three thousand nodes: each BETWEEN doubles its operand.
var doubling = strings.Repeat("CASE WHEN ", 9) + "n" + strings.Repeat(" BETWEEN 1 AND 2 THEN 1 END", 9)

var _ = Describe("A metric is refused", func() {
	DescribeTable("at its place, with the reason",
		func(sql string, line, column int, reason string) {
			err := refused(sql)
			Expect([]int{err.Line, err.Column}).To(Equal([]int{line, column}), err.Error())
			Expect(err.Message).To(ContainSubstring(reason))
		},
		Entry("when it is empty", "", 1, 1, "one SELECT statement"),
		Entry("when it is blank", " \n\t ", 2, 3, "one SELECT statement"),
		Entry("when it is a word", "hello", 1, 1, "one SELECT statement"),
		Entry("when it inserts", "INSERT INTO events VALUES (1)", 1, 1, "one SELECT statement"),
		Entry("when it deletes", "DELETE FROM events", 1, 1, "one SELECT statement"),
		Entry("when it begins with WITH", "WITH t AS (SELECT 1) SELECT COUNT(*) FROM t", 1, 1, "one SELECT statement"),
		Entry("when it explains", "EXPLAIN SELECT COUNT(*) FROM events", 1, 1, "one SELECT statement"),
		Entry("when it is in brackets", "(SELECT COUNT(*) FROM events)", 1, 1, "one SELECT statement"),
		Entry("for a second statement", "SELECT SUM(n) FROM events; DROP TABLE events", 1, 26, "one statement only"),
		Entry("for a closing semicolon", "SELECT SUM(n) FROM events;", 1, 26, "one statement only"),
		Entry("for a line comment", "SELECT SUM(n) FROM events -- all", 1, 27, "comments"),
		Entry("for a comment in the middle", "SELECT SUM(n) /* x */ FROM events", 1, 15, "comments"),
		Entry("for a comment that a minus opens", "SELECT SUM(n --1\n) FROM events", 1, 14, "comments"),
		Entry("without an aggregate", "SELECT n FROM events", 1, 8, "selects an aggregate"),
		Entry("for a constant", "SELECT 1 FROM events", 1, 8, "selects an aggregate"),
		Entry("for a star", "SELECT * FROM events", 1, 8, "expected a value"),
		Entry("for two columns", "SELECT SUM(a), SUM(b) FROM events", 1, 14, "expected FROM"),
		Entry("for an alias without AS", "SELECT SUM(a) total FROM events", 1, 15, "expected FROM"),
		Entry("for a keyword as alias", "SELECT SUM(a) AS from FROM events", 1, 18, "expected a name"),
		Entry("for DISTINCT rows", "SELECT DISTINCT COUNT(*) FROM events", 1, 8, "expected a value"),
		Entry("for an aggregate in an aggregate", "SELECT SUM(MAX(n)) FROM events", 1, 12, "in an aggregate"),
		Entry("for an aggregate in WHERE", "SELECT SUM(n) FROM events WHERE n > AVG(n)", 1, 37, "cannot stand in WHERE"),
		Entry("for DISTINCT in a sum", "SELECT SUM(DISTINCT n) FROM events", 1, 12, "COUNT only"),
		Entry("for an aggregate out of the list", "SELECT STRING_AGG(n, ',') FROM events", 1, 8, "no function"),
		Entry("for a sum of nothing", "SELECT SUM() FROM events", 1, 8, "at least 1"),
		Entry("for a sum of two", "SELECT SUM(a, b) FROM events", 1, 15, "at most 1"),
		Entry("for LATEST_BY without an order", "SELECT LATEST_BY(n) FROM events", 1, 8, "at least 2"),
		Entry("for a sum of a star", "SELECT SUM(*) FROM events", 1, 12, "expected a value"),
		Entry("for a window", "SELECT SUM(n) OVER () FROM events", 1, 15, "expected FROM"),
		Entry("for another table", "SELECT COUNT(*) FROM accounts", 1, 22, "read FROM events"),
		Entry("for a schema", "SELECT COUNT(*) FROM public.events", 1, 22, "read FROM events"),
		Entry("for a system table", "SELECT COUNT(*) FROM pg_shadow", 1, 22, "read FROM events"),
		Entry("for a quoted table", `SELECT COUNT(*) FROM "events"`, 1, 22, "read FROM events"),
		Entry("for no table", "SELECT COUNT(*)", 1, 16, "expected FROM"),
		Entry("for GROUP BY without BY", "SELECT COUNT(*) FROM (SELECT u FROM events GROUP u) t", 1, 50, "expected BY"),
		Entry("for GROUP BY of a position", "SELECT COUNT(*) FROM (SELECT u FROM events GROUP BY 1) t", 1, 53, "not a constant or a position"),
		Entry("for GROUP BY of an aggregate", "SELECT COUNT(*) FROM (SELECT 1 FROM events GROUP BY SUM(n)) t", 1, 53, "cannot stand in GROUP BY"),
		Entry("for GROUP BY of a condition", "SELECT COUNT(*) FROM (SELECT 1 FROM events GROUP BY n > 1) t", 1, 53, "this is a condition"),
		Entry("for a name beside GROUP BY", "SELECT SUM(n) FROM (SELECT u, n FROM events GROUP BY u) t", 1, 31, "nor in GROUP BY"),
		Entry("for a name beside GROUP BY of a calculation", "SELECT SUM(n) FROM (SELECT n FROM events GROUP BY n + 1) t", 1, 28, "nor in GROUP BY"),
		Entry("for a name in a calculation beside GROUP BY", "SELECT SUM(x) FROM (SELECT 1 + MAX(n) * m AS x FROM events GROUP BY n) t", 1, 41, "nor in GROUP BY"),
		Entry("for a name in a condition beside GROUP BY",
			"SELECT SUM(x) FROM (SELECT CASE WHEN u IN ('a') AND v IS NULL THEN 1 END AS x FROM events GROUP BY u) t", 1, 53, "nor in GROUP BY"),
		Entry("for a name beside an aggregate", "SELECT SUM(n) + m FROM events", 1, 17, "neither in an aggregate"),
		Entry("for a name beside an aggregate in a sub-query", "SELECT SUM(n) FROM (SELECT n, COUNT(*) FROM events) t", 1, 28, "neither in an aggregate"),
		Entry("for a name in HAVING", "SELECT SUM(n) FROM events HAVING n > 1", 1, 34, "neither in an aggregate"),
		Entry("for a name in HAVING beside GROUP BY", "SELECT SUM(u) FROM (SELECT u FROM events GROUP BY u HAVING n > 1) t", 1, 60, "neither in an aggregate"),
		Entry("for HAVING without an aggregate over names", "SELECT SUM(n) FROM (SELECT n FROM events HAVING TRUE) t", 1, 28, "neither in an aggregate"),
		Entry("for HAVING of a value", "SELECT SUM(n) FROM events HAVING SUM(n)", 1, 34, "expected a condition"),
		Entry("for HAVING before WHERE", "SELECT SUM(n) FROM events HAVING COUNT(*) > 1 WHERE n > 1", 1, 47, "nothing may follow"),
		Entry("for an aggregate in the WHERE of a sub-query", "SELECT SUM(n) FROM (SELECT n FROM events WHERE MAX(n) > 1) t", 1, 48, "cannot stand in WHERE"),
		Entry("for a sub-query without a name", "SELECT SUM(n) FROM (SELECT n FROM events)", 1, 42, "a name for the sub-query"),
		Entry("for a sub-query named by a keyword", "SELECT SUM(n) FROM (SELECT n FROM events) WHERE n > 1", 1, 43, "a name for the sub-query"),
		Entry("for a sub-query that is not closed", "SELECT SUM(n) FROM (SELECT n FROM events t", 1, 42, "closing bracket of the sub-query"),
		Entry("for a table in brackets", "SELECT SUM(n) FROM (events) t", 1, 21, "expected a sub-query"),
		Entry("for a sub-query in two brackets", "SELECT SUM(n) FROM ((SELECT n FROM events) t)", 1, 21, "expected a sub-query"),
		Entry("for a sub-query of another table", "SELECT SUM(n) FROM (SELECT n FROM accounts) t", 1, 35, "read FROM events"),
		Entry("for a sub-query of a catalog", "SELECT COUNT(*) FROM (SELECT 1 FROM pg_catalog.pg_class) t", 1, 37, "read FROM events"),
		Entry("for a sub-query that selects all", "SELECT SUM(n) FROM (SELECT * FROM events) t", 1, 28, "expected a value"),
		Entry("for a sub-query that selects nothing", "SELECT SUM(n) FROM (SELECT FROM events) t", 1, 28, "expected a value"),
		Entry("for a sub-query that selects a condition", "SELECT SUM(n) FROM (SELECT n > 1 AS n FROM events) t", 1, 28, "this is a condition"),
		Entry("for a sub-query with an order", "SELECT SUM(n) FROM (SELECT n FROM events ORDER BY n) t", 1, 42, "ORDER is not supported"),
		Entry("for a sub-query with a limit", "SELECT SUM(n) FROM (SELECT n FROM events LIMIT 1) t", 1, 42, "LIMIT is not supported"),
		Entry("for a union in a sub-query", "SELECT SUM(n) FROM (SELECT n FROM events UNION SELECT 1) t", 1, 42, "UNION is not supported"),
		Entry("for a union with a sub-query", "SELECT SUM(n) FROM (SELECT n FROM events) t UNION ALL SELECT 1", 1, 45, "UNION is not supported"),
		Entry("for a join of sub-queries", "SELECT SUM(n) FROM (SELECT n FROM events) JOIN (SELECT 1 FROM events) u", 1, 43, "JOIN is not supported"),
		Entry("for two sub-queries", "SELECT SUM(n) FROM (SELECT n FROM events) t, (SELECT n FROM events) u", 1, 44, "nothing may follow"),
		Entry("for a column that a sub-query lacks", "SELECT SUM(m) FROM (SELECT n FROM events) t", 1, 12, "no column of this name"),
		Entry("for a column that has no name", "SELECT SUM(n) FROM (SELECT n + 1 FROM events) t", 1, 12, "no column of this name"),
		Entry("for a column in other letters", "SELECT SUM(N) FROM (SELECT n FROM events) t", 1, 12, "no column of this name"),
		Entry("for a column of the events behind a sub-query", "SELECT COUNT(timestamp) FROM (SELECT n FROM events) t", 1, 14, "no column of this name"),
		Entry("for a property behind a sub-query", "SELECT SUM(properties.n) FROM (SELECT n FROM events) t", 1, 12, "the sub-query's own name"),
		Entry("for the name of an inner sub-query", "SELECT SUM(t.n) FROM (SELECT t.n FROM (SELECT n FROM events) t) u", 1, 12, "the sub-query's own name"),
		Entry("for two columns of one name", "SELECT SUM(n) FROM (SELECT n, m AS n FROM events) t", 1, 31, "two columns"),
		Entry("for too many columns", "SELECT SUM(n) FROM (SELECT n"+strings.Repeat(", 1", 100)+" FROM events) t", 1, 328, "at most 100 columns"),
		Entry("for too many groups", "SELECT SUM(n) FROM (SELECT n FROM events GROUP BY n"+strings.Repeat(", n", 100)+") t", 1, 351, "at most 100 values"),
		Entry("for too many sub-queries", "SELECT SUM(n) FROM "+strings.Repeat("(SELECT n FROM ", 10)+"events"+strings.Repeat(") t", 10), 1, 156, "more than 10 SELECTs"),
		Entry("for columns that are too much together", "SELECT SUM(a) FROM (SELECT "+doubling+" AS a, "+doubling+" AS b FROM events) t", 1, 369, "makes the metric too complex"),
		Entry("for too many aggregates", "SELECT COUNT(*)"+counting(" + SUM(n + %d)", 1, 100)+" FROM events", 1, 1396, "at most 100 aggregates"),
		Entry("for too many aggregates with those of HAVING",
			"SELECT COUNT(*)"+counting(" + SUM(n + %d)", 1, 99)+" FROM events HAVING MAX(n) > 1", 1, 1413, "at most 100 aggregates"),
		Entry("for a percentile without a fraction", "SELECT PERCENTILE_CONT(n) FROM events", 1, 25, "expected a comma"),
		Entry("for a percentile of a percentage", "SELECT PERCENTILE_CONT(n, 95) FROM events", 1, 27, "from 0 to 1"),
		Entry("for a percentile below the first", "SELECT PERCENTILE_CONT(n, -0.5) FROM events", 1, 27, "from 0 to 1"),
		Entry("for a percentile by a string", "SELECT PERCENTILE_CONT(n, '0.5') FROM events", 1, 27, "from 0 to 1"),
		Entry("for a percentile by a property", "SELECT PERCENTILE_CONT(n, p) FROM events", 1, 27, "expected a value"),
		Entry("for a percentile by a calculation", "SELECT PERCENTILE_CONT(n, 1 / 2) FROM events", 1, 29, "closing bracket"),
		Entry("for a percentile within a group", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n) FROM events", 1, 27, "expected a comma"),
		Entry("for a sub-query as value", "SELECT SUM((SELECT 1)) FROM events", 1, 13, "behind FROM only"),
		Entry("for a sub-query in IN", "SELECT COUNT(*) FROM events WHERE a IN (SELECT 1)", 1, 41, "behind FROM only"),
		Entry("for EXISTS", "SELECT COUNT(*) FROM events WHERE EXISTS (SELECT 1)", 1, 35, "no function"),
		Entry("for a table's alias", "SELECT COUNT(*) FROM events e", 1, 29, "nothing may follow"),
		Entry("for a second table", "SELECT COUNT(*) FROM events, accounts", 1, 28, "nothing may follow"),
		Entry("for JOIN", "SELECT COUNT(*) FROM events JOIN accounts ON TRUE", 1, 29, "JOIN is not supported"),
		Entry("for UNION", "SELECT COUNT(*) FROM events\nUNION SELECT 1", 2, 1, "UNION is not supported"),
		Entry("for GROUP BY", "SELECT COUNT(*) FROM events GROUP BY u", 1, 29, "in sub-queries"),
		Entry("for ORDER BY", "SELECT COUNT(*) FROM events ORDER BY 1", 1, 29, "ORDER is not supported"),
		Entry("for LIMIT", "SELECT COUNT(*) FROM events WHERE a = 1 LIMIT 1", 1, 41, "LIMIT is not supported"),
		Entry("for FOR UPDATE", "SELECT COUNT(*) FROM events FOR UPDATE", 1, 29, "FOR is not supported"),
		Entry("for an empty WHERE", "SELECT COUNT(*) FROM events WHERE", 1, 34, "expected a value"),
		Entry("for a second WHERE", "SELECT COUNT(*) FROM events WHERE a WHERE b", 1, 37, "nothing may follow"),
		Entry("for a number as condition", "SELECT COUNT(*) FROM events WHERE 1", 1, 35, "expected a condition"),
		Entry("for a sum as condition", "SELECT COUNT(*) FROM events WHERE a AND b + 1", 1, 41, "expected a condition"),
		Entry("for a condition as value", "SELECT SUM(a = 1) FROM events", 1, 12, "expected a value"),
		Entry("for a compared condition", "SELECT COUNT(*) FROM events WHERE (a = 1) = TRUE", 1, 35, "expected a value"),
		Entry("for a chain of comparisons", "SELECT COUNT(*) FROM events WHERE 1 < a < 3", 1, 41, "nothing may follow"),
		Entry("for a name within another", "SELECT SUM(events.n) FROM events", 1, 12, "only properties"),
		Entry("for a deeper name", "SELECT SUM(properties.a.b) FROM events", 1, 24, "expected a comma"),
		Entry("for an empty name", `SELECT SUM("") FROM events`, 1, 12, "expected a value"),
		Entry("for sleeping", "SELECT SUM(pg_sleep(10)) FROM events", 1, 12, "no function"),
		Entry("for reading a file", "SELECT COUNT(pg_read_file('/etc/passwd')) FROM events", 1, 14, "no function"),
		Entry("for a quoted function", `SELECT SUM("abs"(n)) FROM events`, 1, 12, "no function"),
		Entry("for a helper of the compiler", "SELECT SUM(metric_number(n)) FROM events", 1, 12, "no function"),
		Entry("for CAST to another type", "SELECT SUM(CAST(n AS regclass)) FROM events", 1, 22, "the types are"),
		Entry("for CAST to a type with a length", "SELECT COUNT(CAST(n AS VARCHAR(10))) FROM events", 1, 31, "closing bracket of CAST"),
		Entry("for the short cast", "SELECT SUM(n::int) FROM events", 1, 13, "no meaning"),
		Entry("for concatenation by bars", "SELECT COUNT(a || b) FROM events", 1, 16, "no meaning"),
		Entry("for the operators of JSON", "SELECT SUM(properties->>'n') FROM events", 1, 23, "expected a value"),
		Entry("for a parameter", "SELECT SUM($1) FROM events", 1, 12, "no meaning"),
		Entry("for a placeholder", "SELECT SUM(?) FROM events", 1, 12, "no meaning"),
		Entry("for a named placeholder", "SELECT SUM(@n) FROM events", 1, 12, "no meaning"),
		Entry("for a backquote", "SELECT SUM(`n`) FROM events", 1, 12, "no meaning"),
		Entry("for a dollar-quoted string", "SELECT COUNT($$a$$) FROM events", 1, 14, "no meaning"),
		Entry("for an escape string", `SELECT COUNT(E'a') FROM events`, 1, 15, "expected a comma"),
		Entry("for an array", "SELECT COUNT(a[1]) FROM events", 1, 15, "no meaning"),
		Entry("for an open string", "SELECT COUNT(*) FROM events\nWHERE r = 'eu", 2, 11, "closing quote"),
		Entry("for an open string that ends in two quotes", "SELECT COUNT('eu'') FROM events", 1, 14, "closing quote"),
		Entry("for an open name", `SELECT SUM("n) FROM events`, 1, 12, "closing quote"),
		Entry("for an open bracket", "SELECT SUM((n) FROM events", 1, 16, "expected a comma"),
		Entry("for a bracket too many", "SELECT SUM(n)) FROM events", 1, 14, "expected FROM"),
		Entry("for CASE with an operand", "SELECT SUM(CASE r WHEN 'eu' THEN 1 END) FROM events", 1, 17, "expected WHEN"),
		Entry("for CASE without END", "SELECT SUM(CASE WHEN a THEN 1) FROM events", 1, 30, "expected END"),
		Entry("for NULLIF of one", "SELECT SUM(NULLIF(a)) FROM events", 1, 12, "at least 2"),
		Entry("for COALESCE of none", "SELECT SUM(COALESCE()) FROM events", 1, 12, "at least 1"),
		Entry("for IN without a list", "SELECT COUNT(*) FROM events WHERE a IN ()", 1, 41, "expected a value"),
		Entry("for IN over properties", "SELECT COUNT(*) FROM events WHERE a IN (b)", 1, 41, "expected a value"),
		Entry("for LIKE over a property", "SELECT COUNT(*) FROM events WHERE a LIKE b", 1, 42, "expected a pattern"),
		Entry("for a pattern that ends in an escape", `SELECT COUNT(*) FROM events WHERE a LIKE 'x\'`, 1, 42, "escape"),
		Entry("for a pattern that is too long", "SELECT COUNT(*) FROM events WHERE a LIKE '"+strings.Repeat("%", 1001)+"'", 1, 42, "at most 1000 bytes"),
		Entry("for IS without NULL", "SELECT COUNT(*) FROM events WHERE a IS TRUE", 1, 40, "expected NULL"),
		Entry("for BETWEEN without AND", "SELECT COUNT(*) FROM events WHERE a BETWEEN 1, 2", 1, 46, "expected AND"),
		Entry("for NOT before nothing it negates", "SELECT COUNT(*) FROM events WHERE a NOT 1", 1, 41, "expected IN, LIKE or BETWEEN"),
		Entry("for a malformed number", "SELECT SUM(12abc) FROM events", 1, 12, "malformed"),
		Entry("for a number of base 16", "SELECT SUM(0x1F) FROM events", 1, 12, "malformed"),
		Entry("for a number of two points", "SELECT SUM(1.2.3) FROM events", 1, 12, "malformed"),
		Entry("for a number without its exponent", "SELECT SUM(1e) FROM events", 1, 12, "malformed"),
		Entry("for a number of 1e30", "SELECT SUM(1e30) FROM events", 1, 12, "too many digits"),
		Entry("for a huge exponent", "SELECT SUM(1e99999999999999999999) FROM events", 1, 12, "too many digits"),
		Entry("for a tiny number", "SELECT SUM(1e-61) FROM events", 1, 12, "too many digits"),
		Entry("for 39 digits", "SELECT SUM(n * 0."+strings.Repeat("7", 39)+") FROM events", 1, 16, "too many digits"),
		Entry("for a product of too many digits", "SELECT SUM("+strings.Repeat("n * ", 40)+"n) FROM events", 1, 12, "too many digits"),
		Entry("for a quotient of too many digits", "SELECT SUM(n"+strings.Repeat(" / n", 33)+") FROM events", 1, 12, "too many digits"),
		Entry("for a zero byte", "SELECT SUM(n)\x00 FROM events", 1, 14, "zero bytes"),
		Entry("for a zero byte in a string", "SELECT COUNT('\x00') FROM events", 1, 15, "zero bytes"),
		Entry("for bytes that are not UTF-8", "SELECT COUNT('größe\xff') FROM events", 1, 20, "not UTF-8"),
		Entry("for an invisible blank", "SELECT\u00a0COUNT(*) FROM events", 1, 7, "no meaning"),
		Entry("for a sign that looks like a quote", "SELECT COUNT(‘a’) FROM events", 1, 14, "no meaning"),
		Entry("after letters of several bytes", "SELECT COUNT('größe' FROM events", 1, 22, "expected a comma"),
		Entry("after a carriage return", "SELECT COUNT(*)\r\nFROM\r\n  nowhere", 3, 3, "read FROM events"),
		Entry("for its length", "SELECT COUNT("+strings.Repeat("a", 10_000)+") FROM events", 1, 1, "longer than 10000 bytes"),
		Entry("for its depth in brackets", "SELECT SUM("+strings.Repeat("(", 60)+"1"+strings.Repeat(")", 60)+") FROM events", 1, 61, "nested too deeply"),
		Entry("for its depth in signs", "SELECT SUM("+strings.Repeat("- ", 60)+"1) FROM events", 1, 110, "nested too deeply"),
		Entry("for its depth in NOT", "SELECT COUNT(*) FROM events WHERE "+strings.Repeat("NOT ", 60)+"a", 1, 235, "nested too deeply"),
		Entry("for a row of too many sums", "SELECT SUM(a"+strings.Repeat(" + a", 151)+") FROM events", 1, 12, "too complex"),
		Entry("for a list of too many values", "SELECT COUNT(*) FROM events WHERE a IN (0"+strings.Repeat(",0", 1000)+")", 1, 2041, "at most 1000"),
		Entry("for too many operands", "SELECT SUM(GREATEST(0"+strings.Repeat(",0", 100)+")) FROM events", 1, 221, "at most 100"),
		Entry("for BETWEEN within BETWEEN, which doubles each time",
			"SELECT SUM("+strings.Repeat("CASE WHEN ", 14)+"a"+strings.Repeat(" BETWEEN 1 AND 2 THEN 1 END", 14)+") FROM events", 1, 62, "too complex"),
	)

	It("saying where and why in one line", func() {
		Expect(refused("SELECT n\nFROM events").Error()).To(Equal("line 1, column 8: a metric selects an aggregate, such as COUNT(*) or SUM(…)"))
	})

	It("without a word of the text in the message", func() {
		Expect(refused("SELECT secret(1) FROM events").Error()).NotTo(ContainSubstring("secret"))
	})
})

var _ = DescribeTable("A filter is refused",
	func(filter string, column int, reason string) {
		c, err := metric.ParseCondition(filter)
		Expect(c).To(BeNil())
		syntax, ok := err.(*metric.SyntaxError)
		Expect(ok).To(BeTrue())
		Expect(syntax.Column).To(Equal(column), syntax.Error())
		Expect(syntax.Message).To(ContainSubstring(reason))
	},
	Entry("when it is empty", "", 1, "expected a value"),
	Entry("when it is a value", "'eu'", 1, "expected a condition"),
	Entry("when it is an aggregate", "COUNT(*) > 1", 1, "cannot stand in a filter"),
	Entry("when more follows", "a = 1; DELETE FROM events", 6, "one statement only"),
	Entry("when it is a metric", "SELECT COUNT(*) FROM events", 1, "behind FROM only"),
)
