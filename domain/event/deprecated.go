package event

import (
	"context"
	"fmt"

	"tollkeeper/store"
)

// failDeprecated fails the entries whose key belongs to a deprecated event. Only what
// was not stored just now is looked at: nearly always, nothing.
func failDeprecated(ctx context.Context, st *store.Store, entries []entry) error {
	var keys []string
	for _, e := range entries {
		if !e.stored && e.event.Key != "" {
			keys = append(keys, e.event.Key)
		}
	}
	if keys == nil {
		return nil
	}
	var deprecated map[string]bool
	err := st.View(ctx, func(tx *store.Tx) (err error) {
		deprecated, err = deprecatedKeys(tx, keys)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for deprecated events: %w", err)
	}
	for i := range entries {
		if e := &entries[i]; !e.stored && deprecated[e.event.Key] {
			e.fail(stepDeprecated, "idempotency_key: belongs to a deprecated event")
		}
	}
	return nil
}

// deprecatedKeys are those of the keys that belong to a deprecated event.
func deprecatedKeys(tx *store.Tx, keys []string) (map[string]bool, error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		WITH c AS MATERIALIZED (SELECT idempotency_key, event_seq FROM event_corrections
			WHERE account_id = $1 AND idempotency_key = ANY ($2) AND kind = 'deprecated')
		SELECT c.idempotency_key FROM c
		-- Nearly always there is none. OFFSET 0 keeps the planner from beginning with the events, which took
		-- time quadratic in them where the tables were never analyzed.
		CROSS JOIN LATERAL (SELECT FROM event_keys AS k WHERE k.account_id = $1 AND k.idempotency_key = c.idempotency_key AND k.seq = c.event_seq OFFSET 0) AS k
		CROSS JOIN LATERAL (SELECT FROM events AS e WHERE e.account_id = $1 AND e.seq = c.event_seq AND `+notReverted+` OFFSET 0) AS e`, tx.AccountID, keys)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	deprecated := map[string]bool{}
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		deprecated[key] = true
	}
	return deprecated, rows.Err()
}
