package billing

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ThresholdScan is up to where the usage of an account was looked at for invoicing
// thresholds.
type ThresholdScan struct {
	AccountID string         `gorm:"primaryKey"`
	Seen      event.Snapshot // the events that were there
	Changes   int64          // of the history of usage
}

// TableName has no plural.
func (ThresholdScan) TableName() string { return "accrual_progress" }

// NextThresholdScan reports whether usage came or changed since it was looked at for invoicing
// thresholds, which is due at once. Where no subscription has one nothing is ever due.
func NextThresholdScan(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next scan of thresholds")
	if any, err := subscription.HasThresholds(tx); err != nil || !any {
		return tx.Now, false, err
	}
	p, known, err := progress(tx, tx.DB)
	if err != nil || !known {
		return tx.Now, err == nil, err
	}
	changes, err := usage.Changes(tx)
	if err != nil || changes != p.Changes {
		return tx.Now, err == nil, err
	}
	found, err = event.AnySince(tx, p.Seen, by)
	return tx.Now, found, err
}

func progress(tx *store.Tx, query *gorm.DB) (p ThresholdScan, known bool, err error) {
	var rows []ThresholdScan
	err = query.Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return p, false, err
	}
	return rows[0], true, nil
}

// ScanThresholdsNext looks at the usage that came since it did last, and notes whose subscriptions
// are to be compared with their thresholds. It is false while another server is at it.
func ScanThresholdsNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "scan thresholds")
	p, known, err := progress(tx, tx.Clauses(clause.Locking{
		Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked,
	}))
	if err != nil {
		return false, err
	}
	if !known {
		begun := tx.Exec(`INSERT INTO accrual_progress (account_id, seen, changes) VALUES (?, `+event.Moment+`, -1)
			ON CONFLICT DO NOTHING`, tx.AccountID)
		return begun.RowsAffected > 0, begun.Error
	}
	changes, err := usage.Changes(tx)
	if err != nil {
		return false, err
	}
	ids, aliases, now, err := event.Since(tx, p.Seen)
	if err != nil {
		return false, err
	}
	if changes != p.Changes {
		err = subscription.Accrued(tx, nil)
	} else if len(ids)+len(aliases) > 0 {
		err = markCustomers(tx, ids, aliases)
	}
	if err != nil {
		return false, err
	}
	p.Seen, p.Changes = now, changes
	return true, tx.Model(&p).Select("seen", "changes").Updates(&p).Error
}

// markCustomers notes that customers used something, for whose subscriptions and whose parent's.
func markCustomers(tx *store.Tx, ids, aliases []string) error {
	users, err := customer.Named(tx, ids, aliases)
	if err != nil {
		return err
	}
	billed := []string{}
	for _, user := range users {
		billed = append(billed, user.ID)
		if user.ParentID != nil {
			billed = append(billed, *user.ParentID)
		}
	}
	return subscription.Accrued(tx, billed)
}
