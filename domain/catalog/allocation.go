package catalog

import (
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
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
