package metric_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
)

var _ = Describe("A value", func() {
	one := []eventRow{{
		subject: "e:shop 7", at: "2025-03-01T10:20:30.456789Z",
		properties: `{"n": 5.0, "s": "Abc", "digits": " 12.50 ", "yes": true, "no": false, "big": 99999999999999999999.5, "odd name": 3, "a\"b": 4, "count": 6, "timestamp": 8, "Größe": 9}`,
	}}
	number := func(expression string) string {
		return answerEach("SELECT SUM("+expression+") FROM events", one)[0]
	}
	text := func(expression string) string {
		c, err := metric.ParseComputed(expression)
		Expect(err).NotTo(HaveOccurred(), expression)
		value := readEach(c.Compile("e"), one, "NULL")[0]
		if strings.HasPrefix(value, `"`) {
			Expect(json.Unmarshal([]byte(value), &value)).To(Succeed())
		}
		return value
	}

	DescribeTable("is a number in a numeric context",
		func(expression, value string) { Expect(number(expression)).To(Equal(value)) },
		Entry("read from a property as it was sent", `n`, "5.0"),
		Entry("but a string never is, in a string function's place of a number", `LENGTH(SUBSTR(s, digits))`, "NULL"),
		Entry("but a string never is", `digits`, "NULL"),
		Entry("nor a boolean", `yes`, "NULL"),
		Entry("nor a time", `timestamp`, "NULL"),
		Entry("nor a missing property", `absent`, "NULL"),
		Entry("through quotes", `"odd name"`, "3"),
		Entry("through doubled quotes", `"a""b"`, "4"),
		Entry("through the prefix", `properties.n`, "5.0"),
		Entry("through the prefix with quotes", `properties."odd name"`, "3"),
		Entry("under a function's name", `count`, "6"),
		Entry("under a column's name with the prefix", `properties.timestamp`, "8"),
		Entry("under a name of other letters", `Größe`, "9"),
		Entry("products before sums", `1 + 2 * 3`, "7"),
		Entry("brackets first", `(1 + 2) * 3`, "9"),
		Entry("left to right", `10 - 4 - 3`, "3"),
		Entry("a sign before a product", `-2 * -3`, "6"),
		Entry("a sign of a sign", `-(-n)`, "5"),
		Entry("exact beyond a float", `big * 3`, "299999999999999999998.5"),
		Entry("exact for tenths", `0.1 + 0.2`, "0.3"),
		Entry("a third ends after 40 places", `1 / 3`, "0.3333333333333333333333333333333333333333"),
		Entry("of which the last is rounded away from zero", `-2 / 3`, "-0.6666666666666666666666666666666666666667"),
		Entry("also for a large dividend", `1000000000000 / 7`, "142857142857.1428571428571428571428571428571428571429"),
		Entry("also when more digits would follow a five", `0.00000000000000000000000000000000000000005 / 1`, "0.0000000000000000000000000000000000000001"),
		Entry("division by zero is NULL", `n / 0`, "NULL"),
		Entry("remainder by zero is NULL", `n % (n - 5)`, "NULL"),
		Entry("a remainder has its dividend's sign", `-7 % 3`, "-1"),
		Entry("from 1e30 on there is none", `1e29 * 10`, "NULL"),
		Entry("below 1e30 there is", `-1e29 * 9`, "-900000000000000000000000000000"),
		Entry("ABS", `ABS(-1.50)`, "1.5"),
		Entry("CEIL and FLOOR", `CEIL(1.2) * 10 + FLOOR(-1.2)`, "18"),
		Entry("ROUND half away from zero", `ROUND(-2.5)`, "-3"),
		Entry("ROUND to places", `ROUND(2.345, 2)`, "2.35"),
		Entry("ROUND to tens", `ROUND(125, -1)`, "130"),
		Entry("ROUND to absurdly many places", `ROUND(1.5, 1e29)`, "1.5"),
		Entry("ROUND to NULL places", `ROUND(1.5, absent)`, "NULL"),
		Entry("COALESCE hands the context on", `COALESCE(digits, n)`, "5"),
		Entry("CASE hands the context on", `CASE WHEN TRUE THEN digits ELSE 1 END`, "NULL"),
		Entry("CASE without ELSE is NULL", `CASE WHEN s = 'x' THEN 1 END`, "NULL"),
		Entry("GREATEST skips what is no number", `GREATEST(n, digits, absent, 2)`, "5"),
		Entry("LEAST", `LEAST(n, 7, 2)`, "2"),
		Entry("NULLIF of equals", `NULLIF(n, 5)`, "NULL"),
		Entry("NULLIF of a number and a string", `NULLIF(n, '5')`, "5"),
		Entry("NULLIF compares with a value out of the context", `NULLIF(5, COALESCE(s, 5))`, "5"),
		Entry("CAST reads a string", `CAST(digits AS DECIMAL)`, "12.5"),
		Entry("CAST to DOUBLE is exact", `CAST('0.1' AS DOUBLE) * 3`, "0.3"),
		Entry("CAST rounds to BIGINT", `CAST(digits AS BIGINT)`, "13"),
		Entry("CAST to BIGINT beyond 64 bits is NULL", `CAST(big AS BIGINT)`, "NULL"),
		Entry("CAST of words is NULL", `CAST(s AS DECIMAL)`, "NULL"),
		Entry("CAST of a huge exponent is NULL", `CAST('1e400000' AS DECIMAL)`, "NULL"),
		Entry("CAST of NaN is NULL", `CAST('NaN' AS DOUBLE)`, "NULL"),
		Entry("CAST of a boolean is NULL", `CAST(yes AS BIGINT)`, "NULL"),
		Entry("LENGTH counts characters", `LENGTH('größe')`, "5"),
		Entry("LENGTH of a number is NULL", `LENGTH(n)`, "NULL"),
		Entry("timestamp_millis is cut to the millisecond", `timestamp_millis`, "1740824430456"),
		Entry("the start of its second", `second_floor_timestamp_millis(timestamp_millis)`, "1740824430000"),
		Entry("the start of its minute", `MINUTE_FLOOR_TIMESTAMP_MILLIS(timestamp_millis)`, "1740824400000"),
		Entry("the start of its hour", `hour_floor_timestamp_millis(timestamp_millis)`, "1740823200000"),
		Entry("the start of its day", `day_floor_timestamp_millis(timestamp_millis)`, "1740787200000"),
		Entry("a day before 1970", `day_floor_timestamp_millis(-1)`, "-86400000"),
	)

	DescribeTable("is text outside of it",
		func(expression, value string) { Expect(text(expression)).To(Equal(value)) },
		Entry("LOWER and UPPER", `CONCAT(LOWER(s), UPPER(s))`, "abcABC"),
		Entry("LOWER of a number is NULL", `LOWER(n)`, "NULL"),
		Entry("TRIM", `TRIM(digits)`, "12.50"),
		Entry("CONCAT reads all types and skips NULL", `CONCAT(s, n, absent, yes)`, "Abc5true"),
		Entry("SUBSTR counts from 1", `SUBSTR(s, 2)`, "bc"),
		Entry("SUBSTR takes a length", `SUBSTR(s, 1, 2)`, "Ab"),
		Entry("SUBSTR counts places before the first", `SUBSTR(s, -1, 3)`, "A"),
		Entry("SUBSTR cuts the fraction of a place", `SUBSTR(s, 2.9, 1.9)`, "b"),
		Entry("SUBSTR of a place that is no number", `SUBSTR(s, '2')`, "NULL"),
		Entry("NULLIF of equal strings", `NULLIF(s, 'Abc')`, "NULL"),
		Entry("NULLIF of a string and a number", `NULLIF(digits, 12.5)`, " 12.50 "),
		Entry("CASE takes ELSE where nothing is known", `CASE WHEN absent = 1 THEN 'yes' ELSE 'no' END`, "no"),
		Entry("CASE takes the first that holds", `CASE WHEN n = 4 THEN 'four' WHEN yes THEN 'five' WHEN n = 5 THEN 'also' END`, "five"),
		Entry("LEAST skips NULL", `LEAST(absent, 'b', NULL, 'a')`, "a"),
		Entry("GREATEST of booleans", `GREATEST(no, yes)`, "true"),
		Entry("TRIM of blanks only", `TRIM(CONCAT('  ', s, ' . '))`, "Abc ."),
		Entry("SUBSTR of a negative length is NULL", `SUBSTR(s, 1, 0 - 1)`, "NULL"),
		Entry("SUBSTR from far away is empty", `SUBSTR(s, 1e29)`, ""),
		Entry("SUBSTR of a huge length is the rest", `SUBSTR(s, 2, 1e29)`, "bc"),
		Entry("CAST prints numbers in short", `CAST(n AS VARCHAR)`, "5"),
		Entry("GREATEST goes by code point", `GREATEST('ab', 'a', 'Z')`, `ab`),
		Entry("GREATEST of the row's strings too", `GREATEST(s, 'a', 'Z')`, "a"),
		Entry("GREATEST of different types is NULL", `GREATEST(s, n)`, "NULL"),
		Entry("two quotes are one", `'it''s'`, "it's"),
		Entry("a backslash is itself", `'a\n'`, `a\n`),
		Entry("a time is its ISO string", `COALESCE(absent, timestamp)`, "2025-03-01T10:20:30.456789+00:00"),
		Entry("of which the day can be cut", `SUBSTR(timestamp, 1, 10)`, "2025-03-01"),
		Entry("columns", `CONCAT(event_name, ' ', idempotency_key, ' ', external_customer_id)`, "call key a shop 7"),
		Entry("a customer named by alias has no id here", `customer_id`, "NULL"),
	)

	DescribeTable("groups as text",
		func(key, label string) {
			Expect(readEach(metric.Label("e", key), one, "NULL")[0]).To(Equal(label))
		},
		Entry("a string as it is", "digits", " 12.50 "),
		Entry("a number in its shortest form", "n", "5"),
		Entry("a boolean as a word", "yes", "true"),
		Entry("a missing property as NULL", "absent", "NULL"),
		Entry("a name is never SQL", `x') OR ('1' = '1`, "NULL"),
	)

	odd := []eventRow{
		{properties: `{"v": 7, "w": 1}`}, {properties: `{"v": "7", "w": "a"}`}, {properties: `{"v": 7.00, "w": true}`},
		{properties: `{"v": true}`}, {properties: `{"v": "true"}`}, {properties: `{"v": null}`}, {properties: `{}`}, {properties: `{"v": [1]}`},
	}
	It("is counted unless it is NULL", func() {
		Expect(answer(`SELECT COUNT(v) FROM events`, odd)).To(Equal("5"))
	})
	It("is distinct by type and value: 7 is 7.00 but not '7'", func() {
		Expect(answer(`SELECT COUNT(DISTINCT v) FROM events`, odd)).To(Equal("4"))
		Expect(answer(`SELECT COUNT(DISTINCT v * 1) FROM events`, odd)).To(Equal("1"))
	})
	It("is put together up to 65,536 characters", func() {
		long := []eventRow{{properties: `{"s": "` + strings.Repeat("ä", 40_000) + `"}`}}
		Expect(answer(`SELECT SUM(LENGTH(CONCAT(s, s))) FROM events`, long)).To(Equal("65536"))
		Expect(answer(`SELECT SUM(LENGTH(s)) FROM events WHERE CONCAT(s) = s`, long)).To(Equal("40000"))
	})
	It("is no number to an aggregate of numbers, if it is a string or a boolean", func() {
		for _, aggregate := range []string{"SUM(v)", "AVG(v)", "MIN(v)", "MAX(v)", "PERCENTILE_CONT(v, 0.5)", "LATEST_BY(v, w)", "MAX(COALESCE(v, 5))"} {
			Expect(answer(`SELECT `+aggregate+` FROM events WHERE v = '7' OR v = TRUE`, odd)).To(Equal(map[bool]string{true: "5", false: "0"}[aggregate == "MAX(COALESCE(v, 5))"]), aggregate)
		}
	})
	It("is the latest by an order over all types", func() {
		Expect(answer(`SELECT LATEST_BY(v, COALESCE(w, 'none')) FROM events`, odd[:3])).To(Equal("7"))
		Expect(answer(`SELECT EARLIEST_BY(v, w) FROM events WHERE v <> 'x' OR v = 7`, odd)).To(Equal("7"))
	})
	It("goes to the last ingested where orders tie, and to the first for the earliest", func() {
		ties := []eventRow{{properties: `{"v": 1}`}, {properties: `{"v": 2}`}, {properties: `{"v": 3}`}}
		Expect(answer(`SELECT LATEST_BY(v, timestamp) FROM events`, ties)).To(Equal("3"))
		Expect(answer(`SELECT EARLIEST_BY(v, timestamp) FROM events`, ties)).To(Equal("1"))
	})
})
