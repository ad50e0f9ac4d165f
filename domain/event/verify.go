package event

import (
	"fmt"
	"math"

	"tollkeeper/store"
)

// verifiedAtOnce is how many events or keys one transaction verifies.
const verifiedAtOnce = 200_000

// Verify compares the events of the account and their keys, both ways: each event has the
// key that leads to it, each key leads to an event, and neither is there twice. It goes on
// after a seq, 0 at first, and returns the next one; 0 when there are no more. Where months
// were dropped, keys have outlived their events, and only the way from events to keys is
// compared.
func Verify(tx *store.Tx, after int64) (found []store.Finding, next int64, err error) {
	// Keys beyond the last event belong to the last part.
	const last int64 = math.MaxInt64
	var upTo int64
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT coalesce((SELECT seq FROM events WHERE account_id = $1 AND seq > $2 ORDER BY seq OFFSET $3 LIMIT 1), $4)`,
		tx.AccountID, after, verifiedAtOnce-1, last).Scan(&upTo)
	if err != nil {
		return nil, 0, fmt.Errorf("look for events to verify: %w", err)
	}
	// They are compared by grouping, not by joining: where the tables were never analyzed, as after
	// a crash, a join would be planned for a handful of rows.
	if found, err = tx.Findings(`
		WITH odd AS MATERIALIZED (
			SELECT idempotency_key, count(*) FILTER (WHERE stored) AS events, count(*) FILTER (WHERE NOT stored) AS keys, min(backfill_id) AS backfill_id
			FROM (SELECT seq, idempotency_key, backfill_id, true AS stored FROM events WHERE account_id = $1 AND seq > $2 AND seq <= $3
				UNION ALL SELECT seq, idempotency_key, NULL, false FROM event_keys WHERE account_id = $1 AND seq > $2 AND seq <= $3) AS rows
			GROUP BY seq, idempotency_key HAVING count(*) FILTER (WHERE stored) <> 1 OR count(*) FILTER (WHERE NOT stored) <> 1),
		reverted AS (SELECT id FROM backfills WHERE account_id = $1 AND status = 'reverted')
		(SELECT idempotency_key, 'the event has no key, so the same event would be counted again' FROM odd WHERE keys = 0
			-- the key of an event that was taken back may lead to the event that came in its place
			AND NOT (backfill_id IN (SELECT id FROM reverted)
				AND EXISTS (SELECT FROM event_keys o WHERE o.account_id = $1 AND o.idempotency_key = odd.idempotency_key))
			LIMIT 100)
		UNION ALL (SELECT idempotency_key, 'the event is stored more than once' FROM odd WHERE events > 1 LIMIT 100)
		UNION ALL (SELECT idempotency_key, 'the key leads to no event' FROM odd
			WHERE events = 0 AND NOT EXISTS (SELECT FROM `+DroppedMonths+`) LIMIT 100)
		ORDER BY 1, 2`, tx.AccountID, after, upTo); err != nil {
		return nil, 0, fmt.Errorf("compare events and keys: %w", err)
	}
	if upTo == last {
		upTo = 0
	}
	return found, upTo, nil
}

// VerifyKeys looks for keys of the account that are there more than once: two events would
// have been counted under one. It goes on after a key, "" at first, and returns the next one;
// "" when there are no more.
func VerifyKeys(tx *store.Tx, after string) (found []store.Finding, next string, err error) {
	all, err := tx.Findings(`
		WITH k AS MATERIALIZED (SELECT idempotency_key AS key FROM event_keys
			WHERE account_id = $1 AND idempotency_key >= $2 ORDER BY idempotency_key LIMIT $3)
		SELECT key, '' FROM (SELECT key FROM k GROUP BY key HAVING count(*) > 1 LIMIT 100) AS doubled
		UNION ALL (SELECT max(key), 'next' FROM k HAVING count(*) = $3 AND max(key) > $2)`, tx.AccountID, after, verifiedAtOnce)
	if err != nil {
		return nil, "", fmt.Errorf("look for keys that are there twice: %w", err)
	}
	for _, f := range all {
		if f.Wrong == "next" {
			next = f.Document
			continue
		}
		found = append(found, store.Finding{Document: f.Document, Wrong: "the key is there more than once"})
	}
	return found, next, nil
}
