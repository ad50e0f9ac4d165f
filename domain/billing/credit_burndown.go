package billing

import (
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// BurnDown brings all ledgers of a customer up to date with time and usage, and buys
// credits by its top-ups: see [credit.Deduct].
func BurnDown(tx *store.Tx, customerID string) (err error) {
	defer fault.Doing(&err, "bring the ledgers of customer %s up to date", customerID)
	ledgers, err := credit.Ledgers(tx, customerID)
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		if still, err := upToDate(tx, l); err != nil || still {
			if err != nil {
				return err
			}
			continue
		}
		if err := invoice.BurnDownLedger(tx, customerID, l.Currency, ""); err != nil {
			return err
		}
		if err := topUpOf(tx, customerID, l.Currency); err != nil {
			return err
		}
	}
	return nil
}

// ChangeCredits changes a customer's ledger by hand, and works out again what days draw
// that are not closed, before and after. What credits pay then is compared with thresholds again.
func ChangeCredits(tx *store.Tx, customerID string, currency money.Currency, change func(*credit.Ledger) (credit.Entry, error)) (_ credit.Entry, err error) {
	defer fault.Doing(&err, "change the %s ledger of customer %s", currency, customerID)
	if err := subscription.Accrued(tx, []string{customerID}); err != nil { // before the ledger
		return credit.Entry{}, err
	}
	ledger, err := credit.Lock(tx, customerID, currency)
	if err != nil {
		return credit.Entry{}, err
	}
	still, err := upToDate(tx, *ledger)
	if err != nil {
		return credit.Entry{}, err
	}
	if !still {
		if err := invoice.BurnDownLedger(tx, customerID, currency, ""); err != nil {
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
	if err := invoice.BurnDownLedger(tx, customerID, currency, ""); err != nil {
		return credit.Entry{}, err
	}
	if err := topUpOf(tx, customerID, currency); err != nil {
		return credit.Entry{}, err
	}
	return credit.FindEntry(tx, entry.ID)
}

// upToDate reports whether a ledger is up to date whatever was used: nothing is due, and the
// customer has no draft that credits may pay, opened or not.
func upToDate(tx *store.Tx, ledger credit.Ledger) (still bool, err error) {
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
	defer fault.Doing(&err, "find the next deduction of credits")
	return credit.NextDue(tx, by)
}

// DeductNext brings the ledger up to date that is due longest. It reports false when none
// is due, or others are at work on all that are.
func DeductNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "deduct credits that are due")
	ledger, found, err := credit.LockDue(tx)
	if err != nil || !found {
		return false, err
	}
	return true, invoice.BurnDownLocked(tx, ledger, "")
}

// DeductSeveral is DeductNext for up to most ledgers, each of another customer. What they have in common is read once.
// It stops between two ledgers when over says that the time is up, and returns how many it did. If one ledger cannot
// be brought up to date, all fail: the caller then does them one by one.
func DeductSeveral(tx *store.Tx, most int, over func() bool) (done int, err error) {
	defer fault.Doing(&err, "deduct credits that are due from several ledgers")
	ledgers, err := credit.LockSeveralDue(tx, most)
	if err != nil || len(ledgers) == 0 {
		return 0, err
	}
	return invoice.BurnDownSeveral(tx, ledgers, over)
}
