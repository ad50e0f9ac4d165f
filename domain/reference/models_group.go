package reference

import (
	"math/big"
	"sort"
)

// The models of this file rate each value of a property.

type groupedTiered struct { // price models 4.10
	GroupingKey string      `json:"grouping_key"`
	Tiers       []boundTier `json:"tiers"`
}

func (m *groupedTiered) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *groupedTiered) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		total = plus(total, graduated(positive(g.quantity), boundTiers(m.Tiers), one))
	}
	return total
}

type groupedTieredMatrix struct { // price models 4.35
	Dimension         string  `json:"dimension"`
	DefaultUnitAmount decimal `json:"default_unit_amount"`
	Tiers             []struct {
		DimensionValue string  `json:"dimension_value"`
		TierLowerBound decimal `json:"tier_lower_bound"`
		UnitAmount     decimal `json:"unit_amount"`
	} `json:"tiers"`
}

func (m *groupedTieredMatrix) inputs() Inputs { return splitBy(&m.Dimension) }

func (m *groupedTieredMatrix) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.Dimension) {
		var own []tier
		for _, t := range m.Tiers {
			if same(g.values[0], &t.DimensionValue) {
				own = append(own, tier{from: t.TierLowerBound.Rat, rate: t.UnitAmount.Rat})
			}
		}
		if own == nil {
			total = plus(total, times(positive(g.quantity), m.DefaultUnitAmount.Rat))
		} else {
			total = plus(total, graduated(positive(g.quantity), ascending(own), one))
		}
	}
	return total
}

type groupedAllocation struct { // price models 4.18
	GroupingKey     string  `json:"grouping_key"`
	Allocation      decimal `json:"allocation"`
	OverageUnitRate decimal `json:"overage_unit_rate"`
}

func (m *groupedAllocation) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *groupedAllocation) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		beyond := positive(minus(positive(g.quantity), m.Allocation.Rat))
		total = plus(total, times(beyond, m.OverageUnitRate.Rat))
	}
	return total
}

type groupedWithProratedMinimum struct { // price models 4.20
	GroupingKey string  `json:"grouping_key"`
	Minimum     decimal `json:"minimum"`
	UnitRate    decimal `json:"unit_rate"`
}

func (m *groupedWithProratedMinimum) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *groupedWithProratedMinimum) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		used := times(positive(g.quantity), m.UnitRate.Rat)
		total = plus(total, greatest(used, times(m.Minimum.Rat, u.Share)))
	}
	return total
}

type groupedWithMeteredMinimum struct { // price models 4.21
	GroupingKey       string  `json:"grouping_key"`
	MinimumUnitAmount decimal `json:"minimum_unit_amount"`
	PricingKey        string  `json:"pricing_key"`
	UnitAmounts       []struct {
		PricingValue string  `json:"pricing_value"`
		UnitAmount   decimal `json:"unit_amount"`
	} `json:"unit_amounts"`
	ScalingKey     string `json:"scaling_key"`
	ScalingFactors []struct {
		ScalingValue  string  `json:"scaling_value"`
		ScalingFactor decimal `json:"scaling_factor"`
	} `json:"scaling_factors"`
}

func (m *groupedWithMeteredMinimum) inputs() Inputs {
	return splitBy(&m.GroupingKey, &m.PricingKey, &m.ScalingKey)
}

func (m *groupedWithMeteredMinimum) rate(u Usage) *big.Rat {
	cells := u.cells(m.GroupingKey, m.PricingKey, m.ScalingKey)
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		used, units := new(big.Rat), new(big.Rat)
		for _, c := range cells {
			if same(c.values[0], g.values[0]) {
				q := positive(c.quantity)
				used = plus(used, times(q, m.unitRate(c.values[1], c.values[2])))
				units = plus(units, positive(c.exact))
			}
		}
		total = plus(total, greatest(used, times(u.Rounded(units), m.MinimumUnitAmount.Rat)))
	}
	return total
}

