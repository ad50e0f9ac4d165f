package metric_test

import (
	"strings"
	"time"

	"tollkeeper/domain/metric"

	. "github.com/onsi/gomega"
)

// event is a row of the table events, as the specs write it.
type event struct {
	subject    string // c:acme unless given
	at         string // 2025-03-01T10:00:00Z unless given
	properties string // JSON
}

// table stands in for the table events, under the alias e. Rows bear their
// index in seq.
func table(events []event) metric.Fragment {
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

// answer evaluates a metric over events: what the aggregate of its kind gives,
// in its shortest form, and 0 for NULL.
func answer(sql string, events []event) string {
	q, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred(), sql)
	m := q.Compile("e")
	rows := table(events)
	if m.Value.SQL == "" {
		m.Value.SQL = "1"
	}
	// The rows that count, with what the aggregates below need of them.
	counted := metric.Fragment{
		SQL:  "SELECT " + m.Value.SQL + " AS value, " + orElse(m.Order.SQL, "0") + " AS position, seq FROM " + rows.SQL + " WHERE " + m.Where.SQL,
		Args: join(m.Value.Args, m.Order.Args, rows.Args, m.Where.Args),
	}
	aggregate := map[metric.Kind]string{
		metric.KindCount:    "SELECT count(value)",
		metric.KindDistinct: "SELECT count(DISTINCT value)",
		metric.KindSum:      "SELECT sum(value)",
		metric.KindMin:      "SELECT min(value)",
		metric.KindMax:      "SELECT max(value)",
		metric.KindAvg:      "SELECT avg(value)",
		metric.KindLatest:   "SELECT (array_agg(value ORDER BY position DESC, seq DESC) FILTER (WHERE value IS NOT NULL AND position IS NOT NULL))[1]",
		metric.KindEarliest: "SELECT (array_agg(value ORDER BY position, seq) FILTER (WHERE value IS NOT NULL AND position IS NOT NULL))[1]",
	}[m.Kind]
	found := query("SELECT trim_scale(coalesce(found, 0)::numeric)::text FROM ("+aggregate+" AS found FROM ("+counted.SQL+") AS counted) AS answer", counted.Args)
	Expect(found).To(HaveLen(1))
	return found[0]
}

// passing gives the indexes of the events for which the filter is true.
func passing(filter string, events []event) (indexes []int) {
	for i, verdict := range verdicts(filter, events) {
		if verdict == "true" {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// verdicts gives true, false or unknown for each event.
func verdicts(filter string, events []event) (verdicts []string) {
	c, err := metric.ParseCondition(filter)
	Expect(err).NotTo(HaveOccurred(), filter)
	return readEach(c.Compile("e"), events, "unknown")
}

// readEach evaluates an expression for each event; NULL is shown as missing.
func readEach(f metric.Fragment, events []event, missing string) []string {
	rows := table(events)
	return query("SELECT coalesce(("+f.SQL+")::text, ?) FROM "+rows.SQL+" ORDER BY seq", join(f.Args, []any{missing}, rows.Args))
}

func join(lists ...[]any) (all []any) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func orElse(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
