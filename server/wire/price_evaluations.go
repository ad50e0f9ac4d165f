package wire

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadEvaluation reads customer and timeframe, which the bodies of all evaluations share. Start is
// inclusive, end exclusive; without an offset they are in UTC.
func ReadEvaluation(in gen.EvaluationTimeframe) (charge.Evaluation, error) {
	start, startErr := ReadDateTime("timeframe_start", in.TimeframeStart)
	end, endErr := ReadDateTime("timeframe_end", in.TimeframeEnd)
	return charge.Evaluation{
		CustomerID:         in.CustomerID,
		ExternalCustomerID: in.ExternalCustomerID,
		Timeframe:          period.Period{Start: start, End: end},
	}, fault.Join(startErr, endErr)
}

// ReadPriceEvaluations reads several prices to evaluate over one timeframe, each named by id or
// given inline.
func ReadPriceEvaluations(timeframe gen.EvaluationTimeframe, in gen.PricesToEvaluate) (charge.Evaluation, error) {
	asked, err := ReadEvaluation(timeframe)
	faults := []error{err}
	for i, each := range in.PriceEvaluations {
		place := fmt.Sprintf("price_evaluations[%d]", i)
		one, err := ReadPriceEvaluation(place, each.EvaluationRestrictions)
		faults = append(faults, err)
		one.PriceID, one.ExternalPriceID = each.PriceID, each.ExternalPriceID
		if each.Price != nil {
			var price catalog.NewPrice
			price, _, err = ReadPrice(each.Price)
			one.Price, faults = &price, append(faults, fault.In(place+".price", err))
		}
		asked.Prices = append(asked.Prices, one)
	}
	return asked, fault.Join(faults...)
}

// ReadPriceEvaluation reads the restrictions under which one price is evaluated. Faults are under
// place.
func ReadPriceEvaluation(place string, in gen.EvaluationRestrictions) (charge.PriceEvaluation, error) {
	parameters, err := parametersFromWire(in.MetricParameterOverrides)
	return charge.PriceEvaluation{Place: place, Filter: in.Filter, GroupingKeys: in.GroupingKeys, Parameters: parameters}, fault.In(place, err)
}

// ReadPreviewEvent reads an event that is evaluated and not stored.
func ReadPreviewEvent(e gen.PreviewEvent) event.Inline {
	return event.Inline{
		Name:               e.EventName,
		CustomerID:         e.CustomerID,
		ExternalCustomerID: e.ExternalCustomerID,
		Timestamp:          e.Timestamp,
		Properties:         e.Properties,
	}
}

// EvaluatedPrices returns the evaluations of several prices. A price that was given inline is named
// by its index in the request.
func EvaluatedPrices(asked charge.Evaluation, evaluated []charge.Evaluated) gen.EvaluatedPrices {
	shown := gen.EvaluatedPrices{Data: make([]gen.EvaluatedPriceGroups, len(evaluated))}
	for i, e := range evaluated {
		shown.Data[i] = gen.EvaluatedPriceGroups{
			Currency:        gen.Currency(e.Price.Currency),
			PriceGroups:     EvaluatedPriceGroups(e),
			ExternalPriceID: e.Price.ExternalPriceID,
		}
		if asked.Prices[i].Price == nil {
			shown.Data[i].PriceID = &e.Price.ID
		} else {
			shown.Data[i].InlinePriceIndex = &i
		}
	}
	return shown
}

// EvaluatedPriceGroups returns the quantity and the amount of each group of one price.
func EvaluatedPriceGroups(e charge.Evaluated) []gen.EvaluatePriceGroup {
	return MapSlice(e.Groups, func(group charge.EvaluatedGroup) gen.EvaluatePriceGroup {
		return gen.EvaluatePriceGroup{
			Amount:         ExactAmount(e.Price.Currency, group.Amount),
			GroupingValues: MapSlice(group.Values, func(value string) gen.GroupingValue { return json.RawMessage(value) }),
			Quantity:       Number(group.Quantity),
		}
	})
}
