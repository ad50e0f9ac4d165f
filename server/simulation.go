package server

import (
	"context"
	"errors"

	"tollkeeper/domain/charge"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// SimulatePlan serves POST /v1/plans/{plan_id}/simulate. Changes of the plan are tried in a transaction that is
// rolled back, so nothing is remembered of it (semantics 14.3.5).
func (s *Server) SimulatePlan(ctx context.Context, req gen.SimulatePlanRequestObject) (gen.SimulatePlanResponseObject, error) {
	asked, err := wire.ReadSimulation(req.PlanID, *req.Body)
	if err != nil {
		return nil, err
	}
	var shown gen.PlanSimulation
	simulate := func(tx *store.Tx) error {
		all, next, err := charge.Simulate(tx, asked, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		shown, err = wire.LoadSimulation(tx, all, next)
		return err
	}
	if asked.Difference == nil {
		err = s.store.View(ctx, simulate)
	} else {
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			if err := simulate(tx); err != nil {
				return err
			}
			return errTakenBack
		})
	}
	if err != nil && !errors.Is(err, errTakenBack) {
		return nil, err
	}
	return gen.SimulatePlan200JSONResponse(shown), nil
}
