package catalog

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Allocation is what an allocation price grants: as many credits as its quantity,
// each time a period of its cadence starts. One of them costs what the unit model of
// the price says.
type Allocation struct {
	Currency              money.Currency  // of what is granted
	CustomExpiration      *period.Length  // how long a grant lasts; nil: see ExpiresAtEndOfCadence
	ExpiresAtEndOfCadence bool            // else a grant without CustomExpiration lasts for ever
	Filters               []rating.Filter // the items that a grant pays for; none: all
	LicenseTypeID         *string
}

// AllowsRollover reports whether what is left of a grant outlives every period
// (semantics 11.2.2).
func (a Allocation) AllowsRollover() bool {
	return !a.ExpiresAtEndOfCadence && a.CustomExpiration == nil
}

// LicenseAllocation is what a license price grants each license in each period.
type LicenseAllocation struct {
	Amount          money.Decimal // not negative
	Currency        money.Currency
	WriteOffOverage bool // what a license uses beyond the grant is not charged
}

// NewAllocation is what a client asks for.
type NewAllocation struct {
	Amount                money.Decimal
	Currency              money.Currency // of what is granted
	Cadence               period.Cadence // not custom
	CustomExpiration      *period.Length
	ExpiresAtEndOfCadence *bool
	Filters               []rating.Filter // of items only
	ItemID                *string         // nil: the item Credits
	LicenseTypeID         *string
	PerUnitCostBasis      string // "": 0.00
	Metadata              map[string]*string
}

// record makes the fixed fee that invoices a grant, in the currency of the plan
// (semantics 5.1.12).
func (a NewAllocation) record(tx *store.Tx, in NewPrice, known references) (Price, error) {
	metadata, metadataErr := store.Metadata(nil).Merge(a.Metadata)
	if err := fault.Join(a.check(in.Currency), metadataErr); err != nil {
		return Price{}, err
	}
	if err := known.need(in); err != nil {
		return Price{}, err
	}
	item := known.credits
	if a.ItemID != nil {
		item = known.items[*a.ItemID]
	}
	length := a.Cadence.Length(period.Length{})
	return Price{
		Record:             tx.Record("price"),
		Name:               item.Name,
		ItemID:             item.ID,
		Cadence:            a.Cadence,
		CycleMonths:        length.Months,
		CycleDays:          length.Days,
		BillingMode:        InAdvance,
		Type:               PriceFixed,
		Currency:           in.Currency,
		Quantity:           &a.Amount,
		ModelType:          "unit",
		Config:             json.RawMessage(fmt.Sprintf(`{"unit_amount": %q}`, a.costBasis())),
		Metadata:           metadata,
		Dimensions:         []rating.Property{},
		CompositeFilters:   []rating.Filter{},
		LicenseAllocations: []LicenseAllocation{},
		Allocation: &Allocation{
			Currency:              a.Currency,
			CustomExpiration:      a.CustomExpiration,
			ExpiresAtEndOfCadence: a.ExpiresAtEndOfCadence != nil && *a.ExpiresAtEndOfCadence,
			Filters:               append([]rating.Filter{}, a.Filters...),
			LicenseTypeID:         a.LicenseTypeID,
		},
	}, nil
}

// costBasis is what one credit costs.
func (a NewAllocation) costBasis() string {
	if a.PerUnitCostBasis == "" {
		return "0.00"
	}
	return a.PerUnitCostBasis
}

// check tells what is wrong with it on a plan in a currency. Credits in money are in that
// of the plan, since they are in that of the customer (semantics 10.1.6).
func (a NewAllocation) check(plan money.Currency) error {
	var faults []error
	refuse := func(field, reason string, args ...any) { faults = append(faults, fault.Bad(field, reason, args...)) }
	switch {
	case !unit(a.Currency):
		refuse("currency", "must be an ISO 4217 code or %s", money.Credits)
	case a.Currency.Valid() && a.Currency != plan:
		refuse("currency", "must be that of the plan, or %s", money.Credits)
	}
	faults = append(faults, checkGranted("amount", a.Amount, a.Currency))
	if a.CustomExpiration != nil && a.ExpiresAtEndOfCadence != nil {
		refuse("custom_expiration", "must not be given together with expires_at_end_of_cadence")
	}
	switch basis, err := money.Parse(a.costBasis()); {
	case err != nil:
		refuse("per_unit_cost_basis", "%v", err)
	case basis.Sign() < 0:
		refuse("per_unit_cost_basis", "must not be negative")
	}
	return fault.Join(append(faults, fault.In("filters", rating.CheckFilters(a.Filters)))...)
}

// checkGranted refuses an amount of credits that no block can have.
func checkGranted(field string, amount money.Decimal, in money.Currency) error {
	switch {
	case amount.Sign() <= 0:
		return fault.Bad(field, "must be above 0")
	case !in.Fits(amount):
		return fault.Bad(field, "must have at most %d decimal places in this currency", in.MinorUnits())
	}
	return nil
}
