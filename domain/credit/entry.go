package credit

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Entry is one change of a ledger.
type Entry struct {
	store.Record
	CustomerID      string
	Currency        money.Currency
	Sequence        int64 // counts from 1 without holes
	Kind            Kind
	Status          EntryStatus
	Amount          money.Decimal // credits, never negative: the kind gives the direction
	Draws           bool          `gorm:"->"` // as it was read: Amount is not 0
	StartingBalance money.Decimal // of the whole ledger, as EndingBalance: they follow from the entries before
	EndingBalance   money.Decimal
	BlockID         string
	Description     *string
	Metadata        store.Metadata

	// Of what pays for a local day, or gives that back.
	Day       *period.Date
	LineID    *string
	InvoiceID *string
	PriceID   *string
	CommitAt  *time.Time // of a pending entry; nil: when its block is paid for

	NewExpiry  *time.Time // of the credits that were moved
	VoidReason *string

	Block Block `gorm:"-"`
}

// TableName is not that of an entry of anything.
func (Entry) TableName() string { return "ledger_entries" }

// Kind says what an entry did.
type Kind string

// The kinds of entries.
const (
	KindIncrement         Kind = "increment"
	KindDecrement         Kind = "decrement"
	KindExpirationChange  Kind = "expiration_change"
	KindCreditBlockExpiry Kind = "credit_block_expiry"
	KindVoid              Kind = "void"
	KindVoidInitiated     Kind = "void_initiated"
	KindAmendment         Kind = "amendment"
)

// effect is what an entry of that kind does to the balance.
func (k Kind) effect(amount money.Decimal) money.Decimal {
	switch k {
	case KindIncrement, KindAmendment:
		return amount
	case KindDecrement, KindCreditBlockExpiry, KindVoid:
		return amount.Neg()
	default:
		return money.Decimal{}
	}
}

// EntryStatus says whether an entry can still change.
type EntryStatus string

// The states of an entry.
const (
	EntryCommitted EntryStatus = "committed" // for good
	EntryPending   EntryStatus = "pending"   // until usage it stands for is final, or it is paid for
)
