package billing

import (
	"time"

	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ChangeQuantity changes the quantity of a fixed fee. For a fee in advance, an increase is invoiced
// and a decrease is credited on the day it takes effect (semantics 6.3.6).
func ChangeQuantity(tx *store.Tx, subscriptionID string, in subscription.NewQuantity, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "change a quantity of subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, b history) error {
		i, at, err := in.Place(t, tx.Now)
		if err != nil {
			return err
		}
		if i.QuantityAt(at).Equal(in.Quantity) && len(i.Transitions) == 0 && !at.After(tx.Now) {
			return nil // it has this quantity; in the future, the same quantity may still end a change before it
		}
		for b.settled(i, at, tx.Now) {
			at = at.Add(time.Microsecond)
		}
		webhook.Announce(tx, webhook.SubscriptionQuantityUpdated, t.ID, webhook.Properties{
			"price_id": i.PriceID, "old_quantity": i.QuantityAt(at), "new_quantity": in.Quantity, "effective_date": at,
		})
		return subscription.ChangeQuantity(tx, i, in.Quantity, at)
	})
}

// settled reports whether the quantity from an instant on was already charged, or already changed
// at that instant. Another change then takes effect just after it.
func (b history) settled(i subscription.PriceInterval, at, now time.Time) bool {
	for _, change := range i.Transitions {
		if change.EffectiveAt.Equal(at) && (change.Resumes || change.Reached(now)) {
			return true
		}
	}
	return b.Has(subscription.ServicePeriod{Interval: i, From: at})
}

// UnscheduleQuantities cancels the future changes of a fixed fee's quantity.
func UnscheduleQuantities(tx *store.Tx, subscriptionID, priceID string) (_ Change, err error) {
	defer fault.Doing(&err, "unschedule quantities of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, _ history) error {
		return subscription.UnscheduleQuantities(tx, t, priceID)
	})
}
