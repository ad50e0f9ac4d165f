package alerting

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Balance makes an alert of a customer's balance.
func Balance(tx *store.Tx, buyer customer.Customer, in alert.NewAlert) (alert.Alert, error) {
	if err := in.CheckBalance(); err != nil {
		return alert.Alert{}, err
	}
	balance, err := hold(tx, buyer.ID, *in.Currency)
	if err != nil {
		return alert.Alert{}, err
	}
	return alert.CreateForCustomer(tx, buyer, in, balance)
}

// Update edits an alert.
func Update(tx *store.Tx, id string, edit alert.Edit) (alert.Alert, error) {
	a, err := alert.Find(tx, id)
	if err != nil || !a.Type.OfBalance() {
		return alert.Update(tx, id, edit)
	}
	balance, err := hold(tx, *a.CustomerID, *a.Currency)
	if err != nil {
		return alert.Alert{}, err
	}
	return alert.UpdateBalance(tx, id, edit, balance)
}

// hold brings a balance up to date with usage and keeps it from moving until the
// transaction ends.
func hold(tx *store.Tx, customerID string, currency money.Currency) (money.Decimal, error) {
	if err := billing.BurnDown(tx, customerID); err != nil {
		return money.Decimal{}, err
	}
	ledger, err := credit.Lock(tx, customerID, currency)
	if err != nil {
		return money.Decimal{}, err
	}
	return ledger.Balance, nil
}
