package usage

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// source is where events are read from: the table, with buckets of what it had before,
// or a sample that a statement brings along as a relation like it. What requests answer
// by is worked out once for a sample, however many they are.
type source struct {
	account  string
	sample   *Sample     // nil: the table
	standing bucketState // of the table's buckets
	about    period.Period
	subjects []string
	sums     map[string]*sums // by what they are of
	shared   []metric.Fragment
	columns  map[string]string // of the relation, by what is in it
}

// Bounds of a statement that asks several questions. The protocol takes 65,535
// arguments; the tuple of one question can need nearly as many.
const (
	mostQuestions = 100
	mostArguments = 5_000 // of the questions, unless one alone has more, and of what they share
	mostColumns   = 1_000
)

// stored is where requests find the events that are stored.
func stored(tx *store.Tx, requests []Request) (source, error) {
	from := source{account: tx.AccountID, sums: map[string]*sums{}}
	from.about, from.subjects = reach(requests)
	st, err := bucketStateOf(tx, from.about, from.subjects, requests)
	from.standing = st
	return from, err
}

// source is where requests find the events of the sample.
func (s *Sample) source(account string, requests []Request) source {
	from := source{account: account, sample: s, columns: map[string]string{}}
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

// define begins a statement with the events that all of its questions read: a sample,
// or what has come in since the buckets were made.
func (s source) define(to *statement, questions []*question) {
	switch {
	case s.sample != nil:
		s.bring(to)
	case questions[0].kept != nil:
		// OFFSET 0 lets them be found by seq, since they are few, and by nothing else.
		to.add(`WITH fresh AS MATERIALIZED (
			SELECT e.* FROM (SELECT * FROM events AS e WHERE account_id = ? AND `+event.From("?::bigint")+` OFFSET 0) AS e
			WHERE e.subject = ANY(?::text[]) AND e."timestamp" >= ? AND e."timestamp" < ? AND `,
			s.account, s.standing.mark.V, s.subjects, s.about.Start, s.about.End)
		to.fragment(s.standing.counting)
		to.add(")")
		defined := map[*sums]bool{}
		for _, q := range questions {
			if !defined[q.kept.sums] {
				defined[q.kept.sums] = true
				q.kept.sums.define(to)
			}
		}
		to.add(" ")
	}
}

// bring defines the relation sample.
func (s source) bring(to *statement) {
	to.add(`WITH brought AS MATERIALIZED (
		SELECT ?::text AS account_id, seq::text AS idempotency_key, event_name, subject, "timestamp", properties::jsonb AS properties, seq
		FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::text[])
			WITH ORDINALITY AS sent (event_name, subject, "timestamp", properties, seq)),
		sample AS MATERIALIZED (SELECT e.*`,
		s.account, s.sample.names, s.sample.subjects, s.sample.timestamps, s.sample.properties)
	for i, key := range s.shared {
		to.add(", ")
		to.fragment(key)
		to.add(fmt.Sprintf(" AS shared%d", i))
	}
	to.add(" FROM brought AS e) ")
}

// batches are the questions that one statement asks. A question that reads all of its
// events from the table is one by itself: that is work enough.
func (s source) batches(questions []*question) (batches [][]*question) {
	room, shared := 0, false
	for _, q := range questions {
		room -= len(q.statement.args)
		alone := s.sample == nil && q.kept == nil
		if n := len(batches); shared && !alone && room >= 0 && len(batches[n-1]) < mostQuestions {
			batches[n-1] = append(batches[n-1], q)
			continue
		}
		batches, room, shared = append(batches, []*question{q}), mostArguments-len(q.statement.args), !alone
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
