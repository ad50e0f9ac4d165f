package metric_test

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
	"tollkeeper/store/fault"
)

// parameters reads values as they come: a JSON object.
func parameters(object string) (values metric.Parameters) {
	GinkgoHelper()
	Expect(json.Unmarshal([]byte(object), &values)).To(Succeed(), object)
	return values
}

var _ = Describe("A metric with parameters", func() {
	const regional = `SELECT SUM(n) FROM events WHERE r = {{region}} AND n >= COALESCE({{least}}, 2)`
	events := []eventRow{
		{properties: `{"n": 1, "r": "eu"}`}, {properties: `{"n": 5, "r": "eu"}`}, {properties: `{"n": -3, "r": "eu"}`},
		{properties: `{"n": 7, "r": "it's"}`}, {properties: `{"n": 9, "r": 4}`},
	}

	It("knows their names, each once", func() {
		Expect(compiled(regional).Parameters()).To(Equal([]string{"region", "least"}))
		Expect(compiled(`SELECT SUM({{a}} * n) + SUM({{b_2}}) - SUM({{a}}) FROM events WHERE u = '{{c}}' AND "{{d}}" = 1`).Parameters()).
			To(Equal([]string{"a", "b_2"}))
		Expect(compiled(`SELECT SUM({{x}}) FROM (SELECT COUNT(*) AS c FROM events WHERE a > {{größe}}) t`).Parameters()).To(ConsistOf("x", "größe"))
		Expect(compiled(`SELECT SUM(n) FROM events`).Parameters()).To(BeEmpty())
	})

	DescribeTable("has their values in their places",
		func(sql, values, amount string) {
			with, err := compiled(sql).With(parameters(values))
			Expect(err).NotTo(HaveOccurred())
			Expect(answer(with.Text(), events)).To(Equal(amount))
			Expect(metric.Parse(with.Text())).To(Equal(with), "it is a metric by itself")
		},
		Entry("where all are given", regional, `{"region": "eu", "least": 1}`, "6"),
		Entry("where one without a value is NULL, which COALESCE gives a default", regional, `{"region": "eu"}`, "5"),
		Entry("where none has a value, and nothing compares with it", regional, `{}`, "0"),
		Entry("as numbers below zero", regional, `{"region": "eu", "least": -3}`, "3"),
		Entry("as numbers behind a minus", `SELECT SUM(n -{{x}}) FROM events WHERE n =-{{x}}`, `{"x": -5}`, "10"),
		Entry("as numbers with an exponent", `SELECT SUM(n * {{x}}) FROM events`, `{"x": 1e-3}`, "0.019"),
		Entry("of all digits of a number", `SELECT MAX({{x}}) FROM events`, `{"x": 12345678901234567890123456789.123456789}`, "12345678901234567890123456789.123456789"),
		Entry("as strings with quotes", regional, `{"region": "it's"}`, "7"),
		Entry("as strings that are no numbers", regional, `{"region": "4"}`, "0"),
		Entry("as numbers that are no strings", regional, `{"region": 4}`, "9"),
		Entry("in lists", `SELECT COUNT(*) FROM events WHERE r IN ({{a}}, {{b}}, 4)`, `{"a": "eu", "b": "it's"}`, "5"),
		Entry("in the limits of a range", `SELECT COUNT(*) FROM events WHERE n BETWEEN {{a}} AND {{b}}`, `{"a": 1, "b": 7}`, "3"),
		Entry("but not in strings and quoted names", `SELECT COUNT(*) FROM events WHERE '{{a}}' = {{a}} OR "{{a}}" = {{a}}`, `{"a": "x"}`, "0"),
		Entry("whatever they look like", `SELECT COUNT(*) FROM events WHERE r = {{a}} OR r = {{b}}`, `{"a": "' OR 1 = 1 OR '", "b": "{{a}}"}`, "0"),
	)

	DescribeTable("refuses values",
		func(sql, values string, violations ...string) {
			_, err := compiled(sql).With(parameters(values))
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue(), "%v", err)
			var told []string
			for _, v := range err.(*fault.Fault).Violations {
				told = append(told, v.String())
			}
			Expect(told).To(Equal(violations))
		},
		Entry("of names that it does not have", regional, `{"region": "eu", "Region": "eu", "colour": 1}`,
			"Region: is no parameter of the metric", "colour: is no parameter of the metric"),
		Entry("of another type than fits", `SELECT SUM(n) FROM events WHERE {{a}}`, `{"a": "x"}`,
			": would make the SQL of the metric invalid: line 1, column 33: expected a condition"),
		Entry("that are too much together", `SELECT SUM(n) FROM events WHERE r IN (0`+strings.Repeat(", {{a}}", 600)+`)`, `{"a": "`+strings.Repeat("x", 50)+`"}`,
			": would make the SQL of the metric invalid: line 1, column 1: is longer than 10000 bytes"),
	)

	DescribeTable("is refused",
		func(sql string, column int, reason string) {
			err := refused(sql)
			Expect(err.Column).To(Equal(column), err.Error())
			Expect(err.Message).To(ContainSubstring(reason))
		},
		Entry("with a parameter without a name", "SELECT SUM({{}}) FROM events", 12, "written {{name}}"),
		Entry("with blanks in one", "SELECT SUM({{ a }}) FROM events", 12, "written {{name}}"),
		Entry("with one that is not closed", "SELECT SUM({{a}) FROM events", 12, "written {{name}}"),
		Entry("with one in single brackets", "SELECT SUM({a}) FROM events", 12, "written {{name}}"),
		Entry("with one as a table", "SELECT SUM(n) FROM {{a}}", 20, "read FROM events"),
		Entry("with one as a name", "SELECT SUM(properties.{{a}}) FROM events", 23, "expected a name"),
		Entry("with one as a function", "SELECT {{a}}(n) FROM events", 8, "selects an aggregate"),
		Entry("with one as a pattern", "SELECT SUM(n) FROM events WHERE r LIKE {{a}}", 40, "expected a pattern"),
		Entry("with one as a fraction", "SELECT PERCENTILE_CONT(n, {{a}}) FROM events", 27, "from 0 to 1"),
		Entry("with one behind a minus in a list", "SELECT SUM(n) FROM events WHERE n IN (-{{a}})", 40, "expected a number"),
	)

	It("is none where events are filtered or grouped", func() {
		_, err := metric.ParseCondition("a = {{a}}")
		Expect(err).To(MatchError("line 1, column 5: a parameter stands in metrics only"))
		_, err = metric.ParseComputed("{{a}}")
		Expect(err).To(MatchError("line 1, column 1: a parameter stands in metrics only"))
	})

	It("has the same SQL whatever its values say", func() {
		refused, accepted, err := hostile()
		Expect(err).NotTo(HaveOccurred())
		q := compiled(`SELECT COUNT(*) FROM events WHERE r IN ({{a}}, {{b}})`)
		plain, err := q.With(parameters(`{"a": "x", "b": "y"}`))
		Expect(err).NotTo(HaveOccurred())
		for _, text := range slices.Concat(refused, accepted) {
			value, err := json.Marshal(text)
			Expect(err).NotTo(HaveOccurred())
			var p metric.Parameter
			if err := json.Unmarshal(value, &p); err != nil {
				Expect(err).To(MatchError("must have at most 255 bytes, and not the character U+0000"))
				continue
			}
			with, err := q.With(metric.Parameters{"a": p, "b": p})
			Expect(err).NotTo(HaveOccurred(), text)
			Expect(with.Compile(plainFrame).SQL).To(Equal(plain.Compile(plainFrame).SQL), text)
		}
	})
})