// unitRate is what a unit with these values costs. The rate of an unlisted pricing value
// is the minimum, which is not scaled.
func (m *groupedWithMeteredMinimum) unitRate(pricing, scaling *string) *big.Rat {
	factor := one
	for _, f := range m.ScalingFactors {
		if same(scaling, &f.ScalingValue) {
			factor = f.ScalingFactor.Rat
		}
	}
	for _, a := range m.UnitAmounts {
		if same(pricing, &a.PricingValue) {
			return times(a.UnitAmount.Rat, factor)
		}
	}
	return m.MinimumUnitAmount.Rat
}

type groupedWithMinMaxThresholds struct { // price models 4.22
	GroupingKey   string  `json:"grouping_key"`
	MinimumCharge decimal `json:"minimum_charge"`
	MaximumCharge decimal `json:"maximum_charge"`
	PerUnitRate   decimal `json:"per_unit_rate"`
}

func (m *groupedWithMinMaxThresholds) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *groupedWithMinMaxThresholds) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		used := times(positive(g.quantity), m.PerUnitRate.Rat)
		total = plus(total, least(greatest(used, m.MinimumCharge.Rat), m.MaximumCharge.Rat))
	}
	return total
}

type groupedTieredPackage struct { // price models 4.24
	GroupingKey string        `json:"grouping_key"`
	PackageSize decimal       `json:"package_size"`
	Tiers       []packageTier `json:"tiers"`
}

func (m *groupedTieredPackage) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *groupedTieredPackage) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		q := packaged(positive(g.quantity), m.PackageSize.Rat)
		total = plus(total, graduated(q, packageTiers(m.Tiers), m.PackageSize.Rat))
	}
	return total
}

type maxGroupTieredPackage struct { // price models 4.25
	GroupingKey string      `json:"grouping_key"`
	PackageSize decimal     `json:"package_size"`
	Tiers       []boundTier `json:"tiers"` // unit_amount is for a package
}

func (m *maxGroupTieredPackage) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *maxGroupTieredPackage) rate(u Usage) *big.Rat {
	largest := new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		largest = greatest(largest, g.quantity)
	}
	return graduated(packaged(largest, m.PackageSize.Rat), boundTiers(m.Tiers), m.PackageSize.Rat)
}

type cumulativeGroupedBulk struct { // price models 4.28
	Group           string `json:"group"`
	DimensionValues []struct {
		GroupingKey    string  `json:"grouping_key"` // a value of the property
		TierLowerBound decimal `json:"tier_lower_bound"`
		UnitAmount     decimal `json:"unit_amount"`
	} `json:"dimension_values"`
}

func (m *cumulativeGroupedBulk) inputs() Inputs { return splitBy(&m.Group) }

// The sum of all listed groups chooses the tier, and each pays its own rate in it.
func (m *cumulativeGroupedBulk) rate(u Usage) *big.Rat {
	tiers := map[string][]tier{}
	for _, row := range m.DimensionValues {
		tiers[row.GroupingKey] = append(tiers[row.GroupingKey], tier{from: row.TierLowerBound.Rat, rate: row.UnitAmount.Rat})
	}
	var listed []cell
	sum := new(big.Rat)
	for _, g := range u.by(m.Group) {
		if v := g.values[0]; v != nil && tiers[*v] != nil {
			g.quantity, g.exact = positive(g.quantity), positive(g.exact)
			listed = append(listed, g)
			sum = plus(sum, g.exact)
		}
	}
	sum = u.Rounded(sum)
	total := new(big.Rat)
	for _, g := range listed {
		total = plus(total, times(g.quantity, reachedInclusive(sum, ascending(tiers[*g.values[0]])).rate))
	}
	return total
}

type cumulativeGroupedAllocation struct { // price models 4.29
	GroupingKey          string  `json:"grouping_key"`
	GroupAllocation      decimal `json:"group_allocation"`
	CumulativeAllocation decimal `json:"cumulative_allocation"`
	UnitAmount           decimal `json:"unit_amount"`
}

