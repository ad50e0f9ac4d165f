package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/event"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
)

// ReadEvaluation reads the evaluation of a request.
func ReadEvaluation(in gen.EvaluationTimeframe) (charge.Evaluation, error) {
	start, startErr := ReadDateTime("timeframe_start", in.TimeframeStart)
	end, endErr := ReadDateTime("timeframe_end", in.TimeframeEnd)
	return charge.Evaluation{
		CustomerID:         in.CustomerID,
		ExternalCustomerID: in.ExternalCustomerID,
		Timeframe:          period.Period{Start: start, End: end},
	}, fault.Join(startErr, endErr)
}

// ReadDateTime reads an instant; without an offset it is in UTC.
func ReadDateTime(field, text string) (time.Time, error) {
	at, err := period.ParseDateTime(text, time.UTC)
	if err != nil {
		return time.Time{}, fault.Bad(field, "%s", err)
	}
	return at, nil
}

// ReadEvaluations reads the evaluations of a request.
func ReadEvaluations(timeframe gen.EvaluationTimeframe, in gen.PricesToEvaluate) (charge.Evaluation, error) {
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

// ReadPriceEvaluation reads the price evaluation of a request.
func ReadPriceEvaluation(place string, in gen.EvaluationRestrictions) (charge.PriceEvaluation, error) {
	parameters, err := parametersFromWire(in.MetricParameterOverrides)
	return charge.PriceEvaluation{Place: place, Filter: in.Filter, GroupingKeys: in.GroupingKeys, Parameters: parameters}, fault.In(place, err)
}

// ReadPreviewEvent reads the preview event of a request.
func ReadPreviewEvent(e gen.PreviewEvent) event.Inline {
	return event.Inline{
		Name:               e.EventName,
		CustomerID:         e.CustomerID,
		ExternalCustomerID: e.ExternalCustomerID,
		Timestamp:          e.Timestamp,
		Properties:         e.Properties,
	}
}

// AllEvaluated returns the all evaluated as responses show it.
func AllEvaluated(asked charge.Evaluation, evaluated []charge.Evaluated) gen.EvaluatedPrices {
	shown := gen.EvaluatedPrices{Data: make([]gen.EvaluatedPriceGroups, len(evaluated))}
	for i, e := range evaluated {
		shown.Data[i] = gen.EvaluatedPriceGroups{
			Currency:        gen.Currency(e.Price.Currency),
			PriceGroups:     Evaluated(e),
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

// Evaluated returns the evaluated as responses show it.
func Evaluated(e charge.Evaluated) []gen.EvaluatePriceGroup {
	return MapSlice(e.Groups, func(group charge.EvaluatedGroup) gen.EvaluatePriceGroup {
		return gen.EvaluatePriceGroup{
			Amount:         exactToWire(e.Price.Currency, group.Amount),
			GroupingValues: MapSlice(group.Values, func(value string) gen.GroupingValue { return json.RawMessage(value) }),
			Quantity:       Number(group.Quantity),
		}
	})
}

// exactToWire writes an amount with the digits of the minor unit, and with all it has
// where it has more.
func exactToWire(currency money.Currency, amount money.Decimal) string {
	if currency.Fits(amount) {
		return currency.Format(amount)
	}
	return amount.String()
}
