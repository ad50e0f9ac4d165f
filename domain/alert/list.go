package alert

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Filter says whose alerts are listed: those of one of the three.
type Filter struct {
	CustomerID         string
	ExternalCustomerID string
	SubscriptionID     string // those of its plan too, as it sees them
	CreatedAt          store.Range
}

// linesOfAlert is a line for an alert, more for one with long thresholds, groups or filters.
const linesOfAlert = `1 + (pg_column_size(thresholds) + pg_column_size(threshold_overrides) + pg_column_size(price_filters)
	+ pg_column_size(grouping_keys) + pg_column_size(in_alert)) / 100`

// List returns a page of alerts, newest first. A filter that names nothing gives an empty
// page (semantics 14.1.4).
func List(tx *store.Tx, filter Filter, page store.Page) (alerts []Alert, next string, err error) {
	query := filter.CreatedAt.On(tx.Where("deleted_at IS NULL AND owner_id IS NULL"), "created_at")
	switch {
	case filter.CustomerID != "":
		query = query.Where("customer_id = ?", filter.CustomerID)
	case filter.ExternalCustomerID != "":
		query = query.Where("customer_id IN (?)", customer.IDsByExternal(tx, []string{filter.ExternalCustomerID}))
	default:
		query = query.Where("subscription_id = ? OR (plan_id, plan_version) IN (?)", filter.SubscriptionID,
			tx.Model(&subscription.Subscription{}).Select("plan_id", "plan_version").Where("id = ?", filter.SubscriptionID))
	}
	alerts, next, err = store.List[Alert](store.Long(query, linesOfAlert), page)
	if err != nil || filter.SubscriptionID == "" {
		return alerts, next, err
	}
	alerts, err = SeenFrom(tx, filter.SubscriptionID, alerts)
	return alerts, next, err
}

// ListAll returns a page of the alerts of all customers, subscriptions and plans, newest first.
func ListAll(tx *store.Tx, page store.Page) (alerts []Alert, next string, err error) {
	return store.List[Alert](store.Long(tx.Where("deleted_at IS NULL AND owner_id IS NULL"), linesOfAlert), page)
}

// On are the alerts that are on for a subscription while it is on the plan of a plan interval,
// oldest first.
func On(tx *store.Tx, subscriptionID string, s subscription.PlanInterval) ([]Alert, error) {
	var alerts []Alert
	err := tx.Where("deleted_at IS NULL AND enabled AND (subscription_id = ? OR plan_id = ? AND plan_version = ?)", subscriptionID, s.PlanID, s.PlanVersion).
		Where("id NOT IN (?)", tx.Model(&Exception{}).Select("alert_id").Where("subscription_id = ?", subscriptionID)).
		Order("seq").Find(&alerts).Error
	return alerts, err
}
