package event

import (
	"database/sql"
	"fmt"
	"math"
	"time"

	"tollkeeper/store"
)

// Snapshot is which events were there at a moment: the text of a pg_snapshot, "" for none.
type Snapshot string

// From is the condition, in SQL, that an event e came from a seq on. That few did is for
// the planner to take for granted: if it knew the seq, it would count what other accounts
// stored since, and go through all that there is.
func From(seq string) string {
	return fmt.Sprintf("e.seq >= (SELECT %s) AND e.seq < (SELECT %d)", seq, math.MaxInt64)
}

// fresh are events, named e, that were stored since a snapshot $2 was taken. That is no
// column: row-level security keeps functions of one from finding rows by an index.
var fresh = "e.account_id = $1 AND " + From(Oldest("$2")) + " AND NOT " + InSnapshot("$2")

// TakeSnapshot is which events are there now.
func TakeSnapshot(tx *store.Tx) (now Snapshot, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT "+Moment+"::text").Scan(&now)
	if err != nil {
		return now, fmt.Errorf("note which events are there: %w", err)
	}
	return now, nil
}

// AnySince reports whether events were stored since a moment that came in by an instant.
func AnySince(tx *store.Tx, seen Snapshot, by time.Time) (found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `SELECT EXISTS (SELECT FROM events AS e WHERE `+fresh+` AND e.ingested_at <= $3)`,
		tx.AccountID, string(seen), by).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for fresh events: %w", err)
	}
	return found, nil
}

// Since names the customers of events that were stored since a moment, by id or by
// alias, and the moment from which to look on.
func Since(tx *store.Tx, seen Snapshot) (ids, aliases []string, now Snapshot, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), `SELECT `+Moment+`::text, f.subject
		FROM (SELECT) AS one LEFT JOIN (SELECT DISTINCT e.subject FROM events AS e WHERE `+fresh+`) AS f ON true`, tx.AccountID, string(seen))
	if err != nil {
		return nil, nil, "", fmt.Errorf("read fresh events: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var subject sql.NullString
		if err := rows.Scan(&now, &subject); err != nil {
			return nil, nil, "", fmt.Errorf("read fresh events: %w", err)
		}
		id, alias := Stored{Subject: subject.String}.Reference()
		switch {
		case !subject.Valid:
		case alias != nil:
			aliases = append(aliases, *alias)
		case id != nil:
			ids = append(ids, *id)
		}
	}
	return ids, aliases, now, rows.Err()
}
