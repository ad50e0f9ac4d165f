package reference

import (
	"math/big"
	"strings"
)

// The models of this file rate each cell: a tuple of values of one or two properties.

// matrixRow is the rate of a cell.
type matrixRow struct {
	DimensionValues []*string `json:"dimension_values"`
	UnitAmount      decimal   `json:"unit_amount"`
}

// dimensionsOf are the names of one or two properties; a second null is one.
func dimensionsOf(names []*string) []string {
	var all []string
	for _, n := range names {
		if n != nil {
			all = append(all, *n)
		}
	}
	return all
}

// rateOf is the rate of a cell, the default for one that has no row.
func rateOf(values []*string, rows []matrixRow, other *big.Rat) *big.Rat {
	for _, row := range rows {
		listed := make([]*string, len(values))
		copy(listed, row.DimensionValues)
		if sameValues(values, listed) {
			return row.UnitAmount.Rat
		}
	}
	return other
}

type matrix struct { // price models 4.6
	DefaultUnitAmount decimal     `json:"default_unit_amount"`
	Dimensions        []*string   `json:"dimensions"`
	MatrixValues      []matrixRow `json:"matrix_values"`
}

func (m *matrix) inputs() Inputs { return splitBy(m.Dimensions...) }

func (m *matrix) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, c := range u.cells(dimensionsOf(m.Dimensions)...) {
		total = plus(total, times(c.quantity, rateOf(c.values, m.MatrixValues, m.DefaultUnitAmount.Rat)))
	}
	return total
}

type matrixWithAllocation struct { // price models 4.14
	Allocation        decimal     `json:"allocation"`
	DefaultUnitAmount decimal     `json:"default_unit_amount"`
	Dimensions        []*string   `json:"dimensions"`
	MatrixValues      []matrixRow `json:"matrix_values"`
}

func (m *matrixWithAllocation) inputs() Inputs { return splitBy(m.Dimensions...) }

// The allocation is spread over the cells in proportion to their usage.
func (m *matrixWithAllocation) rate(u Usage) *big.Rat {
	units, gross := new(big.Rat), new(big.Rat)
	for _, c := range u.cells(dimensionsOf(m.Dimensions)...) {
		q := positive(c.quantity)
		units = plus(units, positive(c.exact))
		gross = plus(gross, times(q, rateOf(c.values, m.MatrixValues, m.DefaultUnitAmount.Rat)))
	}
	if units = u.Rounded(units); units.Sign() == 0 {
		return units
	}
	return times(gross, over(positive(minus(units, m.Allocation.Rat)), units))
}

type matrixWithThresholdDiscounts struct { // price models 4.15
	DefaultUnitAmount decimal `json:"default_unit_amount"`
	FirstDimension    string  `json:"first_dimension"`
	SecondDimension   *string `json:"second_dimension"`
	MatrixValues      []struct {
		FirstDimensionValue  string  `json:"first_dimension_value"`
		SecondDimensionValue *string `json:"second_dimension_value"`
		UnitAmount           decimal `json:"unit_amount"`
	} `json:"matrix_values"`
	ThresholdDiscountGroups []struct {
		CellCoordinates                  string  `json:"cell_coordinates"`
		ThresholdAmount                  decimal `json:"threshold_amount"`
		BelowThresholdDiscountPercentage decimal `json:"below_threshold_discount_percentage"` // out of 100
		AboveThresholdDiscountPercentage decimal `json:"above_threshold_discount_percentage"`
		Description                      *string `json:"description"`
	} `json:"threshold_discount_groups"`
}

func (m *matrixWithThresholdDiscounts) inputs() Inputs {
	return splitBy(&m.FirstDimension, m.SecondDimension)
}

func (m *matrixWithThresholdDiscounts) rate(u Usage) *big.Rat {
	var rows []matrixRow
	for _, v := range m.MatrixValues {
		rows = append(rows, matrixRow{[]*string{&v.FirstDimensionValue, v.SecondDimensionValue}, v.UnitAmount})
	}
	total := new(big.Rat)
	spends := make([]*big.Rat, len(m.ThresholdDiscountGroups))
	for k := range spends {
		spends[k] = new(big.Rat)
	}
	for _, c := range u.cells(dimensionsOf([]*string{&m.FirstDimension, m.SecondDimension})...) {
		spend := times(positive(c.quantity), rateOf(c.values, rows, m.DefaultUnitAmount.Rat))
		total = plus(total, spend)
		for k, g := range m.ThresholdDiscountGroups {
			if names(g.CellCoordinates, c.values) {
				spends[k] = plus(spends[k], spend)
			}
		}
	}
	for k, g := range m.ThresholdDiscountGroups {
		t := g.ThresholdAmount.Rat
		below := percent(least(spends[k], t), g.BelowThresholdDiscountPercentage.Rat)
		beyond := percent(positive(minus(spends[k], t)), g.AboveThresholdDiscountPercentage.Rat)
		total = minus(total, plus(below, beyond))
	}
	return total
}

// names reports whether cell coordinates ("blue,circle; green,triangle") hold a cell.
func names(coordinates string, values []*string) bool {
	for _, cell := range strings.Split(coordinates, ";") {
		var listed []*string
		for _, v := range strings.SplitN(cell, ",", len(values)) {
			v = strings.TrimSpace(v)
			listed = append(listed, &v)
		}
		if len(listed) == len(values) && sameValues(listed, values) {
			return true
		}
	}
	return false
}

