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
		SELECT c.idempotency_key FROM event_corrections AS c
		JOIN event_keys AS k ON k.account_id = c.account_id AND k.idempotency_key = c.idempotency_key AND k.seq = c.event_seq
		JOIN events AS e ON e.account_id = k.account_id AND e.seq = k.seq
		WHERE c.account_id = $1 AND c.idempotency_key = ANY ($2) AND c.kind = 'deprecated' AND `+notReverted, tx.AccountID, keys)
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
