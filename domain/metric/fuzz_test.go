package metric_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
	"tollkeeper/store/storetest"
)

// openDatabase gives fuzz tests, which run outside of the suite, the database that
// its helpers ask. They call it before the first input, whose time is bounded.
var openDatabase = sync.OnceFunc(func() {
	st, err := storetest.Open()
	if err != nil {
		panic(err)
	}
	database, account = st, storetest.Account(st, "test")
})

var fuzzedConditions = []string{
	`r = 'eu'`, `NOT r = 'eu' AND n >= 5 OR u IS NOT NULL`, `a IN (1, '1', TRUE, NULL)`, `a NOT LIKE 'ä\%_%'`, `n BETWEEN -1 AND 1e29`,
	`"odd 'name""" <> properties.b`, `timestamp >= '2025-03-01' AND timestamp_millis % 2 == 0`, `(a)`, `TRUE`, `a AND NOT b`,
	`CASE WHEN a = 1 THEN b ELSE c END = 'x?'`, `LENGTH(CONCAT(a, '$', 1)) > SUBSTR('a', 2)`, `event_name != 'call' OR customer_id = 'x'`,
	`COALESCE(a, timestamp) < NULLIF(b, 2)`, `a = 1; DELETE FROM events`, `1 < a < 3`, `'eu'`, `a IN (b)`, ``,
}

var fuzzedValues = []string{
	`n`, `n * 2 + 1`, `-(a / b) % 7`, `CASE WHEN r = 'eu' THEN n * 2 ELSE COALESCE(n, 1) END`, `CAST(a AS BIGINT)`, `CAST(CAST(a AS VARCHAR) AS BOOLEAN)`,
	`GREATEST(a, 'x', timestamp)`, `ROUND(a, -2)`, `SUBSTR(a, 1e29, b)`, `hour_floor_timestamp_millis(timestamp_millis)`, `UPPER(TRIM(a))`,
	`user-id`, `CONCAT(a, b, TRUE, NULL, 1e-60)`, `NULLIF(a, b)`, `1e29 * 1e29 * a`, `timestamp`, `NULL`, `a + `,
}

// A metric is refused with its place, or answers over the oddest events.
func FuzzParse(f *testing.F) {
	for _, aggregate := range []string{"SUM", "MIN", "max", "AVG", "COUNT", "COUNT(DISTINCT"} {
		for _, value := range fuzzedValues {
			f.Add("SELECT " + strings.Replace(aggregate+"("+value+")", "(DISTINCT(", "(DISTINCT ", 1) + " FROM events")
		}
	}
	for _, condition := range fuzzedConditions {
		f.Add("SELECT LATEST_BY(n, timestamp) FROM events WHERE " + condition)
		f.Add("SELECT COUNT(*) AS \"total\"\nFROM events WHERE " + condition)
	}
	refused, accepted, err := hostile()
	if err != nil {
		f.Fatal(err)
	}
	for _, statement := range slices.Concat(refused, accepted) {
		f.Add(statement)
	}
	f.Add("SELECT EARLIEST_BY(n, COALESCE(a, b)) FROM events")
	f.Add("SELECT SUM(m) / COUNT(*) FROM (SELECT a, MAX(n) AS m FROM events GROUP BY a HAVING COUNT(*) > 1) t WHERE m > 0 HAVING SUM(m) > 0")
	f.Add("SELECT PERCENTILE_CONT(t.x, 0.95) FROM (SELECT LATEST_BY(a, timestamp) AS x FROM (SELECT timestamp, a, b FROM events) t GROUP BY b) t")
	openDatabase()
	f.Fuzz(func(t *testing.T, sql string) {
		RegisterTestingT(t)
		if _, err := metric.Parse(sql); err != nil {
			isPlaced(t, sql, err)
			return
		}
		answer(sql, oddRows)
	})
}

// A filter is refused with its place, or true, false or unknown for the oddest events.
func FuzzParseCondition(f *testing.F) {
	for _, condition := range fuzzedConditions {
		f.Add(condition)
	}
	openDatabase()
	f.Fuzz(func(t *testing.T, filter string) {
		RegisterTestingT(t)
		if _, err := metric.ParseCondition(filter); err != nil {
			isPlaced(t, filter, err)
			return
		}
		verdicts(filter, oddRows)
	})
}

// A computed property is refused with its place, or has a value or none for the
// oddest events.
func FuzzParseComputed(f *testing.F) {
	for _, text := range append(fuzzedValues, fuzzedConditions...) {
		f.Add(text)
	}
	openDatabase()
	f.Fuzz(func(t *testing.T, text string) {
		RegisterTestingT(t)
		c, err := metric.ParseComputed(text)
		if err != nil {
			isPlaced(t, text, err)
			return
		}
		readEach(c.Compile("e"), oddRows, "")
	})
}

// isPlaced fails the test unless err tells where in text something is wrong.
func isPlaced(t *testing.T, text string, err error) {
	if wrong := misplaced(text, err); wrong != "" {
		t.Fatal(wrong)
	}
}
