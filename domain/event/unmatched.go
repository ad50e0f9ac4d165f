package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Unmatched is an event of a customer that does not exist, as it was sent.
type Unmatched struct {
	Key, Name          string
	ExternalCustomerID string
	Timestamp          time.Time
	Properties         json.RawMessage
}

// unmatchedAtOnce is how many events one unit of work looks through.
const unmatchedAtOnce = 1_000

// unlooked selects the events with an alias that were not examined yet: from the mark up to the
// oldest running transaction.
var unlooked = `
	FROM events AS e WHERE account_id = $1 AND ` + From("$2::bigint") + ` AND seq < ` + Horizon + `
	AND subject LIKE 'e:%'`

// NextUnmatched tells whether there are events to look through for those of no customer,
// which is at once: ingestion does not wait for it, and has no part in it. There are none
// unless an endpoint is told of such events.
func NextUnmatched(tx *store.Tx, _ time.Time) (at time.Time, found bool, err error) {
	mark, wanted, err := webhook.LookedTo(tx)
	if err != nil || !wanted {
		return at, false, err
	}
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT EXISTS (SELECT "+unlooked+")", tx.AccountID, mark).Scan(&found)
	return tx.Now, found, err
}

// TellUnmatchedNext looks through some events and tells of those whose customer does not
// exist by now. It reports false when there are none, or another server is at it.
func TellUnmatchedNext(tx *store.Tx) (more bool, err error) {
	mark, free, err := webhook.LockLooked(tx)
	if err != nil || !free {
		return false, err
	}
	wanted, err := webhook.Wanted(tx, webhook.EventUnmatched, webhook.IngestionUnmatchedCustomer)
	if err != nil || !wanted {
		return err == nil, stopLooking(tx, err)
	}
	events, last, err := lookThrough(tx, mark)
	if err != nil || len(events) == 0 {
		return false, err
	}
	aliases := map[string]bool{}
	for _, e := range events {
		aliases[e.ExternalCustomerID] = true
	}
	known, err := customer.ExistingAliases(tx, slices.Collect(maps.Keys(aliases)))
	if err != nil {
		return false, err
	}
	unknown := map[string]bool{}
	for _, e := range events {
		if !known[e.ExternalCustomerID] {
			webhook.Announce(tx, webhook.EventUnmatched, "", e)
			unknown[e.ExternalCustomerID] = true
		}
	}
	if len(unknown) > 0 {
		webhook.Announce(tx, webhook.IngestionUnmatchedCustomer, "", webhook.Properties{"external_customer_ids": slices.Sorted(maps.Keys(unknown))})
	}
	return true, webhook.Looked(tx, last+1)
}

func stopLooking(tx *store.Tx, err error) error {
	if err != nil {
		return err
	}
	return webhook.StopLooking(tx)
}

// lookThrough reads the next events, and the seq of the last of them.
func lookThrough(tx *store.Tx, mark int64) (events []Unmatched, last int64, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(),
		`SELECT idempotency_key, event_name, subject, "timestamp", properties, seq `+unlooked+" ORDER BY seq LIMIT $3",
		tx.AccountID, mark, unmatchedAtOnce)
	if err != nil {
		return nil, 0, fmt.Errorf("look through events: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var e Unmatched
		var subject string
		if err := rows.Scan(&e.Key, &e.Name, &subject, &e.Timestamp, &e.Properties, &last); err != nil {
			return nil, 0, fmt.Errorf("look through events: %w", err)
		}
		e.ExternalCustomerID = strings.TrimPrefix(subject, "e:")
		events = append(events, e)
	}
	return events, last, rows.Err()
}
