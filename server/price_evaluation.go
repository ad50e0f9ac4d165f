package server

import (
	"context"

	"tollkeeper/domain/charge"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// EvaluatePrice serves POST /v1/prices/{price_id}/evaluate.
func (s *Server) EvaluatePrice(ctx context.Context, req gen.EvaluatePriceRequestObject) (gen.EvaluatePriceResponseObject, error) {
	asked, err := wire.ReadEvaluation(req.Body.EvaluationTimeframe)
	if err != nil {
		return nil, err
	}
	one, err := wire.ReadPriceEvaluation("", req.Body.EvaluationRestrictions)
	if err != nil {
		return nil, err
	}
	one.PriceID = &req.PriceID
	asked.Prices = []charge.PriceEvaluation{one}
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePrice200JSONResponse{Data: wire.EvaluatedPriceGroups(evaluated[0])}, nil
}

// EvaluatePrices serves POST /v1/prices/evaluate.
func (s *Server) EvaluatePrices(ctx context.Context, req gen.EvaluatePricesRequestObject) (gen.EvaluatePricesResponseObject, error) {
	asked, err := wire.ReadPriceEvaluations(req.Body.EvaluationTimeframe, req.Body.PricesToEvaluate)
	if err != nil {
		return nil, err
	}
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePrices200JSONResponse(wire.EvaluatedPrices(asked, evaluated)), nil
}

// EvaluatePreviewEvents serves POST /v1/prices/evaluate_preview_events.
func (s *Server) EvaluatePreviewEvents(ctx context.Context, req gen.EvaluatePreviewEventsRequestObject) (gen.EvaluatePreviewEventsResponseObject, error) {
	asked, err := wire.ReadPriceEvaluations(req.Body.EvaluationTimeframe, req.Body.PricesToEvaluate)
	if err != nil {
		return nil, err
	}
	asked.Events = wire.MapSlice(req.Body.Events, wire.ReadPreviewEvent)
	evaluated, err := s.evaluate(ctx, asked)
	if err != nil {
		return nil, err
	}
	return gen.EvaluatePreviewEvents200JSONResponse(wire.EvaluatedPrices(asked, evaluated)), nil
}

// evaluate reads only, so nothing is remembered of it (semantics 14.3.5).
func (s *Server) evaluate(ctx context.Context, asked charge.Evaluation) (evaluated []charge.Evaluated, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		evaluated, err = charge.Evaluate(tx, asked)
		return err
	})
	return evaluated, err
}

// CalculatePrice serves GET /v1/prices/{price_id}/calculation.
func (s *Server) CalculatePrice(ctx context.Context, req gen.CalculatePriceRequestObject) (gen.CalculatePriceResponseObject, error) {
	quantity, err := wire.ReadAmount("quantity", req.Params.Quantity)
	if err != nil {
		return nil, err
	}
	var calculated charge.Rated
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		calculated, err = charge.RateQuantity(tx, req.PriceID, quantity)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.CalculatePrice200JSONResponse(wire.PriceCalculation(calculated)), nil
}
