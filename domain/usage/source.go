package usage

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/metric"
)

// source is where events are read from: the table, or a sample that a statement brings
// along as a relation like it. What requests answer by is worked out once for a sample,
// however many they are.
type source struct {
	sample  *Sample // nil: the table
	shared  []metric.Fragment
	columns map[string]string // of the relation, by what is in it
}

// Bounds of a statement that asks several questions. The protocol takes 65,535
// arguments; the tuple of one question can need nearly as many.
const (
	mostQuestions = 100
	mostArguments = 5_000 // of the questions, unless one alone has more, and of what they share
	mostColumns   = 1_000
)

// source is where requests find the events of the sample.
func (s *Sample) source(requests []Request) source {
	from := source{sample: s, columns: map[string]string{}}
	if s == nil {
		return from
	}
	args := 0
	for _, req := range requests {
		for _, key := range req.tuple() {
			name := keyOf(key.SQL, key.Args)
			if from.columns[name] != "" || len(from.shared) == mostColumns || args+len(key.Args) > mostArguments {
				continue
			}
			args += len(key.Args)
			from.columns[name] = fmt.Sprintf("shared%d", len(from.shared))
			from.shared = append(from.shared, key)
		}
	}
	return from
}

// key is what requests answer by, or the column that has it.
func (s source) key(key metric.Fragment) metric.Fragment {
	if column := s.columns[keyOf(key.SQL, key.Args)]; column != "" {
		return metric.Fragment{SQL: "e." + column}
	}
	return key
}

func (s source) relation() string {
	if s.sample == nil {
		return "events"
	}
	return "sample"
}

// define begins a statement with the relation. The events are read once, however many
// questions there are.
func (s source) define(to *statement, account string) {
	if s.sample == nil {
		return
	}
	to.add(`WITH brought AS MATERIALIZED (
		SELECT ?::text AS account_id, seq::text AS idempotency_key, event_name, subject, "timestamp", properties::jsonb AS properties, seq,
			false AS deprecated
		FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::text[])
			WITH ORDINALITY AS sent (event_name, subject, "timestamp", properties, seq)),
		sample AS MATERIALIZED (SELECT e.*`,
		account, s.sample.names, s.sample.subjects, s.sample.timestamps, s.sample.properties)
	for i, key := range s.shared {
		to.add(", ")
		to.fragment(key)
		to.add(fmt.Sprintf(" AS shared%d", i))
	}
	to.add(" FROM brought AS e) ")
}

// batches are the questions that one statement asks. Of stored events it is one: to
// read them is work enough.
func (s source) batches(questions []*question) (batches [][]*question) {
	room := 0
	for _, q := range questions {
		room -= len(q.statement.args)
		if n := len(batches); s.sample != nil && n > 0 && room >= 0 && len(batches[n-1]) < mostQuestions {
			batches[n-1] = append(batches[n-1], q)
			continue
		}
		batches, room = append(batches, []*question{q}), mostArguments-len(q.statement.args)
	}
	return batches
}

// mode keeps the database from remembering statements that are long and hardly ever
// come again.
func (s source) mode() []any {
	if s.sample == nil {
		return nil
	}
	return []any{pgx.QueryExecModeDescribeExec}
}
