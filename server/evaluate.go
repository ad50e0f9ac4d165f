package server

import (
	"context"
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
	"tollkeeper/store"
)

// EvaluatePrice serves POST /v1/prices/{price_id}/evaluate.
func (s *Server) EvaluatePrice(ctx context.Context, req gen.EvaluatePriceRequestObject) (gen.EvaluatePriceResponseObject, error) {
	asked, err := evaluationFromWire(req.Body.EvaluationTimeframe)
	if err != nil {
		return nil, err
	}
	one, err := priceEvaluationFromWire("", req.Body.EvaluationRestrictions)
	if err != nil {
		return nil, err
	}
	one.PriceID = &req.PriceID
	asked.Prices = []charge.PriceEvaluation{one}
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePrice200JSONResponse{Data: evaluatedToWire(evaluated[0])}, nil
}

// EvaluatePrices serves POST /v1/prices/evaluate.
func (s *Server) EvaluatePrices(ctx context.Context, req gen.EvaluatePricesRequestObject) (gen.EvaluatePricesResponseObject, error) {
	asked, err := evaluationsFromWire(req.Body.EvaluationTimeframe, req.Body.PricesToEvaluate)
	if err != nil {
		return nil, err
	}
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePrices200JSONResponse(allEvaluatedToWire(asked, evaluated)), nil
}

// EvaluatePreviewEvents serves POST /v1/prices/evaluate_preview_events.
func (s *Server) EvaluatePreviewEvents(ctx context.Context, req gen.EvaluatePreviewEventsRequestObject) (gen.EvaluatePreviewEventsResponseObject, error) {
	asked, err := evaluationsFromWire(req.Body.EvaluationTimeframe, req.Body.PricesToEvaluate)
	if err != nil {
		return nil, err
	}
	asked.Events = toWire(req.Body.Events, previewEventFromWire)
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePreviewEvents200JSONResponse(allEvaluatedToWire(asked, evaluated)), nil
}

// evaluate reads only, so nothing is remembered of it (semantics 14.3.5).
func (s *Server) evaluate(ctx context.Context, asked charge.Evaluation) (evaluated []charge.Evaluated, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		evaluated, err = charge.Evaluate(tx, asked)
		return err
	})
	return evaluated, err
}

func evaluationFromWire(in gen.EvaluationTimeframe) (charge.Evaluation, error) {
	start, startErr := dateTimeFromWire("timeframe_start", in.TimeframeStart)
	end, endErr := dateTimeFromWire("timeframe_end", in.TimeframeEnd)
	return charge.Evaluation{
		CustomerID:         in.CustomerID,
		ExternalCustomerID: in.ExternalCustomerID,
		Timeframe:          period.Period{Start: start, End: end},
	}, fault.Join(startErr, endErr)
}

// dateTimeFromWire reads an instant; without an offset it is in UTC.
func dateTimeFromWire(field, text string) (time.Time, error) {
	at, err := period.ParseDateTime(text, time.UTC)
	if err != nil {
		return time.Time{}, fault.Bad(field, "%s", err)
	}
	return at, nil
}

func evaluationsFromWire(timeframe gen.EvaluationTimeframe, in gen.PricesToEvaluate) (charge.Evaluation, error) {
	asked, err := evaluationFromWire(timeframe)
	faults := []error{err}
	for i, each := range in.PriceEvaluations {
		place := fmt.Sprintf("price_evaluations[%d]", i)
		one, err := priceEvaluationFromWire(place, each.EvaluationRestrictions)
		faults = append(faults, err)
		one.PriceID, one.ExternalPriceID = each.PriceID, each.ExternalPriceID
		if each.Price != nil {
			var price catalog.NewPrice
			price, _, err = priceFromWire(each.Price)
			one.Price, faults = &price, append(faults, fault.In(place+".price", err))
		}
		asked.Prices = append(asked.Prices, one)
	}
	return asked, fault.Join(faults...)
}

func priceEvaluationFromWire(place string, in gen.EvaluationRestrictions) (charge.PriceEvaluation, error) {
	parameters, err := parametersFromWire(in.MetricParameterOverrides)
	return charge.PriceEvaluation{Place: place, Filter: in.Filter, GroupingKeys: in.GroupingKeys, Parameters: parameters}, fault.In(place, err)
}

func previewEventFromWire(e gen.PreviewEvent) event.Inline {
	return event.Inline{
		Name:               e.EventName,
		CustomerID:         e.CustomerID,
		ExternalCustomerID: e.ExternalCustomerID,
		Timestamp:          e.Timestamp,
		Properties:         e.Properties,
	}
}

func allEvaluatedToWire(asked charge.Evaluation, evaluated []charge.Evaluated) gen.EvaluatedPrices {
	shown := gen.EvaluatedPrices{Data: make([]gen.EvaluatedPriceGroups, len(evaluated))}
	for i, e := range evaluated {
		shown.Data[i] = gen.EvaluatedPriceGroups{
			Currency:        gen.Currency(e.Price.Currency),
			PriceGroups:     evaluatedToWire(e),
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

func evaluatedToWire(e charge.Evaluated) []gen.EvaluatePriceGroup {
	return toWire(e.Groups, func(group charge.EvaluatedGroup) gen.EvaluatePriceGroup {
		return gen.EvaluatePriceGroup{
			Amount:         exactToWire(e.Price.Currency, group.Amount),
			GroupingValues: toWire(group.Values, func(value string) gen.GroupingValue { return json.RawMessage(value) }),
			Quantity:       numberToWire(group.Quantity),
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
