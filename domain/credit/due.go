package credit

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/due"
	"tollkeeper/store"
)

// plan finds when time changes the ledger next: as an entry is to be committed, a block
// takes effect or expires and, while there is something to pay with, as the next day is
// closed.
func (b *workingSet) plan(now time.Time, days Calendar) {
	b.DueAt = nil
	for _, e := range b.entries {
		if e.Status == EntryPending && e.CommitAt != nil {
			b.dueBy(*e.CommitAt)
		}
	}
	for _, block := range b.blocks {
		if block.Balance.Sign() <= 0 || block.Status != BlockActive {
			continue
		}
		if block.EffectiveAt.After(now) {
			b.dueBy(block.EffectiveAt)
			continue
		}
		b.dueBy(days.Closes(days.FirstOpen(now)))
		if block.ExpiresAt != nil && block.ExpiresAt.After(now) {
			b.dueBy(*block.ExpiresAt)
		}
	}
}

// Wake makes the ledgers of customers due that nothing changes by itself, because invoices are opened
// whose days close.
func Wake(tx *store.Tx, customerIDs []string) error {
	return tx.Model(&Ledger{}).Where("customer_id IN ? AND due_at IS NULL", customerIDs).Update("due_at", tx.Now).Error
}

// free is the condition that no parked unit holds up a ledger.
var free = due.Billing.FreeCustomer("credit_ledgers.account_id", "credit_ledgers.customer_id")

// NextDue returns the earliest instant, at or before by, at which time changes a ledger.
func NextDue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	var dates []time.Time
	err = tx.Model(&Ledger{}).Where("due_at <= ?", by).Where(free).Order("due_at").Limit(1).Pluck("due_at", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// LockDue locks the ledger that is due longest, and reports false when none is by now, or
// others are at work on all that are.
func LockDue(tx *store.Tx) (*Ledger, bool, error) {
	ledgers, err := LockSeveralDue(tx, 1)
	if err != nil || len(ledgers) == 0 {
		return nil, false, err
	}
	due.Concern(tx, due.Subject{CustomerID: &ledgers[0].CustomerID})
	return &ledgers[0], true, nil
}

// LockSeveralDue locks the ledgers that are due longest by now, at most so many, each of another customer, and leaves
// out those that others are at work on. Of a customer's ledgers only the first is locked: they are settled in order.
func LockSeveralDue(tx *store.Tx, most int) (ledgers []Ledger, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Where("due_at <= ?", tx.Now).Where(free).Where(`NOT EXISTS (SELECT FROM credit_ledgers AS earlier
			WHERE (earlier.account_id, earlier.customer_id) = (credit_ledgers.account_id, credit_ledgers.customer_id)
			AND earlier.due_at <= ? AND (earlier.due_at, earlier.currency) < (credit_ledgers.due_at, credit_ledgers.currency))`, tx.Now).
		Order("due_at, customer_id, currency").Limit(most).Find(&ledgers).Error
	return ledgers, err
}
