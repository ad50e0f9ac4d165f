package credit

import (
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Ledger is all credits of a customer in one unit.
type Ledger struct {
	AccountID    string         `gorm:"primaryKey"`
	CustomerID   string         `gorm:"primaryKey"`
	Currency     money.Currency `gorm:"primaryKey"`
	LastSequence int64          // of its newest entry; 0: none
	Balance      money.Decimal  // the ending balance of that entry
	Changes      int64          // how often Balance changed: a reader who saw one number saw all that led to it
	ChangedAt    *time.Time     // when it did last
	DueAt        *time.Time     // when time changes it next; nil: never by itself

	moved    bool       // since it was saved last
	returned []returned // by invoices that are void, since it was worked out last
}

// TableName is not that of a ledger of anything.
func (Ledger) TableName() string { return "credit_ledgers" }

// Balance is what a customer had in that unit when the ledger was last worked out: 0
// without a ledger.
func Balance(tx *store.Tx, customerID string, currency money.Currency) (money.Decimal, error) {
	ledger, err := FindLedger(tx, customerID, currency)
	return ledger.Balance, err
}

// FindLedger returns a customer's ledger in that unit as it was last worked out, an empty
// one if there is none.
func FindLedger(tx *store.Tx, customerID string, currency money.Currency) (ledger Ledger, err error) {
	err = ofLedger(tx, customerID, currency).Take(&ledger).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Ledger{AccountID: tx.AccountID, CustomerID: customerID, Currency: currency}, nil
	}
	return ledger, err
}

// Ledgers returns all ledgers of a customer, by unit.
func Ledgers(tx *store.Tx, customerID string) (ledgers []Ledger, err error) {
	err = tx.Where("customer_id = ?", customerID).Order("currency").Find(&ledgers).Error
	return ledgers, err
}

// LedgersOf returns the ledgers of several customers by customer, those of one by unit.
func LedgersOf(tx *store.Tx, customerIDs []string) (map[string][]Ledger, error) {
	byCustomer := map[string][]Ledger{}
	if len(customerIDs) == 0 {
		return byCustomer, nil
	}
	var all []Ledger
	if err := tx.Where("customer_id IN ?", customerIDs).Order("customer_id, currency").Find(&all).Error; err != nil {
		return nil, err
	}
	for _, l := range all {
		byCustomer[l.CustomerID] = append(byCustomer[l.CustomerID], l)
	}
	return byCustomer, nil
}

// LockLedgersOf is [LedgersOf], and keeps these ledgers from changing until the transaction ends.
func LockLedgersOf(tx *store.Tx, customerIDs []string) (map[string][]Ledger, error) {
	locking := *tx
	locking.DB = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
	return LedgersOf(&locking, customerIDs)
}

// Lock keeps a ledger from changing until the transaction ends. It makes it first if
// need be: a row that does not exist cannot be locked. Code that locks a customer too
// locks the ledger before.
func Lock(tx *store.Tx, customerID string, currency money.Currency) (*Ledger, error) {
	for {
		var ledger Ledger
		err := ofLedger(tx, customerID, currency).Clauses(clause.Locking{Strength: "UPDATE"}).Take(&ledger).Error
		if err == nil {
			return &ledger, nil
		}
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return nil, err
		}
		made := Ledger{AccountID: tx.AccountID, CustomerID: customerID, Currency: currency}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&made).Error; err != nil {
			return nil, err
		}
	}
}

// append writes the ledger's next entry.
func (l *Ledger) append(tx *store.Tx, entry *Entry) error {
	l.number(tx, entry)
	return tx.Create(entry).Error
}

// insertedTogether is how many entries a statement inserts. Its arguments are limited to 65,535.
const insertedTogether = 1_000

// appendAll is append for several entries, in their order.
func (l *Ledger) appendAll(tx *store.Tx, entries []Entry) error {
	for some := range slices.Chunk(entries, insertedTogether) {
		for k := range some {
			l.number(tx, &some[k])
		}
		if err := tx.Create(&some).Error; err != nil {
			return err
		}
	}
	return nil
}

// number makes an entry the ledger's next. It moves the balance unless its block is not
// part of that.
func (l *Ledger) number(tx *store.Tx, entry *Entry) {
	l.LastSequence++
	entry.Record = tx.Record("entry")
	entry.CustomerID, entry.Currency, entry.Sequence = l.CustomerID, l.Currency, l.LastSequence
	entry.BlockID = entry.Block.ID
	if entry.Metadata == nil {
		entry.Metadata = store.Metadata{}
	}
	effect := entry.Kind.effect(entry.Amount)
	if !entry.Block.Counted {
		effect = money.Decimal{}
	}
	entry.StartingBalance = l.Balance
	l.move(tx, effect)
	entry.EndingBalance = l.Balance
}

// move changes the balance. save writes it.
func (l *Ledger) move(tx *store.Tx, by money.Decimal) {
	if by.IsZero() {
		return
	}
	l.Balance, l.ChangedAt = l.Balance.Add(by), &tx.Now
	l.Changes++
	l.moved = true
}

// restate makes an entry move the balance by another effect, and moves along what comes
// after it.
func (l *Ledger) restate(tx *store.Tx, entry *Entry, effect money.Decimal) error {
	by := effect.Sub(entry.EndingBalance.Sub(entry.StartingBalance))
	entry.EndingBalance = entry.StartingBalance.Add(effect)
	if err := tx.Model(entry).Select("status", "amount", "ending_balance").Updates(entry).Error; err != nil || by.IsZero() {
		return err
	}
	l.move(tx, by)
	if entry.Sequence == l.LastSequence {
		return nil
	}
	return ofLedger(tx, l.CustomerID, l.Currency).Model(&Entry{}).Where("sequence > ?", entry.Sequence).
		Updates(map[string]any{
			"starting_balance": gorm.Expr("starting_balance + ?", by), "ending_balance": gorm.Expr("ending_balance + ?", by),
		}).Error
}

// save writes what an operation made of the ledger.
func (l *Ledger) save(tx *store.Tx) error {
	state := l.state()
	if err := tx.Exec(state.sql, state.args...).Error; err != nil {
		return err
	}
	return l.tell(tx)
}

// tell says what balance was written, if it is another.
func (l *Ledger) tell(tx *store.Tx) error {
	if !l.moved {
		return nil
	}
	l.moved = false
	if change := movedIn(tx); change != nil {
		change.note(l)
		return nil
	}
	return alert.BalanceMoved(tx, l.CustomerID, l.Currency, l.Balance)
}

// dueBy makes the ledger due at an instant if it is not before.
func (l *Ledger) dueBy(at time.Time) {
	if l.DueAt == nil || at.Before(*l.DueAt) {
		l.DueAt = &at
	}
}

func ofLedger(tx *store.Tx, customerID string, currency money.Currency) *gorm.DB {
	return tx.Where("customer_id = ? AND currency = ?", customerID, currency)
}
