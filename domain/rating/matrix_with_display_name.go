package rating

// MatrixWithDisplayName charges each value of a property at its own rate, under a
// name of its own. Values it does not list have no rate: they are shown at 0 under
// their raw names, so that the gap is seen (price models 4.23).
type MatrixWithDisplayName struct{ Rates Table }

func readMatrixWithDisplayName(config *object) Model {
	m := MatrixWithDisplayName{Table{Dimensions: []string{config.property("dimension")}}}
	config.objects("unit_amounts", func(at *object) {
		value := at.text("dimension_value")
		m.Rates.list(at, "dimension_value", []*string{&value}, row{name: at.text("display_name"), amount: at.amount("unit_amount")})
	})
	return m
}

func (m MatrixWithDisplayName) Needs() Needs   { return Needs{Split: m.Rates.Dimensions} }
func (m MatrixWithDisplayName) linear() bool   { return true }
func (m MatrixWithDisplayName) prorated() bool { return false }

func (m MatrixWithDisplayName) charge(u Usage) Charge { return m.Rates.eachCell(u.Cells, atRate) }
