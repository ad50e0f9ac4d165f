package reference

import "math/big"

// The models of this file rate the subtotals of other prices.

type minimumComposite struct { // price models 4.32
	MinimumAmount decimal `json:"minimum_amount"`
	Prorated      *bool   `json:"prorated"`
}

func (m *minimumComposite) inputs() Inputs { return components }

// The line holds what the other prices fall short of the minimum.
func (m *minimumComposite) rate(u Usage) *big.Rat {
	return positive(minus(prorated(m.MinimumAmount.Rat, u, yes(m.Prorated)), u.Components))
}

type percentOfOthers struct { // price models 4.33
	Percent       decimal  `json:"percent"` // a fraction, above 0 and at most 1
	MinimumAmount *decimal `json:"minimum_amount"`
	MaximumAmount *decimal `json:"maximum_amount"`
	Prorated      *bool    `json:"prorated"`
}

func (m *percentOfOthers) inputs() Inputs { return components }

// Only the minimum is prorated. Where the limits cross, the maximum wins.
func (m *percentOfOthers) rate(u Usage) *big.Rat {
	amount := times(m.Percent.Rat, u.Components)
	amount = greatest(amount, prorated(m.MinimumAmount.or0(), u, yes(m.Prorated)))
	if m.MaximumAmount != nil {
		amount = least(amount, m.MaximumAmount.or0())
	}
	return amount
}
