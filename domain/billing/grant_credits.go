package billing

import (
	"slices"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// GrantNext grants what the subscription is owed whose period began first. It reports
// false when none is owed anything, or others are at work on all that are.
func GrantNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "grant the allocations that are due")
	t, found, err := subscription.LockGranting(tx)
	if err != nil || !found {
		return false, err
	}
	return true, grantCredits(tx, &t)
}

// grantCredits brings the grants of a subscription, which is locked, into line with its terms. What
// earlier prices take back is taken before later ones grant, which grant less where it was spent.
func grantCredits(tx *store.Tx, t *subscription.Terms) error {
	for {
		held, err := allocation.Sync(tx, t)
		if err != nil || !held {
			return err
		}
		if _, err := takeBackNext(tx, t); err != nil {
			return err
		}
	}
}

// spendGranted brings the ledgers up to date that the allocations of a subscription grant credits to,
// before its terms change: what was used by now is spent, also where a price turns out to have ended
// before (semantics 11.2.5).
func spendGranted(tx *store.Tx, t subscription.Terms) error {
	var units []money.Currency
	for _, i := range t.Intervals {
		if i.Price.Allocation != nil && !slices.Contains(units, i.Price.Allocation.Currency) {
			units = append(units, i.Price.Allocation.Currency)
		}
	}
	slices.Sort(units)
	for _, unit := range units {
		if err := invoice.BurnDownLedger(tx, t.CustomerID, unit, ""); err != nil {
			return err
		}
	}
	return nil
}

// takeBackReplaced takes back what prices grant less that took the place of others in the middle
// of a period, of what is unspent.
func takeBackReplaced(tx *store.Tx, t *subscription.Terms) error {
	for {
		if more, err := takeBackNext(tx, t); err != nil || !more {
			return err
		}
	}
}

// takeBackNext does so for the prices that began first, of those that are due. It reports whether
// there were any. What later ones take back follows from it.
func takeBackNext(tx *store.Tx, t *subscription.Terms) (found bool, err error) {
	owed, err := allocation.OwedTakings(tx, *t)
	if err != nil {
		return false, err
	}
	for _, o := range owed {
		if !o.Terms.At.Equal(owed[0].Terms.At) {
			break
		}
		if err := takeBack(tx, t, o); err != nil {
			return false, err
		}
	}
	return len(owed) > 0, nil
}

// takeBack takes what is owed of the credits of one grant.
func takeBack(tx *store.Tx, t *subscription.Terms, o allocation.Owed) error {
	if o.Taken != nil {
		if err := o.Pass(tx, t); err != nil || o.Taken.Amount.Cmp(o.Terms.Amount) >= 0 {
			return err
		}
	}
	block, err := credit.FindBlock(tx, o.Grant.BlockID)
	if fault.Is(err, fault.KindMissing) {
		return o.TakeNothing(tx, t)
	}
	if err != nil {
		return err
	}
	if err := invoice.BurnDownLedger(tx, block.CustomerID, block.Currency, ""); err != nil {
		return err
	}
	ledger, err := credit.Lock(tx, block.CustomerID, block.Currency)
	if err != nil {
		return err
	}
	return o.Take(tx, t, ledger)
}
