package rating

// Matrix charges each combination of one or two property values at its own rate,
// and those it does not list at the default (price models 4.6).
type Matrix struct{ Rates Table }

func readMatrix(config *object) Model { return Matrix{Rates: config.rateTable()} }

func (m Matrix) Needs() Needs   { return Needs{Split: m.Rates.Dimensions} }
func (m Matrix) linear() bool   { return true }
func (m Matrix) prorated() bool { return false }

func (m Matrix) charge(u Usage) Charge { return m.Rates.eachCell(u.Cells, atRate) }
