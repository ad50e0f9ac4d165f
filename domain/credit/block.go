package credit

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Block is credits that were added together and expire together.
type Block struct {
	store.Record
	CustomerID       string
	Currency         money.Currency
	Source           Source
	Status           BlockStatus
	InitialBalance   money.Decimal
	Balance          money.Decimal // what is left; at most InitialBalance
	EffectiveAt      time.Time     // a midnight of the customer's, as ExpiresAt
	ExpiresAt        *time.Time    // exclusive; nil: never
	PerUnitCostBasis *string       // what one credit cost, as sent; nil: not said
	Filters          []ItemFilter  `gorm:"serializer:json"` // what it pays for passes all of them
	Metadata         store.Metadata
}

// TableName is not that of a block of anything.
func (Block) TableName() string { return "credit_blocks" }

// Source says how a block came about.
type Source string

const SourceManual Source = "manual"

// BlockStatus says whether a block is paid for.
type BlockStatus string

const BlockActive BlockStatus = "active"

// ItemFilter narrows a block to items, or to all but some.
type ItemFilter struct {
	Operator Operator `json:"operator"`
	ItemIDs  []string `json:"item_ids"`
}

// Operator says what a filter does with the items it names.
type Operator string

const (
	Includes Operator = "includes"
	Excludes Operator = "excludes"
)

// counts reports whether what is left in the block is part of the balance.
func (b Block) counts(at time.Time) bool {
	return b.Status == BlockActive && !b.EffectiveAt.After(at) && (b.ExpiresAt == nil || b.ExpiresAt.After(at))
}