var _ = DescribeTable("Values of parameters are written as they mean",
	func(object, written string) {
		values := parameters(object)
		text, err := json.Marshal(values)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(MatchJSON(written))
		column, err := values.Value()
		Expect(err).NotTo(HaveOccurred())
		var read metric.Parameters
		Expect(read.Scan(column)).To(Succeed())
		if len(values) > 0 {
			Expect(read).To(Equal(values))
		} else {
			Expect(read).To(BeNil())
		}
	},
	Entry("none", `{}`, `{}`),
	Entry("strings", `{"a": "x", "b": ""}`, `{"a": "x", "b": ""}`),
	Entry("numbers, without exponents and zeros that say nothing", `{"a": 1e3, "b": 2.50, "c": 1e-25, "d": -0.0}`,
		`{"a": 1000, "b": 2.5, "c": 0.0000000000000000000000001, "d": 0}`),
)

var _ = DescribeTable("What is no value of a parameter",
	func(value, reason string) {
		Expect(json.Unmarshal([]byte(value), new(metric.Parameter))).To(MatchError(ContainSubstring(reason)))
	},
	Entry("is a number out of bounds", "1e30", "below 1e30"),
	Entry("is a string that is too long", `"`+strings.Repeat("x", 256)+`"`, "at most 255 bytes"),
	Entry("is a string with U+0000", `"\u0000"`, "U+0000"),
	Entry("is a boolean", "true", "number"),
)

