package wire

import (
	"tollkeeper/domain/license"
	"tollkeeper/gen"
)

// LicenseFrame is what every question about the usage of licenses may say.
type LicenseFrame struct {
	Start, End *gen.Date
	GroupBy    *string
}

// LicenseUsage returns the license usage as responses show it.
func LicenseUsage(q license.UsageQuery, r license.UsageRow) gen.LicenseUsage {
	shown := gen.LicenseUsage{
		SubscriptionID: q.SubscriptionID, LicenseTypeID: q.TypeID, PricingUnit: string(r.Unit),
		StartDate: r.Start.String(), EndDate: r.End.String(),
		AllocatedCredits: Number(r.Allocated), ConsumedCredits: Number(r.Consumed), RemainingCredits: Number(r.Remaining()),
		AllocationEligibleCredits: Number(r.Eligible), SharedPoolCredits: Number(r.Shared),
	}
	if r.License != nil {
		shown.LicenseID, shown.ExternalLicenseID = &r.License.ID, &r.License.ExternalID
	}
	return shown
}
