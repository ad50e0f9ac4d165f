package usage

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/store"
)

// insert stores the events whose keys are new.
func (b *batch) insert(tx *store.Tx) error {
	claims := b.claims()
	if len(claims) == 0 {
		return nil
	}
	if err := insertKeys(tx, claims); err != nil {
		return fmt.Errorf("insert keys of events: %w", err)
	}
	var stored []*Event
	for i := range b.entries {
		if b.entries[i].stored {
			stored = append(stored, b.entries[i].event)
		}
	}
	for part := range slices.Chunk(stored, statementSize) {
		if err := insertEvents(tx, part); err != nil {
			return fmt.Errorf("insert events: %w", err)
		}
	}
	return nil
}

// statementSize is how many events travel in one statement at most. A number of
// event_groups is for as many as fit in the lower bits of seq, which are more.
const statementSize = 10_000

// insertKeys marks the claims whose keys were new. They must be in the order of
// their keys: transactions that insert in one order cannot deadlock.
func insertKeys(tx *store.Tx, claims []*entry) error {
	keys := make([]string, len(claims))
	for i, c := range claims {
		keys[i] = c.event.Key
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		INSERT INTO event_keys (account_id, idempotency_key)
		SELECT $1, key FROM unnest($2::text[]) AS sent (key)
		ON CONFLICT DO NOTHING
		RETURNING idempotency_key`, tx.AccountID, keys)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return err
		}
		i, _ := slices.BinarySearch(keys, key)
		claims[i].stored = true
	}
	return rows.Err()
}

// insertEvents stores events in their order, with the numbers that keep it.
func insertEvents(tx *store.Tx, events []*Event) error {
	n := len(events)
	keys, names, subjects := make([]string, n), make([]string, n), make([]string, n)
	timestamps, properties := make([]time.Time, n), make([]string, n)
	for i, e := range events {
		keys[i], names[i], subjects[i] = e.Key, e.Name, e.Subject
		timestamps[i], properties[i] = e.Timestamp, e.Properties
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		SELECT $1, key, name, subject, at, properties::jsonb, $2, (SELECT nextval('event_groups') << 20) + place
		FROM unnest($3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
			WITH ORDINALITY AS sent (key, name, subject, at, properties, place)`,
		tx.AccountID, tx.Now, keys, names, subjects, timestamps, properties)
	return err
}
