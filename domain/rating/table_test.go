package rating_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// drawMatrixFields draws the fields that matrices with lists of dimensions share.
func drawMatrixFields(t *rapid.T) string {
	var rows []string
	for _, tuple := range rapid.SliceOfNDistinct(drawnTuple, 1, 5, rapid.ID).Draw(t, "rows") {
		rows = append(rows, fmt.Sprintf(`{"dimension_values": %s, "unit_amount": %q}`, tuple, drawRate(t)))
	}
	return fmt.Sprintf(`"dimensions": ["a", "b"], "default_unit_amount": %q, "matrix_values": [%s]`, drawRate(t), strings.Join(rows, ","))
}

// drawnTuple is a JSON list of two values out of few, so that they often meet.
var drawnTuple = rapid.Custom(func(t *rapid.T) string {
	value := rapid.SampledFrom([]string{`null`, `""`, `"x"`, `"X"`, `"null"`, `"x\"\"x"`})
	return "[" + value.Draw(t, "a") + "," + value.Draw(t, "b") + "]"
})

// drawPairFields draws the fields of matrices with a first and a second dimension.
func drawPairFields(t *rapid.T, rowsKey, amountKey string) string {
	pair := rapid.Custom(func(t *rapid.T) string {
		first := rapid.SampledFrom([]string{`""`, `"x"`, `"X"`, `"null"`}).Draw(t, "a")
		second := rapid.SampledFrom([]string{`null`, `""`, `"x"`, `"x\"\"x"`}).Draw(t, "b")
		return fmt.Sprintf(`"first_dimension_value": %s, "second_dimension_value": %s`, first, second)
	})
	var rows []string
	for _, values := range rapid.SliceOfNDistinct(pair, 1, 5, rapid.ID).Draw(t, "rows") {
		rows = append(rows, fmt.Sprintf(`{%s, %q: %q}`, values, amountKey, drawRate(t)))
	}
	return fmt.Sprintf(`"first_dimension": "a", "second_dimension": "b", %q: [%s]`, rowsKey, strings.Join(rows, ","))
}
