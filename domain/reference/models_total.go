package reference

import (
	"math/big"
	"sort"
)

// The models of this file rate one number.

type unit struct { // price models 4.1
	UnitAmount decimal `json:"unit_amount"`
	Prorated   *bool   `json:"prorated"`
}

func (m *unit) inputs() Inputs { return whole }

func (m *unit) rate(u Usage) *big.Rat {
	return prorated(times(u.Quantity, m.UnitAmount.Rat), u, yes(m.Prorated))
}

func yes(flag *bool) bool { return flag != nil && *flag }

type tiered struct { // price models 4.2
	Tiers []struct {
		FirstUnit  decimal  `json:"first_unit"`
		LastUnit   *decimal `json:"last_unit"`
		UnitAmount decimal  `json:"unit_amount"`
	} `json:"tiers"`
	Prorated *bool `json:"prorated"`
}

func (m *tiered) inputs() Inputs { return whole }

func (m *tiered) rate(u Usage) *big.Rat {
	return prorated(graduated(positive(u.Quantity), m.bounds(), one), u, yes(m.Prorated))
}

// bounds are the tiers by their lower edge, which is the last unit of the tier before
// (price models 1.3).
func (m *tiered) bounds() []tier {
	rows := append(m.Tiers[:0:0], m.Tiers...)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].FirstUnit.Cmp(rows[j].FirstUnit.Rat) < 0 })
	var all []tier
	edge := new(big.Rat)
	for _, row := range rows {
		all = append(all, tier{from: edge, rate: row.UnitAmount.Rat})
		edge = row.LastUnit.or0()
	}
	return all
}

type bulk struct { // price models 4.3
	Tiers []struct {
		MaximumUnits *decimal `json:"maximum_units"`
		UnitAmount   decimal  `json:"unit_amount"`
	} `json:"tiers"`
}

func (m *bulk) inputs() Inputs { return whole }

// The tier is the one with the least maximum that is not below the quantity. Beyond the
// last maximum the last tier goes on.
func (m *bulk) rate(u Usage) *big.Rat {
	q := positive(u.Quantity)
	best, last := -1, 0
	for k, t := range m.Tiers {
		if above(t.MaximumUnits, m.Tiers[last].MaximumUnits) {
			last = k
		}
		fits := t.MaximumUnits == nil || q.Cmp(t.MaximumUnits.Rat) <= 0
		if fits && (best < 0 || above(m.Tiers[best].MaximumUnits, t.MaximumUnits)) {
			best = k
		}
	}
	if best < 0 {
		best = last
	}
	return times(q, m.Tiers[best].UnitAmount.Rat)
}

// above reports whether maximum a is above b; none is above all.
func above(a, b *decimal) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	return a.Cmp(b.Rat) > 0
}

type bulkWithFilters struct { // price models 4.4
	Filters []struct {
		PropertyKey   string `json:"property_key"`
		PropertyValue string `json:"property_value"`
	} `json:"filters"`
	Tiers []boundTier `json:"tiers"`
}

func (m *bulkWithFilters) inputs() Inputs {
	in := Inputs{Whole: true, Filters: map[string]string{}}
	for _, f := range m.Filters {
		in.Filters[f.PropertyKey] = f.PropertyValue
	}
	return in
}

// The whole quantity chooses the tier; the matching one is charged.
func (m *bulkWithFilters) rate(u Usage) *big.Rat {
	t := reachedInclusive(positive(u.Quantity), boundTiers(m.Tiers))
	return times(positive(u.Matching), t.rate)
}

type packages struct { // price models 4.5
	PackageAmount decimal `json:"package_amount"`
	PackageSize   decimal `json:"package_size"`
}

func (m *packages) inputs() Inputs { return whole }

func (m *packages) rate(u Usage) *big.Rat {
	return times(ceil(over(positive(u.Quantity), m.PackageSize.Rat)), m.PackageAmount.Rat)
}

type thresholdTotalAmount struct { // price models 4.7
	ConsumptionTable []struct {
		Threshold   decimal `json:"threshold"`
		TotalAmount decimal `json:"total_amount"`
	} `json:"consumption_table"`
	Prorate *bool `json:"prorate"`
}

func (m *thresholdTotalAmount) inputs() Inputs { return whole }

func (m *thresholdTotalAmount) rate(u Usage) *big.Rat {
	amount := new(big.Rat)
	var highest *big.Rat
	for _, row := range m.ConsumptionTable {
		passed := positive(u.Quantity).Cmp(row.Threshold.Rat) > 0
		if passed && (highest == nil || row.Threshold.Cmp(highest) > 0) {
			highest, amount = row.Threshold.Rat, row.TotalAmount.Rat
		}
	}
	return prorated(amount, u, yes(m.Prorate))
}

