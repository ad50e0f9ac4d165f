package credit

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Ledger is all credits of a customer in one unit.
type Ledger struct {
	AccountID    string         `gorm:"primaryKey"`
	CustomerID   string         `gorm:"primaryKey"`
	Currency     money.Currency `gorm:"primaryKey"`
	LastSequence int64          // of its newest entry; 0: none
}

// TableName is not that of a ledger of anything.
func (Ledger) TableName() string { return "credit_ledgers" }

// Entry is one change of a ledger.
type Entry struct {
	store.Record
	CustomerID      string
	Currency        money.Currency
	Sequence        int64 // counts from 1 without holes
	Kind            Kind
	Status          EntryStatus
	Amount          money.Decimal // credits, never negative: the kind gives the direction
	StartingBalance money.Decimal // of the whole ledger, as EndingBalance
	EndingBalance   money.Decimal
	BlockID         string
	Description     *string
	Metadata        store.Metadata

	Block Block `gorm:"-"`
}

// TableName is not that of an entry of anything.
func (Entry) TableName() string { return "ledger_entries" }

// Kind says what an entry did.
type Kind string

const (
	KindIncrement         Kind = "increment"
	KindDecrement         Kind = "decrement"
	KindExpirationChange  Kind = "expiration_change"
	KindCreditBlockExpiry Kind = "credit_block_expiry"
	KindVoid              Kind = "void"
	KindVoidInitiated     Kind = "void_initiated"
	KindAmendment         Kind = "amendment"
)

// EntryStatus says whether an entry can still change.
type EntryStatus string

const (
	EntryCommitted EntryStatus = "committed" // for good
	EntryPending   EntryStatus = "pending"   // until usage it stands for is final, or it is paid for
)

// Balance is what a customer has in that unit now: 0 without a ledger.
func Balance(tx *store.Tx, customerID string, currency money.Currency) (money.Decimal, error) {
	var blocks []Block
	if err := ofLedger(tx, customerID, currency).Where("balance <> 0").Find(&blocks).Error; err != nil {
		return money.Decimal{}, err
	}
	var balance money.Decimal
	for _, block := range blocks {
		if block.counts(tx.Now) {
			balance = balance.Add(block.Balance)
		}
	}
	return balance, nil
}

// lockLedger keeps the ledger from changing until the transaction ends. It
// makes it first if need be: a row that does not exist cannot be locked.
func lockLedger(tx *store.Tx, customerID string, currency money.Currency) (Ledger, error) {
	ledger := Ledger{AccountID: tx.AccountID, CustomerID: customerID, Currency: currency}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&ledger).Error; err != nil {
		return Ledger{}, err
	}
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("customer_id = ? AND currency = ?", customerID, currency).Take(&ledger).Error
	return ledger, err
}

// append writes the ledger's next entry, and numbers it.
func (l *Ledger) append(tx *store.Tx, entry *Entry) error {
	l.LastSequence++
	entry.Sequence = l.LastSequence
	if err := tx.Create(entry).Error; err != nil {
		return err
	}
	return tx.Model(l).Select("last_sequence").Updates(l).Error
}

func ofLedger(tx *store.Tx, customerID string, currency money.Currency) *gorm.DB {
	return tx.Where("customer_id = ? AND currency = ?", customerID, currency)
}
