package catalog

import (
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Adjustment is a discount, a minimum or a maximum of a plan or of one
// subscription.
type Adjustment struct {
	store.Record
	PlanID               *string
	SubscriptionID       *string // the only one it is made for; then it has no plan
	PhaseOrder           *int    // nil: in all phases, or there are none
	ReplacesAdjustmentID *string
	Kind                 rating.AdjustmentKind
	Value                money.Decimal           // as rating.Adjustment has it; 0 with tiers
	AsSent               *string                 // the value as the client wrote it, for what is shown so: amounts of money
	Tiers                []rating.PercentageTier `gorm:"serializer:json"`
	ItemID               *string                 // of a minimum: where the revenue of its shortfall goes
	Filters              []rating.Filter         `gorm:"serializer:json"` // all must hold; none: every price
	InvoiceLevel         bool                    `gorm:"column:is_invoice_level"`
	Reason               *string
}

// Rating is the adjustment as it is worked out.
func (a Adjustment) Rating() rating.Adjustment {
	return rating.Adjustment{
		ID: a.ID, Kind: a.Kind, Value: a.Value, Tiers: a.Tiers, Filters: a.Filters, InvoiceLevel: a.InvoiceLevel,
	}
}

// FindAdjustments returns the adjustments with those ids, by id. It asks once,
// and leaves out what does not exist.
func FindAdjustments(tx *store.Tx, ids []string) (map[string]Adjustment, error) {
	return findAll(tx, ids, func(a Adjustment) string { return a.ID })
}
