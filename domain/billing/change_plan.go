package billing

import (
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ChangePlan moves a subscription to another plan. It credits the unused part of fees in advance
// of the old plan, and then invoices the fees of the new plan (semantics 6.3.5).
func ChangePlan(tx *store.Tx, subscriptionID string, in subscription.PlanChange) (_ Change, err error) {
	defer fault.Doing(&err, "change the plan of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, _ history) error {
		at, err := in.EffectiveAt(t, tx.Now)
		if err != nil {
			return err
		}
		return subscription.ChangePlan(tx, t, in, at)
	})
}

// UnschedulePlanChanges cancels the future changes of the plan.
func UnschedulePlanChanges(tx *store.Tx, subscriptionID string) (_ Change, err error) {
	defer fault.Doing(&err, "unschedule plan changes of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, _ history) error {
		return subscription.UnschedulePlanChanges(tx, t)
	})
}

// TriggerPhase begins the next phase of a subscription's plan on a day; nil: today.
func TriggerPhase(tx *store.Tx, subscriptionID string, day *period.Date, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "trigger a phase of subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, _ history) error {
		return subscription.TriggerPhase(tx, t, day)
	})
}
