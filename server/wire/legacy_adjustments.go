package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
)

// legacy are adjustments in the fields that were used before adjustments: the first discount,
// minimum and maximum of a plan, phase or price (semantics 5.1.11).
type legacy struct {
	Discount      *gen.NullableDiscount
	Minimum       *gen.Minimum
	MinimumAmount *gen.Decimal
	Maximum       *gen.Maximum
	MaximumAmount *gen.Decimal
}

func legacyToWire(adjustments []catalog.Adjustment, currency money.Currency) (o legacy) {
	for _, a := range adjustments {
		switch {
		case a.Kind == rating.Minimum && o.Minimum == nil:
			o.Minimum = minimumToWire(a, currency)
			o.MinimumAmount = &o.Minimum.MinimumAmount
		case a.Kind == rating.Maximum && o.Maximum == nil:
			o.Maximum = maximumToWire(a, currency)
			o.MaximumAmount = &o.Maximum.MaximumAmount
		case a.Kind != rating.Minimum && a.Kind != rating.Maximum && o.Discount == nil:
			shown := unionOf[gen.NullableDiscount](discountBaseToWire(a), discountToWire(a, currency))
			o.Discount = &shown
		}
	}
	return o
}

// atInvoiceLevel returns the invoice-level adjustments.
func atInvoiceLevel(all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.InvoiceLevel {
			found = append(found, a)
		}
	}
	return found
}

// inPhase returns the adjustments of one phase.
func inPhase(order int, all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.PhaseOrder != nil && *a.PhaseOrder == order {
			found = append(found, a)
		}
	}
	return found
}

// ofPrice returns the price-level adjustments that apply to this price alone.
func ofPrice(price catalog.Price, all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.IsOf(price.ID) {
			found = append(found, a)
		}
	}
	return found
}
