package event

import (
	"database/sql"
	"fmt"

	"tollkeeper/store"
)

// Seen is which events were there at a moment: the text of a pg_snapshot, "" for none.
type Seen string

// fresh are events, named e, that were stored since a snapshot $2 was taken.
const fresh = `e.account_id = $1 AND e.seq >= (pg_snapshot_xmin($2::pg_snapshot)::text::bigint << 20)
	AND NOT pg_visible_in_snapshot((e.seq >> 20)::text::xid8, $2::pg_snapshot)`

// worthLooking is after how many transactions of others it pays to move on from a moment.
const worthLooking = 10_000

// AnySince reports whether events were stored since a moment, or so many of other
// accounts that to look from there on takes long.
func AnySince(tx *store.Tx, seen Seen) (found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `SELECT EXISTS (SELECT FROM events e WHERE `+fresh+`)
		OR pg_snapshot_xmin(pg_current_snapshot())::text::bigint - pg_snapshot_xmin($2::pg_snapshot)::text::bigint > $3`,
		tx.AccountID, string(seen), worthLooking).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for fresh events: %w", err)
	}
	return found, nil
}

// Since names the customers of events that were stored since a moment, by id or by
// alias, and the moment from which to look on.
func Since(tx *store.Tx, seen Seen) (ids, aliases []string, now Seen, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), `SELECT pg_current_snapshot()::text, f.subject
		FROM (SELECT) AS one LEFT JOIN (SELECT DISTINCT e.subject FROM events e WHERE `+fresh+`) AS f ON true`, tx.AccountID, string(seen))
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
