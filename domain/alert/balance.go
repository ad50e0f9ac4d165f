package alert

import (
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// BalanceDrop is what a notification says of a balance: which alert, and for one that has several
// thresholds the one that was reached.
type BalanceDrop struct {
	Alert     Alert
	Threshold money.Decimal
}

// BalanceMoved compares a customer's balance, whose ledger is locked, with the thresholds of its
// alerts. It announces only changes since the last call: a threshold below the balance can fire
// again (semantics 12.2.7, 12.2.8). The change also affects the amounts that credits do not pay, so
// the evaluation of the customer's subscriptions is scheduled. One statement does both, because a
// busy ledger calls BalanceMoved for each entry.
func BalanceMoved(tx *store.Tx, customerID string, currency money.Currency, balance money.Decimal) error {
	var alerts []Alert
	err := tx.Raw(`WITH looked AS (`+toLookAt+`s.customer_id = $3)
		SELECT * FROM alerts WHERE account_id = $1 AND deleted_at IS NULL AND customer_id = $3 AND currency = $4 ORDER BY id FOR UPDATE`,
		tx.AccountID, tx.Now, customerID, currency).Find(&alerts).Error
	if err != nil {
		return err
	}
	for _, a := range alerts {
		was := a.InAlert
		a.InAlert = atOrAbove(a.Thresholds, balance)
		if slices.EqualFunc(was, a.InAlert, money.Decimal.Equal) {
			continue
		}
		if err := a.save(tx, "in_alert"); err != nil {
			return err
		}
		if a.Enabled {
			a.announceBalance(tx, was)
		}
	}
	return nil
}

// announceBalance tells what has changed. Of several thresholds that were passed at once
// it is the one that the balance fell to last: the least.
func (a Alert) announceBalance(tx *store.Tx, was []money.Decimal) {
	fell, rose := added(was, a.InAlert), added(a.InAlert, was)
	switch {
	case a.OwnerID != nil:
		if len(fell) > 0 {
			tx.Note(OwnDrop{Alert: a, Threshold: fell[0]})
		}
	case a.Type == BalanceRecovered && len(rose) > 0:
		webhook.Announce(tx, webhook.CustomerCreditBalanceRecovered, *a.CustomerID, BalanceDrop{Alert: a})
	case a.Type == BalanceDepleted && len(fell) > 0:
		webhook.Announce(tx, webhook.CustomerCreditBalanceDepleted, *a.CustomerID, BalanceDrop{Alert: a})
	case a.Type == BalanceDropped && len(fell) > 0:
		webhook.Announce(tx, webhook.CustomerCreditBalanceDropped, *a.CustomerID, BalanceDrop{Alert: a, Threshold: fell[0]})
	}
}

// added are those of now that were not there before, in their order.
func added(before, now []money.Decimal) []money.Decimal {
	return slices.DeleteFunc(slices.Clone(now), func(t money.Decimal) bool { return slices.ContainsFunc(before, t.Equal) })
}