var _ = Describe("A metric whose parameters have other values in time", func() {
	const noon = "2025-03-30T12:00:00Z"
	events := []eventRow{
		{at: "2025-03-30T11:59:59.999999Z", properties: `{"n": 1, "r": "eu"}`}, {at: "2025-03-30T11:00:00Z", properties: `{"n": 10, "r": "us"}`},
		{at: noon, properties: `{"n": 100, "r": "eu"}`}, {at: noon, properties: `{"n": 1000, "r": "us"}`},
	}
	over := func(sql, before, after string) *metric.Query {
		GinkgoHelper()
		at, err := time.Parse(time.RFC3339, noon)
		Expect(err).NotTo(HaveOccurred())
		query, err := compiled(sql).Over([]metric.Timed{{Until: &at, Values: parameters(before)}, {Values: parameters(after)}})
		Expect(err).NotTo(HaveOccurred())
		return query
	}

	DescribeTable("has the one of an event's time",
		func(sql, before, after, amount string) {
			Expect(answerOf(over(sql, before, after), events)).To(Equal(amount))
		},
		Entry("in WHERE", `SELECT SUM(n) FROM events WHERE r = {{a}}`, `{"a": "eu"}`, `{"a": "us"}`, "1001"),
		Entry("in an aggregate", `SELECT SUM(n * {{a}}) FROM events`, `{"a": 2}`, `{"a": 1}`, "1122"),
		Entry("behind a minus", `SELECT SUM(-{{a}} -{{a}}) FROM events`, `{"a": 2}`, `{"a": -3}`, "4"),
		Entry("of another type", `SELECT SUM(n) FROM events WHERE r = {{a}} OR n = {{a}}`, `{"a": "eu"}`, `{"a": 1000}`, "1001"),
		Entry("in a list", `SELECT SUM(n) FROM events WHERE r IN ({{a}}, 'none')`, `{"a": "eu"}`, `{"a": "us"}`, "1001"),
		Entry("alone in a list, which is denied", `SELECT SUM(n) FROM events WHERE r NOT IN ({{a}})`, `{"a": "eu"}`, `{"a": "us"}`, "110"),
		Entry("in a range", `SELECT SUM(n) FROM events WHERE n BETWEEN {{a}} AND {{b}}`, `{"a": 2, "b": 1000}`, `{"a": 2, "b": 100}`, "110"),
		Entry("where it has none before", `SELECT SUM(n) FROM events WHERE r = {{a}}`, `{}`, `{"a": "us"}`, "1000"),
		Entry("where it has none after", `SELECT SUM(n) FROM events WHERE n >= COALESCE({{a}}, 1000)`, `{"a": 5}`, `{}`, "1010"),
		Entry("in a sub-query", `SELECT SUM(m) FROM (SELECT r, MAX(n * {{a}}) AS m FROM events WHERE n > {{b}} GROUP BY r) t`,
			`{"a": 1, "b": 5}`, `{"a": 2, "b": 5}`, "2200"),
		Entry("and the last one where results are looked at", `SELECT SUM(n) * {{a}} FROM events`, `{"a": 2}`, `{"a": 3}`, "3333"),
		Entry("in a SELECT over a sub-query too", `SELECT SUM(m + {{a}}) FROM (SELECT r, SUM(n) AS m FROM events GROUP BY r) t`, `{"a": 2}`, `{"a": 3}`, "1117"),
		Entry("and where it is the same all the time", `SELECT SUM(n) * {{a}} FROM events WHERE r = {{b}}`, `{"a": 2, "b": "eu"}`, `{"a": 2, "b": "us"}`, "2002"),
	)
})
