package usage

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// question is a request as the database is asked it, with its answer.
type question struct {
	statement *statement
	kept      *bucketPlan // nil: answered from events alone
	width     int         // values of its tuples
	answer    *table
}

func newQuestion(from source, req Request) *question {
	q := &question{width: len(req.Groups) + len(req.Split), answer: newTable(req), statement: &statement{}}
	if len(req.Cuts) > 1 {
		if from.sample == nil && !req.timed { // buckets are not told apart at every instant
			q.kept = from.standing.choose(req)
		}
		if q.kept != nil {
			q.kept.sums = from.sum(req, q.kept)
		}
		q.statement = req.statement(from, q.kept)
	}
	return q
}

// readerRole reads events, what was kept of them, and nothing else, and writes nothing.
const readerRole = "tollkeeper_metric"

// askAll puts questions to the database, in as few statements as their source allows.
func askAll(tx *store.Tx, from source, questions []*question) error {
	if len(questions) == 0 {
		return nil
	}
	return tx.As(readerRole, func() error {
		for _, together := range from.batches(questions) {
			if err := ask(tx, from, together); err != nil {
				return err
			}
		}
		return nil
	})
}

// ask puts questions to the database, in one statement, and fills in the answers.
func ask(tx *store.Tx, from source, questions []*question) error {
	width := 0
	for _, q := range questions {
		width = max(width, q.width)
	}
	s := &statement{}
	from.define(s, questions)
	padding := strings.Repeat(", NULL::text", width)
	if from.sample == nil {
		s.add(fmt.Sprintf("SELECT %d AS question, 1 AS slice, (SELECT changes::numeric FROM usage_history WHERE account_id = ?) AS amount%s"+
			" UNION ALL SELECT %d, 1, (SELECT mark::numeric FROM usage_progress WHERE account_id = ?)%[2]s", changesRow, padding, markRow),
			from.account, from.account)
	}
	for i, q := range questions {
		if i > 0 || from.sample == nil {
			s.add(" UNION ALL ")
		}
		s.add(fmt.Sprintf("SELECT %d AS question, answer.*%s FROM (", i, strings.Repeat(", NULL::text", width-q.width)))
		s.add(q.statement.text.String(), q.statement.args...)
		s.add(") AS answer")
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), s.numbered(), append(from.mode(), s.args...)...)
	if err != nil {
		return failed(tx, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := from.read(rows, questions, width); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return failed(tx, err)
	}
	return nil
}

// failed tells a metric that took too long, which it will again, from an outage.
func failed(tx *store.Tx, err error) error {
	if store.TimedOut(err) && tx.Context().Err() == nil {
		return fault.Refused("A metric took longer than %d seconds over this timeframe; ask about less time, or simplify the metric",
			int(store.StatementTimeout.Seconds()))
	}
	return fmt.Errorf("measure usage: %w", err)
}

// errMoved reports that buckets or history changed between the look at their state
// and the reading: outside of a snapshot each statement sees the latest.
var errMoved = errors.New("usage: changed while it was read")

// Rows that answer no question tell how things stood as the statement ran.
const (
	changesRow = -1
	markRow    = -2
)

// read takes one row to the question that it answers.
func (s source) read(rows *sql.Rows, questions []*question, width int) error {
	var question, slice int
	var amount sql.Null[money.Decimal] // null counts as 0
	values := make([]*string, width)
	into := []any{&question, &slice, &amount}
	for i := range values {
		into = append(into, &values[i])
	}
	if err := rows.Scan(into...); err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	switch {
	case question == changesRow && !amount.V.Equal(money.FromInt(s.standing.changes)),
		question == markRow && questions[0].kept != nil && !amount.V.Equal(money.FromInt(s.standing.mark.V)):
		return errMoved
	case question < 0:
		return nil
	}
	q := questions[question]
	return q.answer.add(slice-1, values[:q.width], amount.V)
}
