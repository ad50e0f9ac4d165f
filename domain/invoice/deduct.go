package invoice

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Deduct brings all ledgers of a customer up to date with time and usage, and buys
// credits by its top-ups: see [credit.Deduct].
func Deduct(tx *store.Tx, customerID string) error {
	ledgers, err := credit.Ledgers(tx, customerID)
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		if still, err := quiet(tx, l); err != nil || still {
			if err != nil {
				return err
			}
			continue
		}
		if err := deductFrom(tx, customerID, l.Currency, ""); err != nil {
			return err
		}
		if err := topUpOf(tx, customerID, l.Currency); err != nil {
			return err
		}
	}
	return nil
}

// ChangeCredits changes a customer's ledger by hand, and works out anew what days draw
// that are not closed, before and after.
func ChangeCredits(tx *store.Tx, customerID string, currency money.Currency, change func(*credit.Ledger) (credit.Entry, error)) (credit.Entry, error) {
	ledger, err := credit.Lock(tx, customerID, currency)
	if err != nil {
		return credit.Entry{}, err
	}
	still, err := quiet(tx, *ledger)
	if err != nil {
		return credit.Entry{}, err
	}
	if !still {
		if err := deductFrom(tx, customerID, currency, ""); err != nil {
			return credit.Entry{}, err
		}
		if ledger, err = credit.Lock(tx, customerID, currency); err != nil {
			return credit.Entry{}, err
		}
	}
	entry, err := change(ledger)
	if err != nil {
		return credit.Entry{}, err
	}
	taken := entry.Kind == credit.KindDecrement || entry.Kind == credit.KindVoidInitiated
	if still && taken { // which makes nothing due, so the entry stays as it is
		return entry, topUpOf(tx, customerID, currency)
	}
	if err := deductFrom(tx, customerID, currency, ""); err != nil {
		return credit.Entry{}, err
	}
	if err := topUpOf(tx, customerID, currency); err != nil {
		return credit.Entry{}, err
	}
	return credit.FindEntry(tx, entry.ID)
}

// quiet reports whether a ledger is up to date whatever was used: nothing is due, and the
// customer has no draft that credits may pay, opened or not.
func quiet(tx *store.Tx, ledger credit.Ledger) (still bool, err error) {
	if ledger.DueAt != nil && !ledger.DueAt.After(tx.Now) {
		return false, nil
	}
	err = tx.Raw(`SELECT NOT EXISTS (SELECT FROM invoices WHERE account_id = @account AND customer_id = @customer AND status = 'draft' AND source = 'subscription')
			AND NOT EXISTS (SELECT FROM unopened_invoices WHERE account_id = @account AND customer_id = @customer)`,
		map[string]any{"account": tx.AccountID, "customer": ledger.CustomerID}).Scan(&still).Error
	return still, err
}

// NextDeduction returns the earliest instant, at or before by, at which time changes a
// ledger: as a day is closed, or a block takes effect or expires.
func NextDeduction(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return credit.NextDue(tx, by)
}

// DeductNext brings the ledger up to date that is due longest. It reports false when none
// is due, or others are at work on all that are.
func DeductNext(tx *store.Tx) (more bool, err error) {
	ledger, found, err := credit.LockDue(tx)
	if err != nil || !found {
		return false, err
	}
	return true, deductFrom(tx, ledger.CustomerID, ledger.Currency, "")
}

// deductFrom brings a ledger up to date. What pays for an invoice that is being issued
// is committed, and what it was paid too much is given back (semantics 10.2.5).
func deductFrom(tx *store.Tx, customerID string, currency money.Currency, issuing string) error {
	ledger, err := credit.Lock(tx, customerID, currency)
	if err != nil {
		return err
	}
	return deductFromLocked(tx, ledger, issuing)
}

