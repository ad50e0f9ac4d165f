package subscription

import (
	"fmt"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// tableSource is where the rows of a table are read from that terms consist of.
type tableSource func(table string) *gorm.DB

// current are the rows as they are.
func current(tx *store.Tx) tableSource {
	return func(table string) *gorm.DB { return tx.Table(table) }
}

// asOfRevision are the rows as they were, in a revision of a subscription that is over. A column
// that there was not yet is null.
func asOfRevision(tx *store.Tx, subscriptionID string, revision int) tableSource {
	return func(table string) *gorm.DB {
		kept := fmt.Sprintf(`(SELECT r.* FROM terms_revisions p, jsonb_populate_recordset(NULL::%s, p.%[1]s) r
			WHERE p.account_id = ? AND p.subscription_id = ? AND p.revision = ?) AS %[1]s`, table)
		return tx.Table(kept, tx.AccountID, subscriptionID, revision)
	}
}

// FindRevision returns a subscription with the terms that it had in a revision, which may
// be the present one; false where they are unknown. Customers, plans, prices and metrics
// are as they are: what of them decides about money does not change.
func FindRevision(tx *store.Tx, now Terms, revision int) (Terms, bool, error) {
	if revision == now.Revision {
		return now, true, nil
	}
	in := asOfRevision(tx, now.ID, revision)
	var subs []Subscription
	if err := in("subscriptions").Find(&subs).Error; err != nil || len(subs) == 0 {
		return Terms{}, false, err
	}
	all, err := loadFrom(tx, in, optionalParts{Phases: true, Adjustments: true, Transitions: true}, subs)
	if err != nil {
		return Terms{}, false, err
	}
	return all[0], true, nil
}

// SaveRevision ends a revision of the terms, which a change is to follow: what they were is
// written down for good.
func (s *Subscription) SaveRevision(tx *store.Tx) error {
	row := tx.Record("past")
	err := tx.Exec(`INSERT INTO terms_revisions (account_id, id, created_at, subscription_id, revision, subscriptions,
			plan_intervals, subscription_phases, price_intervals, quantity_transitions, adjustment_intervals)
		SELECT s.account_id, ?, ?, s.id, s.revision, jsonb_build_array(to_jsonb(s)),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM plan_intervals r WHERE r.account_id = s.account_id AND r.subscription_id = s.id),
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
	s.Revision++
	return tx.Model(s).Select("revision").Updates(s).Error
}
