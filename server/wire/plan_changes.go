package wire

import (
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadPlanChange reads a change of the plan. align_billing_with_plan_change_date is the legacy form
// of billing_cycle_alignment, which wins.
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
	switch legacy := body.AlignBillingWithPlanChangeDate; {
	case body.BillingCycleAlignment != nil:
		in.Alignment = subscription.Alignment(*body.BillingCycleAlignment)
	case legacy != nil && *legacy:
		in.Alignment = subscription.AlignChangeDate
	}
	if a := body.BillingCycleAnchorConfiguration; a != nil {
		in.Anchor = &period.Anchor{Day: a.Day, Month: a.Month, Year: a.Year}
	}
	return in, fault.Join(customErr, thresholdErr)
}