// deductFromLocked is deductFrom for a ledger that nobody else changes.
func deductFromLocked(tx *store.Tx, ledger *credit.Ledger, issuing string) error {
	days, err := calendarOf(tx, ledger.CustomerID)
	if err != nil {
		return err
	}
	d, err := demandOf(tx, ledger.CustomerID, ledger.Currency, days, issuing)
	if err != nil {
		return err
	}
	if err := credit.Deduct(tx, ledger, d.charges, days); err != nil {
		return err
	}
	if err := d.book(tx); err != nil || issuing == "" {
		return err
	}
	lines, err := credit.LinesPaid(tx, issuing)
	if err != nil {
		return err
	}
	for _, id := range lines[ledger.Currency] {
		if err := credit.GiveBack(tx, ledger, id, money.Max(d.whole[id], money.Decimal{})); err != nil {
			return err
		}
	}
	return nil
}

func calendarOf(tx *store.Tx, customerID string) (credit.Calendar, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return credit.Calendar{}, err
	}
	buyers, err := customer.FindAll(tx, []string{customerID})
	if err != nil {
		return credit.Calendar{}, err
	}
	return calendar(settings, buyers[customerID].Location()), nil
}

// withCredits commits what credits pay of a draft that is being issued, and shows it so.
func withCredits(tx *store.Tx, settings account.Account, v View) (View, error) {
	if v.Source != SourceSubscription {
		return v, nil
	}
	ledgers, err := credit.Ledgers(tx, v.CustomerID)
	if err != nil || len(ledgers) == 0 {
		return v, err
	}
	err = credit.Together(tx, func(tx *store.Tx) error {
		for _, l := range ledgers {
			if err := deductFrom(tx, v.CustomerID, l.Currency, v.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	views, err := whole(tx, settings, []Invoice{v.Invoice})
	if err != nil {
		return v, err
	}
	return views[0], nil
}

// returnCredits gives back what credits paid of an invoice that is void and that no other
// one replaces (semantics 8.1.15).
func returnCredits(tx *store.Tx, inv Invoice) error {
	lines, err := credit.LinesPaid(tx, inv.ID)
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, currency := range slices.Sorted(maps.Keys(lines)) {
		if err := deductFrom(tx, inv.CustomerID, currency, ""); err != nil { // nothing of it is pending
			return err
		}
		ledger, err := credit.Lock(tx, inv.CustomerID, currency)
		if err != nil {
			return err
		}
		for _, id := range lines[currency] {
			if err := credit.GiveBackVoid(tx, ledger, id); err != nil {
				return err
			}
		}
		if err := deductFromLocked(tx, ledger, ""); err != nil {
			return err
		}
	}
	return nil
}

// paidOn tells what credits pay of the lines of an invoice, by their ids: of a draft, as
// it would be by now.
func paidOn(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service) (map[string]money.Decimal, error) {
	return paidFor(tx, t, inv, services, credit.Days{})
}

// paidFor is paidOn for some of the local days of the services.
func paidFor(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service, of credit.Days) (map[string]money.Decimal, error) {
	var lineIDs []string
	for _, s := range services {
		if !s.Interval.Price.InAdvance() {
			lineIDs = append(lineIDs, lineID(inv.ID, s))
		}
	}
	if len(lineIDs) == 0 {
		return nil, nil
	}
	if inv.Status != StatusDraft {
		return credit.Paid(tx, lineIDs, of)
	}
	ledgers, err := credit.Ledgers(tx, inv.CustomerID)
	if err != nil || len(ledgers) == 0 {
		return nil, err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	days := calendar(settings, t.Customer.Location())
	paid := map[string]money.Decimal{}
	for _, l := range ledgers {
		if !slices.ContainsFunc(services, func(s subscription.Service) bool { return paidByCredits(s, l.Currency) }) {
			continue
		}
		d, err := demandOf(tx, inv.CustomerID, l.Currency, days, "")
		if err != nil {
			return nil, err
		}
		foreseen, err := credit.Foresee(tx, inv.CustomerID, l.Currency, d.charges, of)
		if err != nil {
			return nil, err
		}
		for id, amount := range foreseen {
			paid[id] = amount
		}
	}
	return paid, nil
}
