package alert

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Alert watches a value of a customer's balance, of a subscription, or of each
// subscription to a version of a plan.
type Alert struct {
	store.Record
	Type Type

	// Exactly one of these is given: the customer of a balance, a subscription, or a plan.
	CustomerID     *string
	SubscriptionID *string
	PlanID         *string
	PlanVersion    *int // of the plan

	OwnerID            *string         // the customer who set it in the portal; nil: the account did
	MetricID           *string         // of usage_exceeded
	LicenseTypeID      *string         // of an alert of licenses
	Currency           *money.Currency // nil: the currency of the invoices
	GroupingKeys       []string        `gorm:"serializer:json"` // properties whose values group the costs; empty: costs are not grouped
	Thresholds         []money.Decimal `gorm:"serializer:json"` // distinct, in the order given; percentages in an alert of licenses
	PriceFilters       []rating.Filter `gorm:"serializer:json"` // a price counts if all of them match
	ThresholdOverrides []Override      `gorm:"serializer:json"` // at most one for a group
	InAlert            []money.Decimal `gorm:"serializer:json"` // thresholds of a balance alert that are at or above the balance

	Enabled   bool // of a plan alert: for all subscriptions without an Exception
	DeletedAt *time.Time
}

// Override replaces the thresholds for one group.
type Override struct {
	GroupValues []string        `json:"group_values"` // one for each grouping key
	Thresholds  []money.Decimal `json:"thresholds"`   // empty: the group is not watched
}

// Type says what an alert watches, and in which direction.
type Type string

// The types, as the wire spells them.
const (
	UsageExceeded    Type = "usage_exceeded"
	CostExceeded     Type = "cost_exceeded"
	SpendExceeded    Type = "spend_exceeded"
	BalanceDepleted  Type = "credit_balance_depleted"
	BalanceDropped   Type = "credit_balance_dropped"
	BalanceRecovered Type = "credit_balance_recovered"
	LicenseReached   Type = "license_balance_threshold_reached"
)

// OfBalance reports whether alerts of the type watch a credit balance.
func (t Type) OfBalance() bool {
	return t == BalanceDepleted || t == BalanceDropped || t == BalanceRecovered
}

// Grouped reports whether the alert compares costs by groups.
func (a Alert) Grouped() bool { return len(a.GroupingKeys) > 0 }

// Find returns the alert with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (Alert, error) { return find(tx.DB, id) }

// lock is Find, and locks the alert until the transaction ends.
func lock(tx *store.Tx, id string) (Alert, error) {
	return find(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), id)
}

func find(query *gorm.DB, id string) (a Alert, err error) {
	err = query.Where("id = ? AND deleted_at IS NULL AND owner_id IS NULL", id).Take(&a).Error
	return a, store.Found(err, "Alert", id)
}

// Delete deletes an alert. It refuses an alert of a plan, which can only be disabled (semantics
// 12.2.13).
func Delete(tx *store.Tx, id string) error {
	a, err := lock(tx, id)
	if err != nil {
		return err
	}
	if a.PlanID != nil {
		return fault.Refused("an alert of a plan cannot be deleted; disable it instead")
	}
	a.DeletedAt = &tx.Now
	return a.save(tx, "deleted_at")
}

// DeleteOf deletes the balance alerts of a customer, and the alerts that the customer set.
func DeleteOf(tx *store.Tx, customerID string) error {
	return tx.Model(&Alert{}).Where("(customer_id = ? OR owner_id = ?) AND deleted_at IS NULL", customerID, customerID).Update("deleted_at", tx.Now).Error
}

// save writes the named columns of the alert.
func (a *Alert) save(tx *store.Tx, columns ...string) error {
	return tx.Model(a).Select(columns).Updates(a).Error
}
