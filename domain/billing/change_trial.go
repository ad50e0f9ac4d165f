package billing

import (
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// UpdateTrial moves the end of a subscription's trial. Fees are charged from the new end on.
func UpdateTrial(tx *store.Tx, subscriptionID string, in subscription.TrialUpdate) (_ Change, err error) {
	defer fault.Doing(&err, "update the trial of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, _ history) error {
		return subscription.UpdateTrial(tx, t, in)
	})
}