func (m *cumulativeGroupedAllocation) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *cumulativeGroupedAllocation) rate(u Usage) *big.Rat {
	groups := u.by(m.GroupingKey)
	sort.SliceStable(groups, func(i, j int) bool { return before(groups[i].values[0], groups[j].values[0]) })
	running, billed := new(big.Rat), new(big.Rat)
	for _, g := range groups {
		q := positive(g.quantity)
		own := positive(minus(q, m.GroupAllocation.Rat))
		was := positive(minus(u.Rounded(running), m.CumulativeAllocation.Rat))
		running = plus(running, positive(g.exact))
		grown := minus(positive(minus(u.Rounded(running), m.CumulativeAllocation.Rat)), was)
		billed = plus(billed, greatest(own, grown))
	}
	return times(billed, m.UnitAmount.Rat)
}

// before is the order of group values: by code point, a missing one first.
func before(a, b *string) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	return *a < *b
}

type meteredAllowance struct { // price models 4.31
	GroupingKey              string  `json:"grouping_key"`
	ConsumptionGroupingValue string  `json:"consumption_grouping_value"`
	AllowanceGroupingValue   string  `json:"allowance_grouping_value"`
	UnitAmount               decimal `json:"unit_amount"`
	ConsumptionDisplayName   *string `json:"consumption_display_name"`
	AllowanceDisplayName     *string `json:"allowance_display_name"`
}

func (m *meteredAllowance) inputs() Inputs { return splitBy(&m.GroupingKey) }

func (m *meteredAllowance) rate(u Usage) *big.Rat {
	consumed, allowed := new(big.Rat), new(big.Rat)
	for _, g := range u.by(m.GroupingKey) {
		if same(g.values[0], &m.ConsumptionGroupingValue) {
			consumed = positive(g.quantity)
		}
		if same(g.values[0], &m.AllowanceGroupingValue) {
			allowed = positive(g.quantity)
		}
	}
	return times(minus(consumed, least(consumed, allowed)), m.UnitAmount.Rat)
}

type eventOutput struct { // price models 4.34
	UnitRatingKey   string   `json:"unit_rating_key"`
	DefaultUnitRate *decimal `json:"default_unit_rate"`
	GroupingKey     *string  `json:"grouping_key"`
}

func (m *eventOutput) inputs() Inputs { return splitBy(&m.UnitRatingKey, m.GroupingKey) }

// The grouping key splits what is shown. Usage of a group at one rate, however that is spelled, is
// rated together.
func (m *eventOutput) rate(u Usage) *big.Rat {
	type place struct{ group, rate string }
	used, rates := map[place]*big.Rat{}, map[place]*big.Rat{}
	for _, g := range u.cells(dimensionsOf([]*string{&m.UnitRatingKey, m.GroupingKey})...) {
		rate := rateIn(g.values[0])
		if rate == nil && m.DefaultUnitRate != nil {
			rate = m.DefaultUnitRate.or0()
		}
		if rate == nil {
			continue
		}
		at := place{"", rate.RatString()}
		if len(g.values) > 1 && g.values[1] != nil {
			at.group = "=" + *g.values[1]
		}
		if used[at] == nil {
			used[at] = new(big.Rat)
		}
		used[at], rates[at] = plus(used[at], g.exact), rate
	}
	total := new(big.Rat)
	for at := range used {
		total = plus(total, times(u.Rounded(used[at]), rates[at]))
	}
	return total
}

// rateIn is the rate that an event carries, nil where that is not a finite number within
// the bounds of numbers of events (semantics 2.1.8).
func rateIn(value *string) *big.Rat {
	if value == nil {
		return nil
	}
	rate, err := ParseNumber(*value)
	if err != nil || !sendable(rate) {
		return nil
	}
	return rate
}
