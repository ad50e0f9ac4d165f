package catalog

import (
	"fmt"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Adjustment is a discount, a minimum or a maximum of a plan or of one
// subscription.
type Adjustment struct {
	store.Record
	PlanID               *string
	SubscriptionID       *string // the only one it is made for; then it has no plan
	InvoiceID            *string // the only one
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
	Trial                bool `gorm:"column:is_trial"` // of one invoice: shown as a trial that takes off an amount or a percentage
}

// Rating is the adjustment as it is worked out.
func (a Adjustment) Rating() rating.Adjustment {
	return rating.Adjustment{
		ID: a.ID, Kind: a.Kind, Value: a.Value, Tiers: a.Tiers, Filters: a.Filters, InvoiceLevel: a.InvoiceLevel,
	}
}

// IsOf reports whether the adjustment is for one price alone.
func (a Adjustment) IsOf(priceID string) bool {
	return !a.InvoiceLevel && slices.ContainsFunc(a.Filters, func(f rating.Filter) bool {
		return f.Field == rating.FilterPriceID && f.Operator == rating.FilterIncludes && slices.Equal(f.Values, []string{priceID})
	})
}

// FindAdjustments returns the adjustments with those ids, by id. It asks once,
// and leaves out what does not exist.
func FindAdjustments(tx *store.Tx, ids []string) (map[string]Adjustment, error) {
	return findAll(tx, ids, func(a Adjustment) string { return a.ID })
}

// FindInvoiceDiscounts returns the adjustments that are of one invoice alone, by
// invoice, in the order in which they were made.
func FindInvoiceDiscounts(tx *store.Tx, invoiceIDs []string) (map[string][]Adjustment, error) {
	byInvoice := map[string][]Adjustment{}
	if len(invoiceIDs) == 0 {
		return byInvoice, nil
	}
	var rows []Adjustment
	if err := tx.Where("invoice_id IN ?", invoiceIDs).Order("seq").Find(&rows).Error; err != nil {
		return nil, err
	}
	for _, a := range rows {
		byInvoice[*a.InvoiceID] = append(byInvoice[*a.InvoiceID], a)
	}
	return byInvoice, nil
}

// NewInvoiceDiscount is a discount of one invoice.
type NewInvoiceDiscount struct {
	Kind     rating.AdjustmentKind
	Value    money.Decimal // as rating.Adjustment has it; 0 with tiers
	AsSent   *string       // an amount, as the client wrote it
	Tiers    []rating.PercentageTier
	Trial    bool     // of an amount or a percentage
	PriceIDs []string // narrow the lines to those of these prices; empty: all lines
	Filters  []rating.Filter
	Reason   *string
}

// CreateInvoiceDiscount makes an adjustment that takes off from the lines of one
// invoice.
func CreateInvoiceDiscount(tx *store.Tx, invoiceID string, in NewInvoiceDiscount) (Adjustment, error) {
	a := Adjustment{
		Record: tx.Record("adj"), InvoiceID: &invoiceID, Kind: in.Kind, Value: in.Value, AsSent: in.AsSent,
		Tiers: append([]rating.PercentageTier{}, in.Tiers...), Filters: append([]rating.Filter{}, in.Filters...), InvoiceLevel: true,
		Reason: in.Reason, Trial: in.Trial,
	}
	if err := rating.CheckAdjustment(a.Rating()); err != nil {
		return Adjustment{}, err
	}
	if len(in.PriceIDs) > 0 { // after the check, which names filters as they were sent
		a.Filters = append(a.Filters, including(rating.FilterPriceID, in.PriceIDs...))
	}
	if err := needPrices(tx, in.PriceIDs); err != nil {
		return Adjustment{}, err
	}
	if err := needItems(tx, []Adjustment{a}); err != nil {
		return Adjustment{}, err
	}
	return a, tx.Create(&a).Error
}

// needPrices requires that prices with those ids exist, each named once.
func needPrices(tx *store.Tx, ids []string) error {
	found, err := FindPrices(tx, ids)
	if err != nil {
		return err
	}
	var faults []error
	for k, id := range ids {
		field := fmt.Sprintf("applies_to_price_ids[%d]", k)
		if _, exists := found[id]; !exists {
			faults = append(faults, fault.NotPartOf(field, "must be the id of a price"))
		} else if slices.Contains(ids[:k], id) {
			faults = append(faults, fault.Bad(field, "must differ from those before it"))
		}
	}
	return fault.Join(faults...)
}

// CreateDiscount makes an adjustment that takes off from those prices of one
// subscription, at invoice level. They need not be billed together: it works once
// on each invoice that has some of them (price models 6.2).
func CreateDiscount(tx *store.Tx, subscriptionID string, off rating.Adjustment, priceIDs []string, reason string) (Adjustment, error) {
	a := Adjustment{
		Record:         tx.Record("adj"),
		SubscriptionID: &subscriptionID,
		Kind:           off.Kind,
		Value:          off.Value,
		Tiers:          []rating.PercentageTier{},
		Filters:        []rating.Filter{including(rating.FilterPriceID, priceIDs...)},
		InvoiceLevel:   true,
		Reason:         &reason,
	}
	return a, tx.Create(&a).Error
}
