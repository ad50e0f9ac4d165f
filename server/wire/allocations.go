package wire

import (
	"encoding/json"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// allocationFromWire reads a price that grants credits. It is charged in the currency
// of its plan.
func allocationFromWire(in gen.NewAllocationPrice) (catalog.NewPrice, error) {
	amount, err := ReadAmount("amount", in.Amount)
	if err != nil {
		return catalog.NewPrice{}, err
	}
	return catalog.NewPrice{Allocation: &catalog.NewAllocation{
		Amount:                amount,
		Currency:              money.Currency(in.Currency),
		Cadence:               period.Cadence(in.Cadence),
		CustomExpiration:      lengthFromWire(in.CustomExpiration),
		ExpiresAtEndOfCadence: in.ExpiresAtEndOfCadence,
		Filters: MapSlice(in.Filters, func(f gen.ItemFilter) rating.Filter {
			return rating.Filter{Field: rating.FilterItemID, Operator: rating.FilterOperator(f.Operator), Values: f.Values}
		}),
		ItemID:           in.ItemID,
		LicenseTypeID:    in.LicenseTypeID,
		PerUnitCostBasis: Deref(in.PerUnitCostBasis),
		Metadata:         ReadMetadata(in.Metadata),
	}}, nil
}

// licenseAllocationFromWire reads a license price that grants credits.
func licenseAllocationFromWire(in gen.NewLicenseAllocationPrice) (catalog.NewPrice, *string, error) {
	wanted, reference, priceErr := ReadPrice(marshaler{in})
	allocations, err := entriesFromWire("license_allocations", in.LicenseAllocations, func(a gen.NewLicenseAllocation) (catalog.LicenseAllocation, error) {
		amount, err := ReadAmount("amount", a.Amount)
		return catalog.LicenseAllocation{
			Amount: amount, Currency: money.Currency(a.Currency), WriteOffOverage: a.WriteOffOverage != nil && *a.WriteOffOverage,
		}, err
	})
	wanted.LicenseAllocations = allocations
	return wanted, reference, fault.Join(priceErr, err)
}

// marshaler lets what is no union be read as one.
type marshaler struct{ any }

// MarshalJSON returns the JSON of the wrapped value.
func (m marshaler) MarshalJSON() ([]byte, error) { return json.Marshal(m.any) }

func allocationToWire(a *catalog.Allocation) *gen.Allocation {
	if a == nil {
		return nil
	}
	return &gen.Allocation{
		AllowsRollover:   a.AllowsRollover(),
		Currency:         gen.Currency(a.Currency),
		CustomExpiration: optionalLengthToWire(a.CustomExpiration),
		Filters:          filtersToWire(a.Filters),
		LicenseTypeID:    a.LicenseTypeID,
	}
}
