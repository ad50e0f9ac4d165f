package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
)

// adjustmentToWire shows an adjustment of a plan or of one subscription. Amounts are in
// that currency.
func adjustmentToWire(a catalog.Adjustment, currency money.Currency) gen.PlanPhaseAdjustment {
	return unionOf[gen.PlanPhaseAdjustment](
		adjustmentBaseToWire(a), gen.OfPlanPhase{PlanPhaseOrder: a.PhaseOrder}, adjustingToWire(a, currency),
	)
}

// adjustmentBaseToWire writes what all adjustments show.
func adjustmentBaseToWire(a catalog.Adjustment) gen.AdjustmentBase {
	return gen.AdjustmentBase{
		ID:                   a.ID,
		IsInvoiceLevel:       a.InvoiceLevel,
		Filters:              filtersToWire(a.Filters),
		AppliesToPriceIds:    namedPrices(a.Filters),
		Reason:               a.Reason,
		ReplacesAdjustmentID: a.ReplacesAdjustmentID,
	}
}

// adjustingToWire writes what the kind of an adjustment shows beside that.
func adjustingToWire(a catalog.Adjustment, currency money.Currency) any {
	switch a.Kind {
	case rating.UsageDiscount:
		return gen.UsageDiscountAdjusting{
			AdjustmentType: gen.UsageDiscountAdjustmentTypeUsageDiscount, UsageDiscount: Number(a.Value),
		}
	case rating.AmountDiscount:
		return gen.AmountDiscountAdjusting{
			AdjustmentType: gen.AmountDiscountAdjustmentTypeAmountDiscount, AmountDiscount: configuredToWire(a, currency),
		}
	case rating.PercentageDiscount, rating.TrialDiscount:
		return gen.PercentageDiscountAdjusting{
			AdjustmentType: gen.PercentageDiscountAdjustmentTypePercentageDiscount, PercentageDiscount: Number(a.Value),
		}
	case rating.TieredPercentageDiscount:
		return gen.TieredPercentageDiscountAdjusting{
			AdjustmentType: gen.TieredPercentageDiscountAdjustmentTypeTieredPercentageDiscount, Tiers: percentageTiersToWire(a.Tiers),
		}
	case rating.Minimum:
		return gen.MinimumAdjusting{
			AdjustmentType: gen.MinimumAdjustmentTypeMinimum, MinimumAmount: configuredToWire(a, currency), ItemID: *a.ItemID,
		}
	default:
		return gen.MaximumAdjusting{
			AdjustmentType: gen.MaximumAdjustmentTypeMaximum, MaximumAmount: configuredToWire(a, currency),
		}
	}
}

// discountToWire writes what the legacy form of a discount has by its kind, and is nil
// for what is no discount.
func discountToWire(a catalog.Adjustment, currency money.Currency) any {
	if a.Trial {
		return trialToWire(a, currency)
	}
	switch a.Kind {
	case rating.UsageDiscount:
		return gen.UsageOff{DiscountType: gen.UsageDiscountTypeUsage, UsageDiscount: Number(a.Value)}
	case rating.AmountDiscount:
		return gen.AmountOff{DiscountType: gen.AmountDiscountTypeAmount, AmountDiscount: configuredToWire(a, currency)}
	case rating.PercentageDiscount:
		return gen.PercentageOff{DiscountType: gen.PercentageDiscountTypePercentage, PercentageDiscount: Number(a.Value)}
	case rating.TieredPercentageDiscount:
		return gen.TieredPercentageOff{
			DiscountType: gen.TieredPercentageDiscountTypeTieredPercentage, Tiers: percentageTiersToWire(a.Tiers),
		}
	case rating.TrialDiscount:
		return gen.TrialOff{DiscountType: gen.TrialDiscountTypeTrial, TrialPercentageDiscount: optionalNumberToWire(&a.Value)}
	}
	return nil
}

// trialToWire shows a discount that was asked for as a trial.
func trialToWire(a catalog.Adjustment, currency money.Currency) gen.TrialOff {
	off := gen.TrialOff{DiscountType: gen.TrialDiscountTypeTrial}
	if a.Kind == rating.AmountDiscount {
		amount := configuredToWire(a, currency)
		off.TrialAmountDiscount = &amount
	} else {
		off.TrialPercentageDiscount = optionalNumberToWire(&a.Value)
	}
	return off
}

func discountBaseToWire(a catalog.Adjustment) gen.DiscountBase {
	return gen.DiscountBase{AppliesToPriceIds: namedPrices(a.Filters), Filters: filtersToWire(a.Filters), Reason: a.Reason}
}

func minimumToWire(a catalog.Adjustment, currency money.Currency) *gen.Minimum {
	return &gen.Minimum{
		AppliesToPriceIds: namedPrices(a.Filters), Filters: filtersToWire(a.Filters), MinimumAmount: configuredToWire(a, currency),
	}
}

func maximumToWire(a catalog.Adjustment, currency money.Currency) *gen.Maximum {
	return &gen.Maximum{
		AppliesToPriceIds: namedPrices(a.Filters), Filters: filtersToWire(a.Filters), MaximumAmount: configuredToWire(a, currency),
	}
}

func percentageTiersToWire(tiers []rating.PercentageTier) []gen.PercentageTier {
	return MapSlice(tiers, func(t rating.PercentageTier) gen.PercentageTier {
		return gen.PercentageTier{
			LowerBound: Number(t.LowerBound), UpperBound: optionalNumberToWire(t.UpperBound), Percentage: Number(t.Percentage),
		}
	})
}

// configuredToWire writes the amount of an adjustment: as the client wrote it, else
// with the digits of the minor unit, and with more where it has more.
func configuredToWire(a catalog.Adjustment, currency money.Currency) gen.Decimal {
	switch {
	case a.AsSent != nil:
		return *a.AsSent
	case !currency.Fits(a.Value):
		return a.Value.String()
	}
	return currency.Format(a.Value)
}

// namedPrices are the ids that filters include, as the legacy fields show them.
func namedPrices(filters []rating.Filter) []string {
	ids := []string{}
	for _, f := range filters {
		if f.Field == rating.FilterPriceID && f.Operator == rating.FilterIncludes {
			ids = append(ids, f.Values...)
		}
	}
	return ids
}

func adjustmentsToWire(all []catalog.Adjustment, currency money.Currency) []gen.PlanPhaseAdjustment {
	return MapSlice(all, func(a catalog.Adjustment) gen.PlanPhaseAdjustment { return adjustmentToWire(a, currency) })
}
