package billing

import (
	"time"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// RedeemCoupon redeems a coupon on a subscription. Its drafts follow at once. Issued
// invoices that a date in the past reaches are void, and others in their place; once one
// of them is paid, the date is refused. What was issued at the very instant of an
// immediate redemption was issued before it.
func RedeemCoupon(tx *store.Tx, subscriptionID string, in subscription.Redemption, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "redeem a coupon for subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, b history) error {
		from, err := in.EffectiveAt(t, tx.Now)
		if err != nil {
			return err
		}
		reached := b.discounted(t, from)
		if len(reached) > 0 && in.Option == subscription.ChangeImmediate {
			reached, from = nil, from.Add(time.Microsecond)
		}
		for _, inv := range reached {
			switch {
			case !mayCredit:
				return fault.Refused("%s", wouldCredit)
			case inv.Status != invoice.StatusIssued:
				return fault.Refused("invoice %s, which the coupon would discount from that date on, is %s", *inv.Number, inv.Status)
			}
			if err := replace(tx, inv); err != nil {
				return err
			}
		}
		return subscription.Redeem(tx, &t, in, from)
	})
}

// discounted are the issued invoices with lines that a discount from an instant on
// would be for.
func (b history) discounted(t subscription.Terms, from time.Time) (found []invoice.Invoice) {
	discount := subscription.AdjustmentInterval{StartAt: from}
	for _, inv := range b.Issued {
		for _, l := range b.Lines[inv.ID] {
			if l.IntervalID == nil {
				continue
			}
			if s, is := t.ServicePeriodAt(*l.IntervalID, l.StartAt); is && discount.Covers(s) {
				found = append(found, inv)
				break
			}
		}
	}
	return found
}
