package subscription

import (
	"fmt"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// rowsIn is where the rows of a table are read from that terms consist of.
type rowsIn func(table string) *gorm.DB

// present are the rows as they are.
func present(tx *store.Tx) rowsIn {
	return func(table string) *gorm.DB { return tx.Table(table) }
}

// past are the rows as they were, in an edition of a subscription that is over. A column
// that there was not yet is null.
func past(tx *store.Tx, subscriptionID string, edition int) rowsIn {
	return func(table string) *gorm.DB {
		kept := fmt.Sprintf(`(SELECT r.* FROM past_terms p, jsonb_populate_recordset(NULL::%s, p.%[1]s) r
			WHERE p.account_id = ? AND p.subscription_id = ? AND p.edition = ?) AS %[1]s`, table)
		return tx.Table(kept, tx.AccountID, subscriptionID, edition)
	}
}

// FindEdition returns a subscription with the terms that it had in an edition, which may
// be the present one; false where nobody knows them. Customers, plans, prices and metrics
// are as they are: what of them decides about money does not change.
func FindEdition(tx *store.Tx, now Terms, edition int) (Terms, bool, error) {
	if edition == now.Edition {
		return now, true, nil
	}
	in := past(tx, now.ID, edition)
	var subs []Subscription
	if err := in("subscriptions").Find(&subs).Error; err != nil || len(subs) == 0 {
		return Terms{}, false, err
	}
	all, err := loadFrom(tx, in, rare{Phases: true, Adjustments: true, Transitions: true}, subs)
	if err != nil {
		return Terms{}, false, err
	}
	return all[0], true, nil
}

// Keep ends an edition of the terms, which a change is to follow: what they were is
// written down for good.
func (s *Subscription) Keep(tx *store.Tx) error {
	row := tx.Record("past")
	err := tx.Exec(`INSERT INTO past_terms (account_id, id, created_at, subscription_id, edition, subscriptions,
			stints, subscription_phases, price_intervals, quantity_transitions, adjustment_intervals)
		SELECT s.account_id, ?, ?, s.id, s.edition, jsonb_build_array(to_jsonb(s)),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM stints r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM subscription_phases r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM price_intervals r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM quantity_transitions r
				JOIN price_intervals i ON i.account_id = r.account_id AND i.id = r.interval_id
				WHERE r.account_id = s.account_id AND i.subscription_id = s.id),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM adjustment_intervals r WHERE r.account_id = s.account_id AND r.subscription_id = s.id)
		FROM subscriptions s WHERE s.account_id = ? AND s.id = ?`, row.ID, row.CreatedAt, tx.AccountID, s.ID).Error
	if err != nil {
		return err
	}
	s.Edition++
	return tx.Model(s).Select("edition").Updates(s).Error
}
