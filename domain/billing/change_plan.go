package billing

import (
	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// ChangePlan puts a subscription on another plan. What is left of fees in advance of the
// old plan is credited, before what the new plan charges is invoiced (semantics 6.3.5).
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

// UnschedulePlanChanges takes back the changes of the plan that lie ahead.
func UnschedulePlanChanges(tx *store.Tx, subscriptionID string) (_ Change, err error) {
	defer fault.Doing(&err, "unschedule plan changes of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, _ history) error {
		return subscription.UnschedulePlanChanges(tx, t)
	})
}

// TriggerPhase begins the next phase of a subscription's plan on a day, today if nil.
func TriggerPhase(tx *store.Tx, subscriptionID string, day *period.Date, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "trigger a phase of subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, _ history) error {
		return subscription.TriggerPhase(tx, t, day)
	})
}
