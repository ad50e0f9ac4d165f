package billing

import (
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/topup"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mostBought bounds how often credits are bought in a row (semantics 11.1.5).
const mostBought = 100

// CreateTopUp makes a customer buy credits by itself, in place of what it agreed to
// before, and at once if few are left.
func CreateTopUp(tx *store.Tx, customerID string, in topup.NewTopUp) (_ topup.TopUp, err error) {
	defer fault.Doing(&err, "create a top-up of customer %s", customerID)
	made, err := topup.Create(tx, customerID, in)
	if err != nil {
		return made, err
	}
	if err := invoice.BurnDownLedger(tx, customerID, made.Currency, ""); err != nil {
		return made, err
	}
	return made, topUp(tx, made)
}

// DeleteTopUp ends a top-up. Credits that it bought and that still wait for a payment are
// taken back, and their invoices voided (semantics 11.1.1).
func DeleteTopUp(tx *store.Tx, customerID, id string) (err error) {
	defer fault.Doing(&err, "delete top-up %s of customer %s", id, customerID)
	t, err := topup.Find(tx, customerID, id)
	if err != nil {
		return err
	}
	unpaid, err := credit.AwaitingPayment(tx, t.ID)
	if err != nil {
		return err
	}
	for _, block := range unpaid {
		if err := DeleteCredits(tx, block.ID); err != nil {
			return err
		}
	}
	return topup.Deactivate(tx, t.ID)
}

// NextTopUp returns the earliest instant, at or before by, at which a balance is to be
// looked at: when it changed, or a top-up became active.
func NextTopUp(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next top-up")
	return topup.NextDue(tx, by)
}

// TopUpNext looks at the balance that has waited longest, and buys credits if few are
// left. It reports false when none waits.
func TopUpNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "top up the credits that are due")
	first, found, err := topup.FirstDue(tx)
	if err != nil || !found {
		return false, err
	}
	return true, topUp(tx, first)
}

// topUpOf looks at a balance of a customer that may have changed.
func topUpOf(tx *store.Tx, customerID string, currency money.Currency) error {
	t, due, err := topup.DueOf(tx, customerID, currency)
	if err != nil || !due {
		return err
	}
	return topUp(tx, t)
}

// topUp buys credits until more than the threshold are left, or what was bought waits for
// a payment. The ledger is locked first, so another look at the same time finds the
// credits that another bought.
func topUp(tx *store.Tx, t topup.TopUp) error {
	ledger, err := credit.Lock(tx, t.CustomerID, t.Currency)
	if err != nil {
		return err
	}
	t, active, err := topup.Lock(tx, t.ID)
	if err != nil || !active || t.ActiveFrom.After(tx.Now) {
		return err
	}
	for bought := 0; err == nil && t.Reached(ledger.Balance) && bought < mostBought; bought++ {
		var unpaid []credit.Block
		if unpaid, err = credit.AwaitingPayment(tx, t.ID); err != nil || len(unpaid) > 0 {
			break
		}
		if err = buy(tx, t); err != nil {
			break
		}
		if err = invoice.BurnDownLedger(tx, t.CustomerID, t.Currency, ""); err != nil {
			break
		}
		ledger, err = credit.Lock(tx, t.CustomerID, t.Currency)
	}
	if err != nil {
		return err
	}
	return t.Look(tx, ledger.Changes)
}

// buy adds the credits of a top-up once, with an invoice if they cost anything.
func buy(tx *store.Tx, t topup.TopUp) error {
	buyer, err := customer.Find(tx, t.CustomerID)
	if err != nil {
		return err
	}
	grant := credit.Grant{
		Currency: t.Currency, Amount: t.Quantity(), ExpiresAt: t.Expiry(period.DateOf(tx.Now, buyer.Location()), buyer.Location()),
		PerUnitCostBasis: &t.PerUnitCostBasis, Source: credit.SourceTopUp, OriginID: &t.ID,
	}
	if !t.Sells() {
		_, err := credit.Add(tx, buyer, grant)
		return err
	}
	date := period.FormatInstant(tx.Now)
	_, err = SellCredits(tx, buyer, grant, Purchase{
		AutoCollection: t.AutoCollection, NetTermsDays: &t.NetTermsDays, Date: &date, Memo: t.Memo, UntilPayment: t.RequiresPayment,
	})
	return err
}
