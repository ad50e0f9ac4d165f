package rating

// BulkWithFilters charges the usage of the events that match every filter, at the
// rate of the tier that the usage of all events reaches (price models 4.4).
type BulkWithFilters struct {
	Filters []Property
	Tiers   []BoundTier
}

func readBulkWithFilters(config *object) Model {
	var m BulkWithFilters
	config.objects("filters", func(filter *object) {
		m.Filters = append(m.Filters, Property{filter.property("property_key"), filter.name("property_value")})
	})
	m.Tiers = config.boundTiersOrNull("tiers", "unit_amount")
	return m
}

func (m BulkWithFilters) Needs() Needs   { return Needs{Filter: m.Filters} }
func (m BulkWithFilters) linear() bool   { return false }
func (m BulkWithFilters) prorated() bool { return false }

func (m BulkWithFilters) charge(u Usage) Charge { return chargeBulk(m.Tiers, u.Quantity, u.Filtered) }
