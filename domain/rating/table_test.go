package rating_test

import (
	"fmt"
	"math/big"
	"strings"

	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

// drawnTable is what a drawn matrix lists: amounts by the JSON of their values.
type drawnTable map[string]string

// amount is that of a combination of values, or another where none is listed.
func (d drawnTable) amount(values []*string, otherwise string) *big.Rat {
	if amount, listed := d[tupleJSON(values)]; listed {
		return rat(amount)
	}
	return rat(otherwise)
}

// drawMatrixFields draws the fields that matrices with lists of dimensions share, and
// the rate of a combination of values.
func drawMatrixFields(t *rapid.T) (fields string, rate func(values []*string) *big.Rat) {
	table, standard := drawnTable{}, drawRate(t)
	var rows []string
	for _, tuple := range rapid.SliceOfNDistinct(drawnTuple, 1, 5, rapid.ID).Draw(t, "rows") {
		table[tuple] = drawRate(t)
		rows = append(rows, fmt.Sprintf(`{"dimension_values": %s, "unit_amount": %q}`, tuple, table[tuple]))
	}
	fields = fmt.Sprintf(`"dimensions": ["a", "b"], "default_unit_amount": %q, "matrix_values": [%s]`, standard, strings.Join(rows, ","))
	return fields, func(values []*string) *big.Rat { return table.amount(values, standard) }
}

// drawPairFields draws the fields of matrices with a first and a second dimension.
func drawPairFields(t *rapid.T, rowsKey, amountKey string) (fields string, table drawnTable) {
	table = drawnTable{}
	var rows []string
	first := rapid.SampledFrom([]string{`""`, `"x"`, `"X"`, `"null"`})
	second := rapid.SampledFrom([]string{`null`, `""`, `"x"`, `"x\"\"x"`})
	for range rapid.IntRange(1, 5).Draw(t, "rows") {
		a, b := first.Draw(t, "a"), second.Draw(t, "b")
		tuple := "[" + a + "," + b + "]"
		if table[tuple] == "" {
			table[tuple] = drawRate(t)
			rows = append(rows, fmt.Sprintf(`{"first_dimension_value": %s, "second_dimension_value": %s, %q: %q}`, a, b, amountKey, table[tuple]))
		}
	}
	return fmt.Sprintf(`"first_dimension": "a", "second_dimension": "b", %q: [%s]`, rowsKey, strings.Join(rows, ",")), table
}

// sumOf adds up the amounts of cells.
func sumOf(cells []rating.Cell, each func(rating.Cell) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, cell := range cells {
		sum.Add(sum, each(cell))
	}
	return sum
}
