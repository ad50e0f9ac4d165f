package alert

import (
	"slices"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Edit has the new values of an alert. Nil leaves the filters or the overrides unchanged.
type Edit struct {
	Thresholds         []money.Decimal
	PriceFilters       *[]rating.Filter
	ThresholdOverrides *[]Override
}

// Update edits an alert of usage or costs. Thresholds that fired in this billing period do
// not fire again; new ones that are reached fire at once (semantics 12.2.12).
func Update(tx *store.Tx, id string, edit Edit) (Alert, error) {
	a, err := lock(tx, id)
	if err != nil {
		return Alert{}, err
	}
	if a, err = a.edited(edit); err != nil {
		return Alert{}, err
	}
	if err := a.save(tx, "thresholds", "price_filters", "threshold_overrides"); err != nil {
		return Alert{}, err
	}
	return a, scheduleAlert(tx, a)
}

// UpdateBalance edits an alert of a credit balance. The caller holds the lock of the ledger. The
// alert does not fire now (semantics 12.2.7).
func UpdateBalance(tx *store.Tx, id string, edit Edit, balance money.Decimal) (Alert, error) {
	a, err := lock(tx, id)
	if err != nil {
		return Alert{}, err
	}
	if a, err = a.edited(edit); err != nil {
		return Alert{}, err
	}
	a.InAlert = atOrAbove(a.Thresholds, balance)
	return a, a.save(tx, "thresholds", "in_alert")
}

// edited returns the alert with the edit, or the faults of the edit.
func (a Alert) edited(edit Edit) (Alert, error) {
	zero := a.Type == BalanceDepleted || a.Type == BalanceRecovered
	faults := []error{checkThresholds("thresholds", edit.Thresholds, !zero)}
	if a.Type == LicenseReached {
		faults = append(faults, checkShares(edit.Thresholds))
	}
	if !zero {
		a.Thresholds = edit.Thresholds
	}
	if f := edit.PriceFilters; f != nil {
		faults = append(faults, only("price_filters", len(*f) > 0, a.Type == SpendExceeded || a.Grouped(), "spend_exceeded, and with grouping_keys"),
			checkFilters(*f))
		a.PriceFilters = append([]rating.Filter{}, *f...)
	}
	if o := edit.ThresholdOverrides; o != nil {
		faults = append(faults, checkOverrides(*o, len(a.GroupingKeys)))
		a.ThresholdOverrides = append([]Override{}, *o...)
	}
	return a, fault.Join(faults...)
}

// Exception is a subscription for which an alert of its plan is off.
type Exception struct {
	AccountID      string `gorm:"primaryKey"`
	AlertID        string `gorm:"primaryKey"`
	SubscriptionID string `gorm:"primaryKey"`
}

// TableName names the table of exceptions.
func (Exception) TableName() string { return "alert_exceptions" }

// Switch enables or disables an alert. With a subscription, it does so for that subscription of a
// plan alert only, and returns the alert as it is for that subscription.
func Switch(tx *store.Tx, id string, on bool, subscriptionID *string) (Alert, error) {
	a, err := lock(tx, id)
	if err != nil {
		return Alert{}, err
	}
	if subscriptionID != nil {
		return a.switchFor(tx, *subscriptionID, on)
	}
	if a.Enabled == on {
		return a, nil
	}
	a.Enabled = on
	if err := a.save(tx, "enabled"); err != nil {
		return Alert{}, err
	}
	if !on && a.SubscriptionID != nil {
		a.announceDisabled(tx, *a.SubscriptionID, nil)
	}
	return a, scheduleAlert(tx, a)
}

func (a Alert) switchFor(tx *store.Tx, subscriptionID string, on bool) (Alert, error) {
	if a.PlanID == nil {
		return Alert{}, fault.Refused("only an alert of a plan can be switched for a single subscription")
	}
	terms, err := subscription.Find(tx, subscriptionID)
	if err != nil {
		return Alert{}, err
	}
	if terms.PlanID != *a.PlanID || terms.PlanVersion != *a.PlanVersion {
		return Alert{}, fault.Refused("this subscription is on another plan or plan version than the alert")
	}
	was, err := SeenFrom(tx, terms.ID, []Alert{a})
	if err != nil {
		return Alert{}, err
	}
	off := Exception{AccountID: tx.AccountID, AlertID: a.ID, SubscriptionID: terms.ID}
	if on {
		err = tx.Where("alert_id = ? AND subscription_id = ?", a.ID, terms.ID).Delete(&Exception{}).Error
	} else {
		err = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&off).Error
	}
	if err != nil {
		return Alert{}, err
	}
	if was[0].Enabled && !on {
		a.announceDisabled(tx, terms.ID, nil)
	}
	a.Enabled = a.Enabled && on
	return a, ScheduleEvaluation(tx, terms.ID)
}

// SeenFrom returns alerts as they are for a subscription: a plan alert is disabled if the
// subscription is an exception.
func SeenFrom(tx *store.Tx, subscriptionID string, alerts []Alert) ([]Alert, error) {
	var off []string
	err := tx.Model(&Exception{}).Where("subscription_id = ?", subscriptionID).Pluck("alert_id", &off).Error
	seen := slices.Clone(alerts)
	for k, a := range seen {
		seen[k].Enabled = a.Enabled && !slices.Contains(off, a.ID)
	}
	return seen, err
}
