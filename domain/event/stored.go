package event

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Stored is an event as it is now: what it was amended to, not what it was.
type Stored struct {
	Key        string
	Name       string
	Subject    string // who, as it was sent: see [Subjects]
	Timestamp  time.Time
	Properties string // a JSON object of strings, numbers and booleans
	Deprecated bool   // it does not count, and its key takes no other
	Seq        int64  // its place in the order of arrival
}

// Reference is how the event names its customer, by one of the two.
func (e Stored) Reference() (customerID, externalID *string) {
	if id, ok := strings.CutPrefix(e.Subject, byID); ok {
		return &id, nil
	}
	alias := strings.TrimPrefix(e.Subject, byAlias)
	return nil, &alias
}

// Search asks for events by their keys.
type Search struct {
	Keys       []string   // compared byte for byte
	Start, End *time.Time // of timestamps, inclusive and exclusive; nil: a week ago, and up to this very instant
}

// searchedBack is how far back a search without a start looks (semantics 2.5.5).
const searchedBack = 7 * 24 * time.Hour

// Find returns the events that the search is for, in the order of its keys and once
// each. A key that is unknown, or whose event is outside the timeframe, has none.
func (s Search) Find(tx *store.Tx) (found []Stored, err error) {
	start := tx.Now.Add(-searchedBack)
	if s.Start != nil {
		start = *s.Start
	}
	frame, err := Timeframe(tx, start, s.End)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), selectStored+`
		AND e."timestamp" >= $3 AND e."timestamp" < $4
		ORDER BY array_position($2, k.idempotency_key)`,
		tx.AccountID, s.Keys, frame.Start, frame.End)
	if err != nil {
		return nil, fmt.Errorf("search events: %w", err)
	}
	return scanAll(rows)
}

// scanAll reads events, and closes the rows.
func scanAll(rows *sql.Rows) (found []Stored, err error) {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		e, err := scanStored(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return found, nil
}

// Timeframe is from start to end or, without one, to the account's clock. An event of
// that very instant is in it: it is the last one that could be known.
func Timeframe(tx *store.Tx, start time.Time, end *time.Time) (period.Period, error) {
	frame := period.Period{Start: start, End: tx.Now.Add(time.Microsecond)}
	if end != nil {
		frame.End = *end
	}
	switch {
	case !frame.Empty():
		return frame, nil
	case end == nil:
		return frame, fault.Bad("timeframe_start", "must not be in the future without timeframe_end")
	default:
		return frame, fault.Bad("timeframe_end", "must be after timeframe_start")
	}
}

// Lock finds the event with that key, or fault.Missing, and keeps it from changing until
// the transaction ends.
func Lock(tx *store.Tx, key string) (e Stored, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), selectStored+" FOR UPDATE OF e", tx.AccountID, []string{key})
	if err != nil {
		return e, fmt.Errorf("lock an event: %w", err)
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return e, fmt.Errorf("lock an event: %w", err)
		}
		return e, fault.Missing("Event", key)
	}
	return scanStored(rows)
}

// selectStored is for scanStored. $1 is the account and $2 the keys.
const selectStored = `
	SELECT ` + storedColumns + `
	FROM event_keys AS k JOIN events AS e ON e.account_id = k.account_id AND e.seq = k.seq
	WHERE k.account_id = $1 AND k.idempotency_key = ANY ($2) AND ` + notReverted

// storedColumns are those of an event that scanStored reads.
const storedColumns = `e.idempotency_key, e.event_name, e.subject, e."timestamp", e.properties::text, e.deprecated, e.seq`

// notReverted leaves out the events of reverted backfills, which gave their keys back. $1
// is the account.
const notReverted = `NOT EXISTS (SELECT FROM backfills AS b WHERE b.account_id = $1 AND b.id = e.backfill_id AND b.status = 'reverted')`

func scanStored(rows *sql.Rows) (e Stored, err error) {
	err = rows.Scan(&e.Key, &e.Name, &e.Subject, &e.Timestamp, &e.Properties, &e.Deprecated, &e.Seq)
	if err != nil {
		return e, fmt.Errorf("read an event: %w", err)
	}
	e.Timestamp = e.Timestamp.UTC()
	return e, nil
}
