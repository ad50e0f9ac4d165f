package server

import (
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
)

func newSubscriptionFromWire(body gen.SubscriptionCreate) subscription.NewSubscription {
	in := subscription.NewSubscription{
		CustomerID: body.CustomerID, ExternalCustomerID: body.ExternalCustomerID,
		PlanID: body.PlanID, ExternalPlanID: body.ExternalPlanID,
		StartDate: body.StartDate, EndDate: body.EndDate,
		AlignWithStart: body.AlignBillingWithSubscriptionStartDate != nil && *body.AlignBillingWithSubscriptionStartDate,
		Name:           body.Name, Currency: body.Currency, CouponCode: body.CouponRedemptionCode,
		AutoCollection: body.AutoCollection, AutoIssuance: body.AutoIssuance,
		DefaultInvoiceMemo: body.DefaultInvoiceMemo, NetTermsDays: body.NetTerms,
		Metadata: metadataFromWire(body.Metadata),
	}
	if a := body.BillingCycleAnchorConfiguration; a != nil {
		in.Anchor = &period.Anchor{Day: a.Day, Month: a.Month, Year: a.Year}
	}
	return in
}