type matrixWithDisplayName struct { // price models 4.23
	Dimension   string `json:"dimension"`
	UnitAmounts []struct {
		DimensionValue string  `json:"dimension_value"`
		DisplayName    string  `json:"display_name"`
		UnitAmount     decimal `json:"unit_amount"`
	} `json:"unit_amounts"`
}

func (m *matrixWithDisplayName) inputs() Inputs { return splitBy(&m.Dimension) }

// A value that is not listed costs nothing.
func (m *matrixWithDisplayName) rate(u Usage) *big.Rat {
	total := new(big.Rat)
	for _, g := range u.by(m.Dimension) {
		for _, a := range m.UnitAmounts {
			if same(g.values[0], &a.DimensionValue) {
				total = plus(total, times(g.quantity, a.UnitAmount.Rat))
			}
		}
	}
	return total
}

// scalingRow is the factor of a cell.
type scalingRow struct {
	FirstDimensionValue  string  `json:"first_dimension_value"`
	SecondDimensionValue *string `json:"second_dimension_value"`
	ScalingFactor        decimal `json:"scaling_factor"`
}

// factorOf is the factor of a cell, 1 for one that has no row.
func factorOf(values []*string, rows []scalingRow) *big.Rat {
	for _, row := range rows {
		if sameValues(values, []*string{&row.FirstDimensionValue, row.SecondDimensionValue}) {
			return row.ScalingFactor.Rat
		}
	}
	return one
}

type scalableMatrixWithUnitPricing struct { // price models 4.26
	FirstDimension       string       `json:"first_dimension"`
	SecondDimension      *string      `json:"second_dimension"`
	MatrixScalingFactors []scalingRow `json:"matrix_scaling_factors"`
	UnitPrice            decimal      `json:"unit_price"`
	GroupingKey          *string      `json:"grouping_key"` // splits what is shown
	Prorate              *bool        `json:"prorate"`
}

func (m *scalableMatrixWithUnitPricing) inputs() Inputs {
	return splitBy(&m.FirstDimension, m.SecondDimension, m.GroupingKey)
}

func (m *scalableMatrixWithUnitPricing) rate(u Usage) *big.Rat {
	scaled := new(big.Rat)
	dimensions := dimensionsOf([]*string{&m.FirstDimension, m.SecondDimension})
	for _, c := range u.cells(append(dimensions, dimensionsOf([]*string{m.GroupingKey})...)...) {
		scaled = plus(scaled, times(c.quantity, factorOf(c.values[:len(dimensions)], m.MatrixScalingFactors)))
	}
	return prorated(times(scaled, m.UnitPrice.Rat), u, yes(m.Prorate))
}

type scalableMatrixWithTieredPricing struct { // price models 4.27
	FirstDimension       string       `json:"first_dimension"`
	SecondDimension      *string      `json:"second_dimension"`
	MatrixScalingFactors []scalingRow `json:"matrix_scaling_factors"`
	Tiers                []boundTier  `json:"tiers"`
}

func (m *scalableMatrixWithTieredPricing) inputs() Inputs {
	return splitBy(&m.FirstDimension, m.SecondDimension)
}

func (m *scalableMatrixWithTieredPricing) rate(u Usage) *big.Rat {
	scaled := new(big.Rat)
	for _, c := range u.cells(dimensionsOf([]*string{&m.FirstDimension, m.SecondDimension})...) {
		scaled = plus(scaled, times(positive(c.exact), factorOf(c.values, m.MatrixScalingFactors)))
	}
	return graduated(u.Rounded(scaled), boundTiers(m.Tiers), one)
}

type dailyCreditAllowance struct { // price models 4.30
	DailyAllowance    decimal     `json:"daily_allowance"`
	DefaultUnitAmount decimal     `json:"default_unit_amount"`
	Dimensions        []*string   `json:"dimensions"`
	EventDayProperty  string      `json:"event_day_property"`
	MatrixValues      []matrixRow `json:"matrix_values"`
}

func (m *dailyCreditAllowance) inputs() Inputs {
	return splitBy(append(append([]*string{}, m.Dimensions...), &m.EventDayProperty)...)
}

func (m *dailyCreditAllowance) rate(u Usage) *big.Rat {
	dimensions := dimensionsOf(m.Dimensions)
	total := new(big.Rat)
	for _, c := range u.positive().cells(dimensions...) {
		total = plus(total, times(c.quantity, rateOf(c.values, m.MatrixValues, m.DefaultUnitAmount.Rat)))
	}
	cells := u.positive().cells(append([]string{m.EventDayProperty}, dimensions...)...)
	for _, day := range u.by(m.EventDayProperty) {
		spend := new(big.Rat)
		for _, c := range cells {
			if same(c.values[0], day.values[0]) {
				spend = plus(spend, times(c.quantity, rateOf(c.values[1:], m.MatrixValues, m.DefaultUnitAmount.Rat)))
			}
		}
		if day.values[0] != nil { // what belongs to no day gets no allowance
			total = minus(total, least(spend, m.DailyAllowance.Rat))
		}
	}
	return total
}
