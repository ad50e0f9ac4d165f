package catalog

import (
	"slices"

	"tollkeeper/store/fault"
)

// checkConflicts refuses prices that cannot be in one plan or subscription. places
// are where a request has its prices, by id; a fault is one of those.
func checkConflicts(prices []Price, places map[string]string) error {
	var faults []error
	for i, later := range prices {
		for _, earlier := range prices[:i] {
			err := later.conflictsWith(earlier)
			if err == nil {
				continue
			}
			place, ok := places[later.ID]
			if !ok { // it was there before the other
				place = places[earlier.ID]
			}
			faults = append(faults, fault.In(place, err))
		}
	}
	return fault.Join(faults...)
}

// CheckConflicts tells why two prices cannot be in force at the same time.
func CheckConflicts(p, o Price) error { return p.conflictsWith(o) }

// conflictsWith tells why p cannot be in force together with o: usage must not be charged
// twice (semantics 16.1.2), nor a license (17.1.3).
func (p Price) conflictsWith(o Price) error {
	if p.PhaseOrder != nil && o.PhaseOrder != nil && *p.PhaseOrder != *o.PhaseOrder {
		return nil
	}
	switch {
	case p.DimensionalPriceGroupID != nil && o.DimensionalPriceGroupID != nil &&
		*p.DimensionalPriceGroupID == *o.DimensionalPriceGroupID && slices.Equal(p.Dimensions, o.Dimensions):
		return fault.Bad("dimensional_price_configuration.dimension_values", "must differ from those of the other prices of the group")
	case p.sellsLicenses() && o.sellsLicenses():
		return fault.Bad("license_type_id", "must be given once, since there is another price of licenses")
	}
	return nil
}

// sellsLicenses reports whether the price is a fixed fee for each license.
func (p Price) sellsLicenses() bool { return p.Fixed() && p.LicenseTypeID != nil }
