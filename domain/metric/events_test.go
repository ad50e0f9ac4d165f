package metric_test

import (
	"strings"
	"time"

	"tollkeeper/domain/metric"

	. "github.com/onsi/gomega"
)

// eventRow is a row of the table events, as the specs write it.
type eventRow struct {
	subject    string // c:acme unless given
	at         string // 2025-03-01T10:00:00Z unless given
	properties string // JSON
}

// table stands in for the table events, under the alias e. Rows bear their
// index in seq.
func table(events []eventRow) metric.Fragment {
	if len(events) == 0 {
		none := table([]eventRow{{properties: `{}`}})
		none.SQL = "(SELECT * FROM " + none.SQL + " WHERE FALSE) AS e"
		return none
	}
	f := metric.Fragment{SQL: `(SELECT * FROM (VALUES `}
	for i, e := range events {
		if e.subject == "" {
			e.subject = "c:acme"
		}
		if e.at == "" {
			e.at = "2025-03-01T10:00:00Z"
		}
		at, err := time.Parse(time.RFC3339Nano, e.at)
		Expect(err).NotTo(HaveOccurred())
		f.SQL += `(?::text COLLATE "C", ?::text COLLATE "C", 'call', ?::text COLLATE "C", ?::timestamptz, ?::text::jsonb, ?::bigint), `
		f.Args = append(f.Args, "acct", "key "+string(rune('a'+i)), e.subject, at, e.properties, i)
	}
	f.SQL = strings.TrimSuffix(f.SQL, ", ") +
		`) AS v(account_id, idempotency_key, event_name, subject, "timestamp", properties, seq)) AS e`
	return f
}

// answer evaluates a metric over events: its amount in its shortest form, and 0 for
// NULL.
func answer(sql string, events []eventRow) string {
	return answerOf(compiled(sql), events)
}

func answerOf(q *metric.Query, events []eventRow) string {
	frame := metric.Frame{Events: beside("1 AS slice", events), Slices: 1}
	found := query("SELECT trim_scale(coalesce(amount, 0))::text FROM ($) AS answer", q.Compile(frame))
	Expect(found).To(HaveLen(1), q.Text())
	return found[0]
}

// answerEach evaluates a metric over each event by itself; NULL is shown as such.
func answerEach(sql string, events []eventRow) []string {
	frame := metric.Frame{Events: beside("1 AS slice, seq::text AS key0", events), Slices: 1, Keys: 1}
	return query("SELECT coalesce(amount::text, 'NULL') FROM ($) AS answer ORDER BY key0::integer", compiled(sql).Compile(frame))
}

// beside selects events with further columns.
func beside(columns string, events []eventRow) metric.Fragment {
	rows := table(events)
	return metric.Fragment{SQL: "SELECT " + columns + ", e.* FROM " + rows.SQL, Args: rows.Args}
}

func compiled(sql string) *metric.Query {
	q, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred(), sql)
	return q
}

// passing gives the indexes of the events for which the filter is true.
func passing(filter string, events []eventRow) (indexes []int) {
	for i, verdict := range verdicts(filter, events) {
		if verdict == "true" {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// verdicts gives true, false or unknown for each event.
func verdicts(filter string, events []eventRow) (verdicts []string) {
	c, err := metric.ParseCondition(filter)
	Expect(err).NotTo(HaveOccurred(), filter)
	return readEach(c.Compile("e"), events, "unknown")
}

// readEach evaluates an expression for each event; NULL is shown as missing.
func readEach(f metric.Fragment, events []eventRow, missing string) []string {
	rows := table(events)
	f.Args = join(f.Args, []any{missing}, rows.Args)
	f.SQL = "SELECT coalesce((" + f.SQL + ")::text, ?) FROM " + rows.SQL + " ORDER BY seq"
	return query("$", f)
}

func join(lists ...[]any) (all []any) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
