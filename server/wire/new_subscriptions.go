package wire

import (
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
)

// ReadSubscription reads a new subscription with its customization of the plan.
func ReadSubscription(body gen.SubscriptionCreate) (subscription.NewSubscription, error) {
	custom, customErr := customizationFromWire(body)
	threshold, thresholdErr := ReadOptionalAmount("invoicing_threshold", body.InvoicingThreshold)
	in := subscription.NewSubscription{
		CustomerID: body.CustomerID, ExternalCustomerID: body.ExternalCustomerID,
		PlanID: body.PlanID, ExternalPlanID: body.ExternalPlanID,
		PlanVersion: body.PlanVersionNumber, InitialPhase: body.InitialPhaseOrder,
		StartDate: body.StartDate, EndDate: body.EndDate,
		AlignWithStart: body.AlignBillingWithSubscriptionStartDate != nil && *body.AlignBillingWithSubscriptionStartDate,
		Name:           body.Name, Currency: body.Currency, CouponCode: body.CouponRedemptionCode, TrialDays: body.TrialDurationDays,
		AutoCollection: body.AutoCollection, AutoIssuance: body.AutoIssuance,
		DefaultInvoiceMemo: body.DefaultInvoiceMemo, NetTermsDays: body.NetTerms,
		InvoicingThreshold: threshold,
		Metadata:           ReadMetadata(body.Metadata),
		Scope:              scopeFromWire(body.UsageCustomerIds, body.Filter),
		Customization:      custom,
	}
	if a := body.BillingCycleAnchorConfiguration; a != nil {
		in.Anchor = &period.Anchor{Day: a.Day, Month: a.Month, Year: a.Year}
	}
	return in, fault.Join(customErr, thresholdErr)
}

func scopeFromWire(customerIDs []string, filter *string) subscription.Scope {
	return subscription.Scope{UsageCustomerIDs: customerIDs, Filter: filter}
}

func customizationFromWire(body gen.SubscriptionCreate) (c subscription.Customization, err error) {
	var failed [5]error
	c.AddPrices, failed[0] = entriesFromWire("add_prices", body.AddPrices, addedPriceFromWire)
	c.ReplacePrices, failed[1] = entriesFromWire("replace_prices", body.ReplacePrices, replacementFromWire)
	c.AddAdjustments, failed[2] = entriesFromWire("add_adjustments", body.AddAdjustments, addedAdjustmentFromWire)
	c.ReplaceAdjustments, failed[3] = entriesFromWire("replace_adjustments", body.ReplaceAdjustments,
		func(in gen.SubscriptionReplaceAdjustment) (catalog.PlanAdjustment, error) {
			return replacedAdjustmentFromWire(gen.ReplacedAdjustment{ReplacesAdjustmentID: in.ReplacesAdjustmentID, Adjustment: in.Adjustment})
		})
	overrides, overridesErr := entriesFromWire("price_overrides", body.PriceOverrides, overrideFromWire)
	for k := range overrides {
		overrides[k].Override.Place = contract.IndexPath("price_overrides", k)
	}
	c.ReplacePrices, failed[4] = append(c.ReplacePrices, overrides...), overridesErr
	for _, in := range body.RemovePrices {
		c.RemovePrices = append(c.RemovePrices, subscription.PriceName{ID: in.PriceID, ExternalID: in.ExternalPriceID})
	}
	for _, in := range body.RemoveAdjustments {
		c.RemoveAdjustments = append(c.RemoveAdjustments, in.AdjustmentID)
	}
	return c, fault.Join(failed[:]...)
}

func addedPriceFromWire(in gen.SubscriptionAddPrice) (added subscription.AddedPrice, err error) {
	added.PriceName = subscription.PriceName{ID: in.PriceID, ExternalID: in.ExternalPriceID}
	added.Dates = subscription.Dates{Start: in.StartDate, End: in.EndDate}
	named, memberErr := oneOfPrices(in.Price, in.AllocationPrice, added.PriceName, true)
	added.PlanPrice, added.PhaseOrder = named, in.PlanPhaseOrder
	var ownErr, parametersErr error
	added.Own, ownErr = legacyFromWire(in.MinimumAmount, in.MaximumAmount, in.Discounts)
	added.Parameters, parametersErr = parametersFromWire(in.MetricParameterOverrides)
	return added, fault.Join(memberErr, ownErr, refuseAmounts(added.Own, in.AllocationPrice), parametersErr)
}

func replacementFromWire(in gen.SubscriptionReplacePrice) (replaced subscription.ReplacedPrice, err error) {
	replaced.PriceName = subscription.PriceName{ID: in.PriceID, ExternalID: in.ExternalPriceID}
	named, memberErr := oneOfPrices(in.Price, in.AllocationPrice, replaced.PriceName, in.FixedPriceQuantity == nil)
	replaced.PlanPrice, replaced.ReplacesPriceID = named, in.ReplacesPriceID
	var ownErr, quantityErr, twiceErr, parametersErr error
	replaced.Own, ownErr = legacyFromWire(in.MinimumAmount, in.MaximumAmount, in.Discounts)
	replaced.Parameters, parametersErr = parametersFromWire(in.MetricParameterOverrides)
	replaced.Quantity, quantityErr = optionalNumberFromWire("fixed_price_quantity", in.FixedPriceQuantity)
	if replaced.Quantity != nil && (in.Price != nil || in.AllocationPrice != nil) {
		twiceErr = fault.Bad("fixed_price_quantity", "must not be given beside a new price, which has its own")
	}
	return replaced, fault.Join(memberErr, quantityErr, twiceErr, ownErr, refuseAmounts(replaced.Own, in.AllocationPrice), parametersErr)
}

// oneOfPrices reads the new price of an entry, unless it names one that exists.
func oneOfPrices(price *gen.NullableNewPlanPrice, allocation *gen.NewAllocationPrice, name subscription.PriceName, needed bool) (catalog.PlanPrice, error) {
	given := []bool{price != nil, allocation != nil, name.ID != nil, name.ExternalID != nil}
	if needed || slices.Contains(given, true) {
		if err := onePrice(given...); err != nil {
			return catalog.PlanPrice{}, err
		}
	}
	if price == nil && allocation == nil {
		return catalog.PlanPrice{}, nil
	}
	return oneKindOfPriceFromWire(price, allocation, nil)
}

// onePrice refuses an entry that gives no price, or several.
func onePrice(given ...bool) error {
	first := slices.Index(given, true)
	if first < 0 || slices.Contains(given[first+1:], true) {
		return fault.Bad("price, allocation_price, price_id, external_price_id", "exactly one must be specified")
	}
	return nil
}

func addedAdjustmentFromWire(in gen.SubscriptionAddAdjustment) (subscription.AddedAdjustment, error) {
	wanted, err := planAdjustmentFromWire(gen.PlanAdjustmentEntry{Adjustment: in.Adjustment, PlanPhaseOrder: in.PlanPhaseOrder})
	return subscription.AddedAdjustment{
		PlanAdjustment: wanted, Dates: subscription.Dates{Start: in.StartDate, End: in.EndDate},
	}, err
}

// refuseAmounts refuses adjustments of a price that only grants credits.
func refuseAmounts(own []subscription.LegacyAdjustment, allocation *gen.NewAllocationPrice) error {
	if len(own) > 0 && allocation != nil {
		return fault.Bad("allocation_price", "takes no minimum_amount, maximum_amount or discounts")
	}
	return nil
}
