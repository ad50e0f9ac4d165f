package credit

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Block is credits that were added together and expire together.
type Block struct {
	store.Record
	CustomerID       string
	Currency         money.Currency
	Source           Source
	Status           BlockStatus
	InitialBalance   money.Decimal
	Balance          money.Decimal // what is left; above InitialBalance if usage fell that an amendment gave back
	Empty            bool          `gorm:"->"` // as it was read: nothing is left
	Counted          bool          // Balance is part of the ledger's
	EffectiveAt      time.Time     // a midnight of the customer's, as ExpiresAt
	ExpiresAt        *time.Time    // exclusive; nil: never
	PerUnitCostBasis *string       // what one credit cost, as sent; nil: not said
	Filters          []ItemFilter  `gorm:"serializer:json"` // what it pays for passes all of them
	InvoiceID        *string       // that sold it
	OriginID         *string       // the allocation price or top-up that it came of
	DeletedAt        *time.Time
	Metadata         store.Metadata

	kept money.Decimal // of Balance, what is not lost as the block expires: see revive.go
}

// TableName is not that of a block of anything.
func (Block) TableName() string { return "credit_blocks" }

// Source says how a block came about.
type Source string

// The sources of blocks.
const (
	SourceAllocation Source = "allocation"
	SourceTopUp      Source = "top_up"
	SourceManual     Source = "manual"
)

// BlockStatus says whether a block is paid for.
type BlockStatus string

// The states of a block.
const (
	BlockActive         BlockStatus = "active"
	BlockPendingPayment BlockStatus = "pending_payment"
)

// ItemFilter narrows a block to items, or to all but some.
type ItemFilter struct {
	Operator Operator `json:"operator"`
	ItemIDs  []string `json:"item_ids"`
}

// Operator says what a filter does with the items it names.
type Operator string

// The operators of filters.
const (
	Includes Operator = "includes"
	Excludes Operator = "excludes"
)

// FindBlock returns the block with that id, or fault.Missing.
func FindBlock(tx *store.Tx, id string) (b Block, err error) {
	err = tx.Where("id = ? AND deleted_at IS NULL", id).Take(&b).Error
	return b, store.Found(err, "CreditBlock", id)
}

// inForce reports whether the block may pay for a day that begins then.
func (b Block) inForce(at time.Time) bool {
	return b.Status == BlockActive && b.DeletedAt == nil && !b.EffectiveAt.After(at) && !b.expired(at)
}

func (b Block) expired(at time.Time) bool { return b.ExpiresAt != nil && !b.ExpiresAt.After(at) }

// paysFor reports whether the block may pay for an item.
func (b Block) paysFor(itemID string) bool {
	return !slices.ContainsFunc(b.Filters, func(f ItemFilter) bool {
		return slices.Contains(f.ItemIDs, itemID) != (f.Operator == Includes)
	})
}

// cost is what one credit cost, 0 where nothing was said.
func (b Block) cost() money.Decimal {
	if b.PerUnitCostBasis == nil {
		return money.Decimal{}
	}
	return money.Must(*b.PerUnitCostBasis)
}

// inOrder puts blocks in the order in which they pay: those for some items first, then
// what expires soonest, what cost least, what is oldest (semantics 10.2.1).
func inOrder(blocks []Block) {
	slices.SortFunc(blocks, func(a, b Block) int {
		return cmp.Or(
			-compare(len(a.Filters) > 0, len(b.Filters) > 0),
			compareExpiry(a.ExpiresAt, b.ExpiresAt),
			a.cost().Cmp(b.cost()),
			cmp.Compare(a.Seq, b.Seq),
		)
	})
}

// payOrder is the same in SQL.
const payOrder = "filters = '[]', expires_at NULLS LAST, coalesce(per_unit_cost_basis::numeric, 0), seq"

func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareExpiry(a, b *time.Time) int {
	if a == nil || b == nil {
		return compare(a == nil, b == nil)
	}
	return a.Compare(*b)
}

// Midnight reads a date of a request as the instant at which that day begins in a
// customer's zone. A date-time counts as its local date (semantics 10.1.7).
func Midnight(field, text string, loc *time.Location) (time.Time, error) {
	at, err := period.ParseInstant(text, loc)
	if err != nil {
		return time.Time{}, fault.Bad(field, "%v", err)
	}
	return period.DateOf(at, loc).In(loc), nil
}
