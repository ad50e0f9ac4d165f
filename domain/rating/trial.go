package rating

import "tollkeeper/domain/money"

// TrialDiscount is what is taken off a line for usage in a trial. No client asks for it.
const TrialDiscount AdjustmentKind = "trial"

// Trial takes all of a line off, in place of any adjustment (price models 5.7).
func Trial(id string, line Line) Adjusted {
	off := line.Subtotal.Neg()
	return Adjusted{Applied: []Applied{{
		AdjustmentID: id, Kind: TrialDiscount, Amount: off, Before: line.Subtotal,
		Value: money.FromInt(1), Lines: 1, Base: line.Subtotal, Whole: off,
	}}}
}
