package wire

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
)

// sentIntervalEdit is what an edit of an interval may have.
type sentIntervalEdit struct {
	ID          string                               `json:"price_interval_id"`
	Start       *string                              `json:"start_date"`
	End         *string                              `json:"end_date"`
	BillingDay  *int                                 `json:"billing_cycle_day"`
	Defers      *bool                                `json:"can_defer_billing"`
	Transitions []gen.NewQuantityTransition          `json:"fixed_fee_quantity_transitions"`
	Parameters  gen.NullableMetricParameterOverrides `json:"metric_parameter_overrides"`
	Customers   []string                             `json:"usage_customer_ids"`
	Filter      *string                              `json:"filter"`
}

func intervalEditFromWire(text gen.PriceIntervalEdit) (e subscription.IntervalEdit, err error) {
	var in sentIntervalEdit
	given, err := sentMembers(text, &in)
	if err != nil {
		return e, err
	}
	e.ID, e.Start, e.Defers = in.ID, in.Start, in.Defers
	if given["can_defer_billing"] && in.Defers == nil {
		e.Defers = new(bool)
	}
	e.End = subscription.Sent[*string]{Value: in.End, Given: given["end_date"]}
	e.BillingDay = subscription.Sent[*int]{Value: in.BillingDay, Given: given["billing_cycle_day"]}
	e.UsageCustomers = subscription.Sent[subscription.CustomerIDs]{Value: in.Customers, Given: given["usage_customer_ids"]}
	e.Filter = subscription.Sent[*string]{Value: in.Filter, Given: given["filter"]}
	var transitionsErr, parametersErr error
	e.Transitions.Given, e.Parameters.Given = given["fixed_fee_quantity_transitions"], given["metric_parameter_overrides"]
	e.Transitions.Value, transitionsErr = entriesFromWire("fixed_fee_quantity_transitions", in.Transitions, transitionFromWire)
	e.Parameters.Value, parametersErr = parametersFromWire(&in.Parameters)
	return e, fault.Join(transitionsErr, parametersErr)
}

func adjustmentEditFromWire(text gen.AdjustmentIntervalEdit) (subscription.AdjustmentEdit, error) {
	var in struct {
		ID    string  `json:"adjustment_interval_id"`
		Start *string `json:"start_date"`
		End   *string `json:"end_date"`
	}
	given, err := sentMembers(text, &in)
	return subscription.AdjustmentEdit{
		ID: in.ID, Start: in.Start, End: subscription.Sent[*string]{Value: in.End, Given: given["end_date"]},
	}, err
}

// sentMembers decodes an object, and returns which members it has. A member that is null counts.
func sentMembers(text json.RawMessage, into any) (given map[string]bool, err error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("read an edit: %w", err)
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("read an edit: %w", err)
	}
	given = map[string]bool{}
	for name := range raw {
		given[name] = true
	}
	return given, nil
}

// intervalLegacyFromWire reads the adjustments of one price from the legacy fields of its interval,
// where amounts are JSON numbers.
func intervalLegacyFromWire(in gen.NewPriceInterval) (own []subscription.LegacyAdjustment, err error) {
	var faults []error
	add := func(kind rating.AdjustmentKind, field, place string, number *json.Number) {
		value, err := optionalNumberFromWire(field, number)
		faults = append(faults, fault.In(place, err))
		if value == nil {
			value = &money.Decimal{}
		}
		own = append(own, subscription.LegacyAdjustment{NewAdjustment: catalog.NewAdjustment{Kind: kind, Value: *value}, Place: place})
	}
	if in.MinimumAmount != nil {
		add(rating.Minimum, "minimum_amount", "", in.MinimumAmount)
	}
	if in.MaximumAmount != nil {
		add(rating.Maximum, "maximum_amount", "", in.MaximumAmount)
	}
	for k, off := range in.Discounts {
		place := contract.IndexPath("discounts", k)
		kind := rating.AdjustmentKind(string(off.DiscountType) + "_discount")
		for _, value := range []struct {
			of     gen.DiscountOverrideType
			number *json.Number
		}{
			{gen.DiscountOverrideTypeAmount, off.AmountDiscount},
			{gen.DiscountOverrideTypePercentage, off.PercentageDiscount},
			{gen.DiscountOverrideTypeUsage, off.UsageDiscount},
		} {
			field := string(value.of) + "_discount"
			switch {
			case value.of != off.DiscountType && value.number != nil:
				faults = append(faults, fault.Bad(place+"."+field, "must not be given with that discount_type"))
			case value.of == off.DiscountType && value.number == nil:
				faults = append(faults, fault.Bad(place+"."+field, "is required"))
			case value.of == off.DiscountType:
				add(kind, field, place, value.number)
			}
		}
	}
	return own, fault.Join(faults...)
}
