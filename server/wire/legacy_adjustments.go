package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
)

// older is what plans, phases and prices show of adjustments in the form that came
// before them: the first of each kind (semantics 5.1.11).
type older struct {
	Discount      *gen.NullableDiscount
	Minimum       *gen.Minimum
	MinimumAmount *gen.Decimal
	Maximum       *gen.Maximum
	MaximumAmount *gen.Decimal
}

func olderToWire(adjustments []catalog.Adjustment, currency money.Currency) (o older) {
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

func atInvoiceLevel(all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.InvoiceLevel {
			found = append(found, a)
		}
	}
	return found
}

func inPhase(order int, all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.PhaseOrder != nil && *a.PhaseOrder == order {
			found = append(found, a)
		}
	}
	return found
}

// ofPrice are the adjustments at the level of prices that are for this one alone.
func ofPrice(price catalog.Price, all []catalog.Adjustment) (found []catalog.Adjustment) {
	for _, a := range all {
		if a.IsOf(price.ID) {
			found = append(found, a)
		}
	}
	return found
}

func adjustmentsToWire(all []catalog.Adjustment, currency money.Currency) []gen.PlanPhaseAdjustment {
	return MapSlice(all, func(a catalog.Adjustment) gen.PlanPhaseAdjustment { return adjustmentToWire(a, currency) })
}
