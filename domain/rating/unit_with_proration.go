package rating

// readUnitWithProration reads a price per unit that is always prorated
// (price models 4.17).
func readUnitWithProration(config *object) Model {
	return Unit{UnitAmount: config.amount("unit_amount"), Prorated: true}
}
