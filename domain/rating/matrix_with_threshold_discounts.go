package rating

import (
	"strings"

	"tollkeeper/domain/money"
)

// MatrixWithThresholdDiscounts is a matrix with discounts on what groups of its cells
// cost together: at one percentage up to a threshold, at another on what lies above
// it (price models 4.15).
type MatrixWithThresholdDiscounts struct {
	Rates  Table
	Groups []ThresholdDiscountGroup

	groupOf map[string]int // tupleKey of a cell to the index of its group
}

// ThresholdDiscountGroup is the discount of some cells. Percentages are out of 100.
type ThresholdDiscountGroup struct {
	Threshold    Amount // of their amounts before discount
	Below, Above Amount
	Description  string
}

func readMatrixWithThresholdDiscounts(config *object) Model {
	m := MatrixWithThresholdDiscounts{groupOf: map[string]int{}}
	m.Rates = config.pairTable("matrix_values", "unit_amount")
	m.Rates.Unlisted = config.amount("default_unit_amount")
	config.objectsOrNull("threshold_discount_groups", func(group *object) {
		m.readCells(group)
		g := ThresholdDiscountGroup{
			Threshold:   group.amount("threshold_amount"),
			Below:       group.percentage("below_threshold_discount_percentage"),
			Above:       group.percentage("above_threshold_discount_percentage"),
			Description: "Threshold discount",
		}
		if text := group.textOrNull("description"); text != nil && *text != "" {
			g.Description = *text
		}
		m.Groups = append(m.Groups, g)
	})
	return m
}

// readCells reads the cells of the next group: "blue, circle; green, triangle". In
// one dimension a comma belongs to the value.
func (m *MatrixWithThresholdDiscounts) readCells(group *object) {
	const key = "cell_coordinates"
	for _, cell := range strings.Split(group.text(key), ";") {
		texts := strings.SplitN(cell, ",", max(len(m.Rates.Dimensions), 1))
		if len(texts) < len(m.Rates.Dimensions) {
			group.bad(key, "must have a value for each dimension, separated by commas, of cells separated by semicolons")
			return
		}
		var values []*string
		for _, text := range texts {
			text = strings.TrimSpace(text)
			if text == "" {
				group.bad(key, "must not have empty values")
			}
			values = append(values, &text)
		}
		tuple := tupleKey(values)
		if _, repeated := m.groupOf[tuple]; repeated {
			group.bad(key, "must not name a cell twice, nor one of another group")
		}
		m.groupOf[tuple] = len(m.Groups)
	}
}

// percentage reads a required decimal string from 0 to 100.
func (o *object) percentage(key string) Amount {
	a := o.amount(key)
	if a.Cmp(money.FromInt(100)) > 0 {
		o.bad(key, "must be at most 100")
	}
	return a
}

func (m MatrixWithThresholdDiscounts) Needs() Needs   { return Needs{Split: m.Rates.Dimensions} }
func (m MatrixWithThresholdDiscounts) linear() bool   { return false }
func (m MatrixWithThresholdDiscounts) prorated() bool { return false }

func (m MatrixWithThresholdDiscounts) charge(u Usage) Charge {
	c := m.Rates.eachCell(u.Cells, atRate)
	spent := make([]money.Decimal, len(m.Groups))
	for _, p := range c.Parts {
		if group, ok := m.groupOf[tupleKey(p.Values)]; ok {
			spent[group] = spent[group].Add(p.Amount)
		}
	}
	for i, group := range m.Groups {
		if off := group.discount(spent[i]); !off.IsZero() {
			c.add(Part{Kind: PartOther, Name: group.Description, Amount: off.Neg()})
		}
	}
	return c
}

// discount is what comes off an amount, not below 0.
func (g ThresholdDiscountGroup) discount(spent money.Decimal) money.Decimal {
	below := money.Min(spent, g.Threshold.Decimal).Mul(g.Below.Decimal)
	beyond := above(spent, g.Threshold.Decimal).Mul(g.Above.Decimal)
	return below.Add(beyond).Mul(hundredth)
}
