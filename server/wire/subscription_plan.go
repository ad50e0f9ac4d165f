package wire

import (
	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
)

// ReadPlanChange reads the plan change of a request.
func ReadPlanChange(body gen.PlanChange) (subscription.PlanChange, error) {
	threshold, thresholdErr := ReadOptionalAmount("invoicing_threshold", body.InvoicingThreshold)
	custom, customErr := customizationFromWire(gen.SubscriptionCreate{
		AddPrices: body.AddPrices, RemovePrices: body.RemovePrices, ReplacePrices: body.ReplacePrices,
		AddAdjustments: body.AddAdjustments, RemoveAdjustments: body.RemoveAdjustments, ReplaceAdjustments: body.ReplaceAdjustments,
		PriceOverrides: body.PriceOverrides,
	})
	in := subscription.PlanChange{
		PlanID: body.PlanID, ExternalPlanID: body.ExternalPlanID,
		PlanVersion: body.PlanVersionNumber, InitialPhase: body.InitialPhaseOrder,
		Option: subscription.ChangeOption(body.ChangeOption), Date: body.ChangeDate,
		CouponCode: body.CouponRedemptionCode, TrialDays: body.TrialDurationDays, AutoCollection: body.AutoCollection, AutoIssuance: body.AutoIssuance,
		DefaultInvoiceMemo: body.DefaultInvoiceMemo, NetTermsDays: body.NetTerms,
		InvoicingThreshold: threshold,
		Scope:              scopeFromWire(body.UsageCustomerIds, body.Filter),
		Customization:      custom,
	}
	switch older := body.AlignBillingWithPlanChangeDate; {
	case body.BillingCycleAlignment != nil:
		in.Alignment = subscription.Alignment(*body.BillingCycleAlignment)
	case older != nil && *older:
		in.Alignment = subscription.AlignChangeDate
	}
	if a := body.BillingCycleAnchorConfiguration; a != nil {
		in.Anchor = &period.Anchor{Day: a.Day, Month: a.Month, Year: a.Year}
	}
	return in, fault.Join(customErr, thresholdErr)
}
