package wire

import (
	"tollkeeper/domain/license"
	"tollkeeper/gen"
)

// LicenseUsageParameters are the query parameters that all reports of license usage share.
type LicenseUsageParameters struct {
	Start, End *gen.Date
	GroupBy    *string
}

// LicenseUsage returns the credits of a license type in a period, or of one license of it.
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
