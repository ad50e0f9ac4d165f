package billing

import (
	"slices"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// GrantNext grants the credits of the subscription whose grant is due longest. It reports false
// when no grant is due, or other transactions have locked all subscriptions with one.
func GrantNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "grant the allocations that are due")
	t, found, err := subscription.LockGranting(tx)
	if err != nil || !found {
		return false, err
	}
	return true, grantCredits(tx, &t)
}

// grantCredits makes the grants of a locked subscription match its terms, in order of time. The
// reductions of earlier prices come first, because a later price grants less if the credits to be
// taken back were spent.
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

// spendGranted draws all usage until now from the ledgers to which the allocations of a
// subscription grant credits. It runs before the terms change: such usage counts as spent, also
// where the change ends a price at an earlier time (semantics 11.2.5).
func spendGranted(tx *store.Tx, t subscription.Terms) error {
	if !t.GrantsCredits() {
		return nil
	}
	ledgers, err := credit.Ledgers(tx, t.CustomerID)
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		granted := func(i subscription.PriceInterval) bool {
			return i.Price.Allocation != nil && i.Price.Allocation.Currency == l.Currency
		}
		if !slices.ContainsFunc(t.Intervals, granted) {
			continue
		}
		if err := invoice.BurnDownLedger(tx, t.CustomerID, l.Currency, ""); err != nil {
			return err
		}
	}
	return nil
}

// takeBackReplaced makes all reductions that a subscription owes: unspent credits are taken back
// where, in the middle of a period, a price that grants less replaced another.
func takeBackReplaced(tx *store.Tx, t *subscription.Terms) error {
	for {
		if more, err := takeBackNext(tx, t); err != nil || !more {
			return err
		}
	}
}

// takeBackNext makes the owed reductions of the earliest instant, and reports whether there were
// any. The amounts of later ones depend on them.
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

// takeBack makes one reduction of a grant.
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
