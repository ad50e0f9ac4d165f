package server

import (
	"tollkeeper/domain/license"
	"tollkeeper/store"
)

// announcedReset tells what licenses are granted anew.
func announcedReset(_ *store.Tx, _ string, r license.Reset) (any, error) {
	return map[string]any{
		"timeframe_start": instantToWire(r.Period.Start),
		"timeframe_end":   instantToWire(r.Period.End),
		"reset_allocations": toWire(r.Grants, func(g license.Grant) any {
			return map[string]any{"license_type_id": g.TypeID, "pricing_unit_id": string(g.Unit), "allocation_amount": g.Amount.String()}
		}),
	}, nil
}