type tieredPackage struct { // price models 4.8
	PackageSize decimal       `json:"package_size"`
	Tiers       []packageTier `json:"tiers"`
}

func (m *tieredPackage) inputs() Inputs { return whole }

func (m *tieredPackage) rate(u Usage) *big.Rat {
	return graduated(packaged(positive(u.Quantity), m.PackageSize.Rat), packageTiers(m.Tiers), m.PackageSize.Rat)
}

type tieredWithMinimum struct { // price models 4.9
	Tiers []struct {
		TierLowerBound decimal `json:"tier_lower_bound"`
		UnitAmount     decimal `json:"unit_amount"`
		MinimumAmount  decimal `json:"minimum_amount"`
	} `json:"tiers"`
	HideZeroAmountTiers *bool `json:"hide_zero_amount_tiers"`
	Prorate             *bool `json:"prorate"`
}

func (m *tieredWithMinimum) inputs() Inputs { return whole }

func (m *tieredWithMinimum) rate(u Usage) *big.Rat {
	var tiers []tier
	for _, t := range m.Tiers {
		tiers = append(tiers, tier{t.TierLowerBound.Rat, t.UnitAmount.Rat, t.MinimumAmount.Rat})
	}
	q := positive(u.Quantity)
	tiers = ascending(tiers)
	minimum := reachedExclusive(q, tiers).minimum
	if yes(m.HideZeroAmountTiers) {
		minimum = new(big.Rat)
		for _, part := range slices(q, tiers) {
			if times(part.quantity, part.tier.rate).Sign() != 0 {
				minimum = part.tier.minimum
			}
		}
	}
	return greatest(prorated(graduated(q, tiers, one), u, yes(m.Prorate)), minimum)
}

type tieredPackageWithMinimum struct { // price models 4.11
	PackageSize decimal `json:"package_size"`
	Tiers       []struct {
		TierLowerBound decimal `json:"tier_lower_bound"`
		PerUnit        decimal `json:"per_unit"`
		MinimumAmount  decimal `json:"minimum_amount"`
	} `json:"tiers"`
}

func (m *tieredPackageWithMinimum) inputs() Inputs { return whole }

func (m *tieredPackageWithMinimum) rate(u Usage) *big.Rat {
	var tiers []tier
	for _, t := range m.Tiers {
		tiers = append(tiers, tier{t.TierLowerBound.Rat, t.PerUnit.Rat, t.MinimumAmount.Rat})
	}
	tiers = ascending(tiers)
	q := packaged(positive(u.Quantity), m.PackageSize.Rat)
	return greatest(graduated(q, tiers, m.PackageSize.Rat), reachedExclusive(q, tiers).minimum)
}

type packageWithAllocation struct { // price models 4.12
	Allocation    decimal `json:"allocation"`
	PackageAmount decimal `json:"package_amount"`
	PackageSize   decimal `json:"package_size"`
}

func (m *packageWithAllocation) inputs() Inputs { return whole }

func (m *packageWithAllocation) rate(u Usage) *big.Rat {
	beyond := positive(minus(positive(u.Quantity), m.Allocation.Rat))
	return times(ceil(over(beyond, m.PackageSize.Rat)), m.PackageAmount.Rat)
}

type unitWithPercent struct { // price models 4.13
	UnitAmount decimal `json:"unit_amount"`
	Percent    decimal `json:"percent"` // out of 100
}

func (m *unitWithPercent) inputs() Inputs { return whole }

func (m *unitWithPercent) rate(u Usage) *big.Rat {
	return percent(times(u.Quantity, m.UnitAmount.Rat), m.Percent.Rat)
}

// percent is that many hundredths of an amount.
func percent(amount, p *big.Rat) *big.Rat { return over(times(amount, p), big.NewRat(100, 1)) }

type tieredWithProration struct { // price models 4.16
	Tiers []boundTier `json:"tiers"`
}

func (m *tieredWithProration) inputs() Inputs { return whole }

func (m *tieredWithProration) rate(u Usage) *big.Rat {
	return times(graduated(positive(u.Quantity), boundTiers(m.Tiers), one), u.Share)
}

type unitWithProration struct { // price models 4.17
	UnitAmount decimal `json:"unit_amount"`
}

func (m *unitWithProration) inputs() Inputs { return whole }

func (m *unitWithProration) rate(u Usage) *big.Rat {
	return times(times(u.Quantity, m.UnitAmount.Rat), u.Share)
}

type bulkWithProration struct { // price models 4.19
	Tiers []boundTier `json:"tiers"`
}

func (m *bulkWithProration) inputs() Inputs { return whole }

func (m *bulkWithProration) rate(u Usage) *big.Rat {
	q := positive(u.Quantity)
	return times(times(q, reachedInclusive(q, boundTiers(m.Tiers)).rate), u.Share)
}
