package wire

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
)

// priceIntervalToWire shows a price of a subscription, with what adjusts it alone.
func priceIntervalToWire(t subscription.Terms, i subscription.PriceInterval, names map[string]string, now time.Time) gen.PriceInterval {
	shown := gen.PriceInterval{
		ID:              i.ID,
		Price:           priceToWire(i.Price, names[i.Price.ItemID], adjustmentsOf(t)...),
		BillingCycleDay: t.BillingDay(i, now),
		StartDate:       Instant(i.StartAt),
		EndDate:         OptionalInstant(i.EndAt),

		CanDeferBilling:          i.CanDeferBilling,
		Filter:                   i.Filter,
		UsageCustomerIds:         i.UsageCustomerIDs,
		MetricParameterOverrides: parametersToWire(i.Parameters),
	}
	if i.Price.Fixed() {
		shown.FixedFeeQuantityTransitions = MapSlice(i.Changes(), func(change subscription.Transition) gen.FixedFeeQuantityTransition {
			return gen.FixedFeeQuantityTransition{
				PriceID: i.PriceID, EffectiveDate: Instant(change.EffectiveAt), Quantity: Number(*change.Quantity),
			}
		})
	}
	if current, ok := t.PeriodOf(i, now); ok {
		shown.CurrentBillingPeriodStartDate = OptionalInstant(&current.Start)
		shown.CurrentBillingPeriodEndDate = OptionalInstant(&current.End)
	}
	return shown
}

func adjustmentsOf(t subscription.Terms) []catalog.Adjustment {
	return MapSlice(t.Adjustments, func(i subscription.AdjustmentInterval) catalog.Adjustment { return i.Adjustment })
}

// adjustmentIntervalsToWire shows the adjustments of a subscription, each in its legacy
// form too.
func adjustmentIntervalsToWire(t subscription.Terms, into *gen.Subscription) {
	into.AdjustmentIntervals = []gen.AdjustmentInterval{}
	into.DiscountIntervals = []gen.DiscountInterval{}
	into.MinimumIntervals = []gen.MinimumInterval{}
	into.MaximumIntervals = []gen.MaximumInterval{}
	for _, i := range t.Adjustments {
		a := i.Adjustment
		base := gen.IntervalBase{
			AppliesToPriceIntervalIds: MapSlice(t.AppliesTo(i), func(p subscription.PriceInterval) string { return p.ID }),
			Filters:                   filtersToWire(a.Filters),
			StartDate:                 Instant(i.StartAt),
			EndDate:                   OptionalInstant(i.EndAt),
		}
		into.AdjustmentIntervals = append(into.AdjustmentIntervals, gen.AdjustmentInterval{
			ID: i.ID, Adjustment: adjustmentToWire(a, t.Currency), AppliesToPriceIntervalIds: base.AppliesToPriceIntervalIds,
			StartDate: base.StartDate, EndDate: base.EndDate,
		})
		switch amount := configuredToWire(a, t.Currency); a.Kind {
		case rating.Minimum:
			into.MinimumIntervals = append(into.MinimumIntervals, gen.MinimumInterval{
				IntervalBase: base, AtLeast: gen.AtLeast{MinimumAmount: amount},
			})
		case rating.Maximum:
			into.MaximumIntervals = append(into.MaximumIntervals, gen.MaximumInterval{
				IntervalBase: base, AtMost: gen.AtMost{MaximumAmount: amount},
			})
		default:
			into.DiscountIntervals = append(into.DiscountIntervals, unionOf[gen.DiscountInterval](base, discountToWire(a, t.Currency)))
		}
	}
}
