package invoice

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// RedeemCoupon redeems a coupon on a subscription. Its drafts follow at once; a
// date that reaches back to an issued invoice is refused. What was issued at the
// very instant of an immediate redemption was issued before it.
func RedeemCoupon(tx *store.Tx, subscriptionID string, in subscription.Redemption) (subscription.Terms, error) {
	terms, err := subscription.Lock(tx, subscriptionID)
	if err != nil {
		return terms, err
	}
	from, err := in.EffectiveAt(terms, tx.Now)
	if err != nil {
		return terms, err
	}
	reached, err := reachesIssued(tx, terms, from)
	switch {
	case err != nil:
		return terms, err
	case reached && in.Option == subscription.ChangeImmediate:
		from = from.Add(time.Microsecond)
	case reached:
		return terms, fault.Refused("an issued invoice does not change, and the coupon would discount one from that date on")
	}
	return terms, subscription.Redeem(tx, &terms, in, from)
}

// reachesIssued reports whether a discount from an instant on would be for a line
// that was issued. No invoice of that time is issued until the transaction ends.
func reachesIssued(tx *store.Tx, t subscription.Terms, from time.Time) (bool, error) {
	var rows []Invoice
	err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("subscription_id = ? AND invoice_date >= ?", t.ID, from).Order("id").Find(&rows).Error
	if err != nil {
		return false, err
	}
	discount := subscription.AdjustmentInterval{StartAt: from}
	for _, row := range rows {
		if row.Status == StatusDraft || row.Status == StatusVoid {
			continue
		}
		for _, service := range t.BilledOn(row.InvoiceDate) {
			if discount.Covers(service) {
				return true, nil
			}
		}
	}
	return false, nil
}
