package event

import (
	"fmt"
	"math"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// arrivals is the list that [Newest] returns, for its cursors.
const arrivals = "events.seq"

// Newest returns a page of the events of the account in the order in which they were taken in, the
// last first.
func Newest(tx *store.Tx, page store.Page) (found []Stored, next string, err error) {
	before := int64(math.MaxInt64)
	if page.Cursor != "" {
		_, seq, known := store.ReadCursor(arrivals, page.Cursor)
		if before = seq; !known {
			return nil, "", fault.Bad("cursor", "is not one that this list returned")
		}
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `SELECT `+storedColumns+` FROM events AS e
		WHERE e.account_id = $1 AND e.seq < $2 AND `+notReverted+` ORDER BY e.seq DESC LIMIT $3`, tx.AccountID, before, page.Limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list events: %w", err)
	}
	if found, err = scanAll(rows); err != nil {
		return nil, "", err
	}
	if len(found) > page.Limit {
		found = found[:page.Limit]
		last := found[page.Limit-1]
		next = store.Cursor(arrivals, last.Timestamp, last.Seq)
	}
	return found, next, nil
}

// FindBySeq returns the events of the account with those seqs, the last that was taken in first.
func FindBySeq(tx *store.Tx, seqs []int64) ([]Stored, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `SELECT `+storedColumns+` FROM events AS e
		WHERE e.account_id = $1 AND e.seq = ANY ($2) ORDER BY e.seq DESC`, tx.AccountID, seqs)
	if err != nil {
		return nil, fmt.Errorf("find events: %w", err)
	}
	return scanAll(rows)
}
