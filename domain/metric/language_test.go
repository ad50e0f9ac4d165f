package metric_test

import (
	"fmt"
	"math/big"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/metric"
)

// Rows as odd as ingestion lets them be, and some that it does not.
var oddRows = []eventRow{
	{properties: `{}`},
	{properties: `{"a": 1, "b": 2, "c": "x", "odd 'name\"": true}`},
	{properties: `{"a": 0, "b": 0.0, "c": false}`},
	{properties: `{"a": "1", "b": "", "c": "ä%_\\"}`},
	{properties: `{"a": -7.50, "b": 2.25, "c": 3}`},
	{properties: `{"a": 99999999999999999999999999999.999999999, "b": -1e29, "c": 1e-60}`},
	{properties: `{"a": 1e-60, "b": 3e-60, "c": 0.1}`},
	{properties: `{"a": true, "b": false, "c": true}`},
	{properties: `{"a": "NaN", "b": "Infinity", "c": "1e400000"}`},
	{properties: `{"a": " 12.5 ", "b": "-0", "c": "9223372036854775808"}`},
	{properties: `{"a": "2025-02-30", "b": "0000-01-01", "c": "9999-12-31T23:59:59.999999-23:59"}`},
	{properties: `{"a": null, "b": [1], "c": {"n": 1}}`},
	{properties: `{"a": 1740824430456, "b": 86400000, "c": -1}`},
	{properties: `{"a": 5, "b": "5", "c": 5.0, "odd 'name\"": 5.00}`},
}

var names = map[string]string{"a": "a", "b": "properties.b", "c": `"c"`, `odd 'name"`: `"odd 'name"""`}

// readable gives the properties of events as the reference knows them.
func readable(events []eventRow) (rows []row) {
	for range events {
		rows = append(rows, row{})
	}
	for name := range names {
		label := metric.Label("e", name)
		kind := metric.Fragment{SQL: "jsonb_typeof(e.properties->?::text)", Args: []any{name}}
		labels, kinds := readEach(label, events, ""), readEach(kind, events, "")
		for i := range rows {
			switch kinds[i] {
			case "number":
				n, _ := new(big.Rat).SetString(labels[i])
				rows[i][name] = n
			case "string":
				rows[i][name] = labels[i]
			case "boolean":
				rows[i][name] = labels[i] == "true"
			}
		}
	}
	return rows
}

var _ = Describe("The language", func() {
	It("decides conditions as a second reading of its rules does", func() {
		rows := readable(oddRows)
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			p := overEvents(t).proposition(rapid.IntRange(0, 4).Draw(t, "depth"))
			var expected []string
			for _, r := range rows {
				expected = append(expected, "unknown")
				if truth := p.of(r); truth != nil {
					expected[len(expected)-1] = fmt.Sprint(*truth)
				}
			}
			if found := verdicts(p.text, oddRows); !equal(found, expected) {
				t.Fatalf("%s\n    found %v\n expected %v", p.text, found, expected)
			}
		})
	})

	It("works out quantities as a second reading of its rules does", func() {
		rows := readable(oddRows)
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			x := overEvents(t).term(rapid.IntRange(0, 4).Draw(t, "depth"))
			sql := "SELECT SUM(" + x.text + ") FROM events"
			if _, err := metric.Parse(sql); err != nil {
				t.Skip("numbers of too many digits")
			}
			for i, found := range answerEach(sql, oddRows) {
				expected := quantity(x.of(rows[i], true), true)
				n, isNumber := new(big.Rat).SetString(found)
				if isNumber != (expected != nil) || isNumber && n.Cmp(expected) != 0 {
					t.Fatalf("%s\n over %s\n    found %s\n expected %v", x.text, oddRows[i].properties, found, expected)
				}
			}
		})
	})

	It("runs over odd rows without failing, in every aggregate", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			l := overEvents(t)
			x, y, p := l.term(2).text, l.odd(2), l.proposition(1).text
			aggregate := l.pick("COUNT(%s)", "COUNT(DISTINCT %s)", "SUM(%s)", "MIN(%s)", "MAX(%s)", "AVG(%s)", "LATEST_BY(%s, %s)", "EARLIEST_BY(%s, %s)")
			operands := []any{y, x}[:strings.Count(aggregate, "%s")]
			sql := "SELECT " + fmt.Sprintf(aggregate, operands...) + " AS total FROM events WHERE NOT " + p
			if _, err := metric.Parse(sql); err == nil {
				answer(sql, oddRows)
			}
		})
	})

	It("never panics, and compiles what it accepts", func() {
		word := rapid.SampledFrom(strings.Fields(`SELECT COUNT SUM LATEST_BY DISTINCT FROM events WHERE AND OR NOT IN LIKE BETWEEN IS NULL CASE WHEN
			THEN ELSE END CAST AS DECIMAL ( ) ( ) , * + - / % = <> < 'x' "n" n properties . 1 2.5 1e9 timestamp COALESCE TRUE ; -- ' "`))
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			text := strings.Join(rapid.SliceOf(word).Draw(t, "words"), " ") + rapid.String().Draw(t, "text")
			if q, err := metric.Parse(text); err == nil {
				checkPlaceholders(t, q.Compile(metric.Frame{Slices: 3, Keys: 1}))
			}
			if c, err := metric.ParseCondition(text); err == nil {
				c.Compile("e")
			}
			if c, err := metric.ParseCondition("n = " + text); err == nil {
				checkPlaceholders(t, c.Compile("e"))
			}
		})
	})

	It("reads the columns that the table of events has", func() {
		q := compiled(`SELECT COUNT(CONCAT(event_name, idempotency_key, customer_id, external_customer_id, timestamp, n)) FROM events WHERE timestamp_millis > 0`)
		stored := metric.Fragment{SQL: "SELECT 1 AS slice, e.* FROM events AS e"}
		Expect(query("SELECT amount::text FROM ($) AS answer", q.Compile(metric.Frame{Events: stored, Slices: 1}))).To(Equal([]string{"0"}))
	})

	It("keeps everything a client wrote out of the SQL", func() {
		q := compiled(`SELECT SUM("mark 1") / PERCENTILE_CONT(mark_6, 0.4711) AS mark_7
			FROM (SELECT "mark 1" AS "mark 1", "mark 8" AS mark_6 FROM events GROUP BY "mark 1", "mark 8" HAVING COUNT(mark_9) > 4711) AS "mark 0"
			WHERE "mark 0"."mark 1" IN ('mark 3', 4711) OR mark_6 LIKE 'mark 5'`)
		f := q.Compile(metric.Frame{Slices: 31, Keys: 2})
		Expect(f.SQL).NotTo(Or(ContainSubstring("mark"), ContainSubstring("4711"), ContainSubstring("2025")))
		Expect(f.Args).To(ContainElements("mark 1", "mark 8", "mark_9", "mark 3", "mark 5", "4711e0", "4711e-4"))
	})
})

func checkPlaceholders(t *rapid.T, f metric.Fragment) {
	if strings.Count(f.SQL, "?") != len(f.Args) {
		t.Fatalf("%d arguments for %s", len(f.Args), f.SQL)
	}
}

func equal(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }
