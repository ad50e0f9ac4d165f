package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadPriceIntervalChanges reads price and adjustment intervals to be added and edited.
func ReadPriceIntervalChanges(body gen.PriceIntervalChanges) (in subscription.IntervalChanges, err error) {
	var failed [4]error
	in.Defers = body.CanDeferBilling
	in.Add, failed[0] = entriesFromWire("add", body.Add, newIntervalFromWire)
	in.Edit, failed[1] = entriesFromWire("edit", body.Edit, intervalEditFromWire)
	in.AddAdjustments, failed[2] = entriesFromWire("add_adjustments", body.AddAdjustments, newAdjustmentIntervalFromWire)
	in.EditAdjustments, failed[3] = entriesFromWire("edit_adjustments", body.EditAdjustments, adjustmentEditFromWire)
	return in, fault.Join(failed[:]...)
}

func newIntervalFromWire(in gen.NewPriceInterval) (added subscription.NewInterval, err error) {
	added.PriceName = subscription.PriceName{ID: in.PriceID, ExternalID: in.ExternalPriceID}
	added.Scope = scopeFromWire(in.UsageCustomerIds, in.Filter)
	added.Start, added.End, added.Defers = in.StartDate, in.EndDate, in.CanDeferBilling
	var memberErr, ownErr, parametersErr, transitionsErr error
	added.PlanPrice, memberErr = intervalPriceFromWire(in.Price, in.AllocationPrice, added.PriceName)
	added.Own, ownErr = intervalLegacyFromWire(in)
	added.Parameters, parametersErr = parametersFromWire(in.MetricParameterOverrides)
	added.Transitions, transitionsErr = entriesFromWire("fixed_fee_quantity_transitions", in.FixedFeeQuantityTransitions, transitionFromWire)
	return added, fault.Join(memberErr, ownErr, refuseAmounts(added.Own, in.AllocationPrice), parametersErr, transitionsErr)
}

// intervalPriceFromWire reads the new price of an interval, unless it names one that exists.
func intervalPriceFromWire(price *gen.NewFloatingPrice, allocation *gen.NewAllocationPrice, name subscription.PriceName) (wanted catalog.PlanPrice, err error) {
	if err := onePrice(price != nil, allocation != nil, name.ID != nil, name.ExternalID != nil); err != nil {
		return wanted, err
	}
	switch {
	case price != nil:
		wanted.Price, wanted.ReferenceID, err = ReadPrice(price)
		return wanted, fault.In("price", err)
	case allocation != nil:
		wanted.Price, err = allocationFromWire(*allocation)
		return wanted, fault.In("allocation_price", err)
	}
	return wanted, nil
}

func transitionFromWire(in gen.NewQuantityTransition) (change subscription.NewTransition, err error) {
	change.On = in.EffectiveDate
	change.Quantity, err = numberFromWire("quantity", in.Quantity)
	return change, err
}

func newAdjustmentIntervalFromWire(in gen.NewAdjustmentInterval) (added subscription.NewAdjustmentInterval, err error) {
	added.AdjustmentID, added.Start, added.End = in.AdjustmentID, in.StartDate, in.EndDate
	switch {
	case (in.Adjustment == nil) == (in.AdjustmentID == nil):
		return added, fault.Bad("adjustment, adjustment_id", "exactly one must be specified")
	case in.Adjustment != nil:
		added.Adjustment, err = newAdjustmentFromWire(*in.Adjustment)
	}
	return added, fault.In("adjustment", err)
}
