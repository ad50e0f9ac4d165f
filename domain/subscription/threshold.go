package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/due"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// checkThreshold refuses a threshold that is no amount to be invoiced.
func checkThreshold(threshold *money.Decimal) error {
	if threshold != nil && threshold.Sign() <= 0 {
		return fault.Bad("invoicing_threshold", "must be above 0")
	}
	return nil
}

// checkShown refuses a threshold that answers could not show as it is: they show money
// with the digits of its currency's minor unit.
func checkShown(threshold *money.Decimal, currency money.Currency) error {
	if threshold != nil && !currency.Round(*threshold).Equal(*threshold) {
		return fault.Bad("invoicing_threshold", "must have at most %d digits after the point, as %s has", currency.MinorUnits(), currency)
	}
	return nil
}

// Accruing are the services of usage prices that an instant lies in, as they are charged
// next: their amount is not invoiced yet but by partial invoices.
func (t Terms) Accruing(at time.Time) []ServicePeriod {
	return t.collect(func(i PriceInterval) (found []ServicePeriod) {
		if i.Price.Type != catalog.PriceUsage || i.PlanID != t.PlanInterval(at).PlanID {
			return nil
		}
		piece, ok := t.first(i, at)
		if !ok {
			return nil
		}
		for _, s := range t.charged(piece) {
			if !at.Before(s.From) && at.Before(s.Period.End) {
				found = append(found, s)
			}
		}
		return found
	})
}

// HasThresholds reports whether a subscription of the account has an invoicing threshold.
func HasThresholds(tx *store.Tx) (found bool, err error) {
	err = tx.Raw("SELECT EXISTS (SELECT FROM subscriptions WHERE account_id = ? AND invoicing_threshold IS NOT NULL)", tx.AccountID).
		Scan(&found).Error
	return found, err
}

// Accrued notes that what customers have used, or what credits pay of that, is to be compared with the
// thresholds of their subscriptions; with nil, of all.
func Accrued(tx *store.Tx, customerIDs []string) error {
	query := tx.Model(&Subscription{}).Where("invoicing_threshold IS NOT NULL AND NOT accrual_changed")
	if customerIDs != nil {
		query = query.Where("customer_id IN ?", customerIDs)
	}
	return query.Update("accrual_changed", true).Error
}

// Accrue notes that what the subscription charges has changed. Credits that pay for it pay no more for
// others of the customer, so these are compared with their thresholds too.
func (s *Subscription) Accrue(tx *store.Tx) error {
	s.AccrualChanged = s.InvoicingThreshold != nil
	return Accrued(tx, []string{s.CustomerID})
}

// Compared notes that what has been used is known, and whether it was invoiced now.
func (s *Subscription) Compared(tx *store.Tx, invoiced bool) error {
	if s.AccrualChanged = false; invoiced {
		s.PartialAt = &tx.Now
	}
	return tx.Model(s).Select("accrual_changed", "partial_at").Updates(s).Error
}

// NextAccrued reports whether what a subscription charges is to be compared with its
// threshold, which is due at once.
func NextAccrued(tx *store.Tx) (at time.Time, found bool, err error) {
	err = tx.Raw("SELECT EXISTS (SELECT FROM subscriptions WHERE account_id = ? AND accrual_changed AND "+free(due.Billing)+")", tx.AccountID).Scan(&found).Error
	return tx.Now, found, err
}

// LockAccrued returns the oldest such subscription, and keeps others from it. It is false
// where there is none, or others are at work on all.
func LockAccrued(tx *store.Tx) (Terms, bool, error) {
	var subs []Subscription
	err := tx.Clauses(forUpdateSkipLocked).Where("accrual_changed").Where(free(due.Billing)).Order("seq").Limit(1).Find(&subs).Error
	if err != nil || len(subs) == 0 {
		return Terms{}, false, err
	}
	due.Concern(tx, subs[0].subject())
	all, err := load(tx, subs)
	if err != nil {
		return Terms{}, false, err
	}
	return all[0], true, nil
}
