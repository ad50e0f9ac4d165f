package alert

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Alert watches a value of a customer's balance, of a subscription, or of each
// subscription to a version of a plan.
type Alert struct {
	store.Record
	Type           Type
	CustomerID     *string // whose balance; else
	SubscriptionID *string // what it is of; else
	PlanID         *string // the plan that its subscriptions are to, and
	PlanVersion    *int    // the version of that

	MetricID           *string         // of what usage_exceeded looks at
	LicenseTypeID      *string         // of the licenses that an alert of licenses looks at
	Currency           *money.Currency // nil: that of the invoices
	GroupingKeys       []string        `gorm:"serializer:json"` // properties by whose values costs are told apart; empty: by none
	Thresholds         []money.Decimal `gorm:"serializer:json"` // distinct, in the order given; of licenses, percentages
	PriceFilters       []rating.Filter `gorm:"serializer:json"` // which prices count: all must hold
	ThresholdOverrides []Override      `gorm:"serializer:json"` // each for another group
	InAlert            []money.Decimal `gorm:"serializer:json"` // thresholds of a balance alert that the balance is at or below

	Enabled   bool // for a plan alert, wherever it is not an exception
	DeletedAt *time.Time
}

// Override takes the place of the thresholds for one group.
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

// OfBalance reports whether it watches a credit balance.
func (t Type) OfBalance() bool {
	return t == BalanceDepleted || t == BalanceDropped || t == BalanceRecovered
}

// Grouped reports whether it tells costs apart by the values of properties.
func (a Alert) Grouped() bool { return len(a.GroupingKeys) > 0 }

// Find returns the alert with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (Alert, error) { return find(tx.DB, id) }

// lock is Find, and keeps the alert from changing until the transaction ends.
func lock(tx *store.Tx, id string) (Alert, error) {
	return find(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), id)
}

func find(query *gorm.DB, id string) (a Alert, err error) {
	err = query.Where("id = ? AND deleted_at IS NULL", id).Take(&a).Error
	return a, store.Found(err, "Alert", id)
}

// Delete ends an alert for good. That of a plan is refused: it can be disabled
// (semantics 12.2.13).
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

// DeleteOf ends the alerts of a customer's balances.
func DeleteOf(tx *store.Tx, customerID string) error {
	return tx.Model(&Alert{}).Where("customer_id = ? AND deleted_at IS NULL", customerID).Update("deleted_at", tx.Now).Error
}

// save writes those columns of the alert.
func (a *Alert) save(tx *store.Tx, columns ...string) error {
	return tx.Model(a).Select(columns).Updates(a).Error
}
