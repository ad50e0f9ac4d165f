package subscription

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// patience is how long a change may be pending, in days of 24 hours.
const patience = 30 * 24 * time.Hour

// Change is a change that was asked for and waits to be applied or cancelled. It keeps
// the request, not its result.
type Change struct {
	store.Record
	CustomerID     string
	SubscriptionID *string // nil: it makes one, and is not applied yet
	Type           string  // the operation that was asked for
	Request        string  // its body, in JSON
	ExpiresAt      time.Time
	AppliedAt      *time.Time
	CancelledAt    *time.Time
}

// TableName is the table of changes.
func (Change) TableName() string { return "subscription_changes" }

// ChangeStatus is where a change is in its life.
type ChangeStatus string

// The states of a change, as the wire spells them. All but the first are final.
const (
	ChangePending   ChangeStatus = "pending"
	ChangeApplied   ChangeStatus = "applied"
	ChangeCancelled ChangeStatus = "cancelled"
)

// Status is what became of the change.
func (c Change) Status() ChangeStatus {
	switch {
	case c.AppliedAt != nil:
		return ChangeApplied
	case c.CancelledAt != nil:
		return ChangeCancelled
	default:
		return ChangePending
	}
}

const isPending = "applied_at IS NULL AND cancelled_at IS NULL"

// Propose keeps a change that waits. A subscription has one at most (semantics 6.1.8).
func Propose(tx *store.Tx, c Change) (Change, error) {
	c.Record, c.ExpiresAt = tx.Record("subchg"), tx.Now.Add(patience)
	err := tx.Create(&c).Error
	if store.Unique(err, "subscription_changes_pending") {
		err = errWaiting
	}
	return c, err
}

var errWaiting = fault.Refused("a change of the subscription is pending, which has to be applied or cancelled first")

// RefuseIfPending refuses to change a subscription while a change of it is pending. It is
// locked.
func RefuseIfPending(tx *store.Tx, subscriptionID string) error {
	waiting, err := Pending(tx, []string{subscriptionID})
	if err == nil && len(waiting) > 0 {
		err = errWaiting
	}
	return err
}

// Pending are the changes that wait, by subscription.
func Pending(tx *store.Tx, subscriptionIDs []string) (map[string]Change, error) {
	waiting := map[string]Change{}
	var rows []Change
	err := tx.Where("subscription_id IN ?", subscriptionIDs).Where(isPending).Find(&rows).Error
	for _, row := range rows {
		waiting[*row.SubscriptionID] = row
	}
	return waiting, err
}

// FindChange returns the change with that id, or fault.Missing.
func FindChange(tx *store.Tx, id string) (c Change, err error) {
	err = tx.Where("id = ?", id).Take(&c).Error
	return c, store.Found(err, "SubscriptionChange", id)
}

// lockPending is FindChange for one that waits, and keeps it so.
func lockPending(tx *store.Tx, id string) (c Change, err error) {
	err = tx.Clauses(forUpdate).Where("id = ?", id).Take(&c).Error
	if err = store.Found(err, "SubscriptionChange", id); err == nil && c.Status() != ChangePending {
		err = fault.Refused("only a pending change can be applied or cancelled; this one is %s", c.Status())
	}
	return c, err
}

// Apply marks a change as applied, by do, which makes the change and tells which
// subscription it was made to.
func Apply(tx *store.Tx, id string, do func(Change) (subscriptionID string, err error)) (Change, error) {
	c, err := lockPending(tx, id)
	if err != nil {
		return c, err
	}
	c.AppliedAt = &tx.Now
	if err := c.save(tx); err != nil {
		return c, err
	}
	made, err := do(c)
	if err != nil {
		return c, err
	}
	c.SubscriptionID = &made
	return c, c.save(tx)
}

// CancelChange lets go of a change that waits.
func CancelChange(tx *store.Tx, id string) (Change, error) {
	c, err := lockPending(tx, id)
	if err != nil {
		return c, err
	}
	c.CancelledAt = &tx.Now
	return c, c.save(tx)
}

func (c *Change) save(tx *store.Tx) error {
	return tx.Model(c).Select("subscription_id", "applied_at", "cancelled_at").Updates(c).Error
}

// ChangeFilter narrows a list. Empty fields do not.
type ChangeFilter struct {
	CustomerID         string
	ExternalCustomerID string
	Status             ChangeStatus
}

// ListChanges returns a page of changes, newest first. They are without their requests, which may be as long as a body.
func ListChanges(tx *store.Tx, filter ChangeFilter, page store.Page) (changes []Change, next string, err error) {
	query := tx.Model(&Change{}).Omit("request")
	if filter.CustomerID != "" {
		query = query.Where("customer_id = ?", filter.CustomerID)
	}
	if filter.ExternalCustomerID != "" {
		query = query.Where("customer_id IN (?)", customer.IDsByExternal(tx, []string{filter.ExternalCustomerID}))
	}
	switch filter.Status {
	case ChangePending:
		query = query.Where(isPending)
	case ChangeApplied:
		query = query.Where("applied_at IS NOT NULL")
	case ChangeCancelled:
		query = query.Where("cancelled_at IS NOT NULL")
	}
	return store.List[Change](query, page)
}

// changeFree is the condition that no parked unit holds up the expiry of a change.
var changeFree = due.PendingChanges.FreeSubscription("subscription_changes.account_id", "subscription_changes.customer_id", "subscription_changes.subscription_id")

// NextExpiry returns the earliest instant, at or before by, at which a change has waited
// too long.
func NextExpiry(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	var dates []time.Time
	err = tx.Model(&Change{}).Where(isPending+" AND expires_at <= ?", by).Where(changeFree).Order("expires_at, seq").Limit(1).Pluck("expires_at", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// ExpireNext cancels the change that has waited too long. It reports false when none
// has.
func ExpireNext(tx *store.Tx) (more bool, err error) {
	var overdue []Change
	err = tx.Clauses(forUpdateSkipLocked).Where(isPending+" AND expires_at <= ?", tx.Now).Where(changeFree).
		Order("expires_at, seq").Limit(1).Find(&overdue).Error
	if err != nil || len(overdue) == 0 {
		return false, err
	}
	due.Concern(tx, due.Subject{CustomerID: &overdue[0].CustomerID, SubscriptionID: overdue[0].SubscriptionID})
	overdue[0].CancelledAt = &tx.Now
	return true, overdue[0].save(tx)
}
