package webhooks

import (
	"tollkeeper/domain/license"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// payloadLicenseReset returns the properties of a grant to licenses that was renewed.
func payloadLicenseReset(_ *store.Tx, _ string, r license.Reset) (any, error) {
	return map[string]any{
		"timeframe_start": wire.Instant(r.Period.Start),
		"timeframe_end":   wire.Instant(r.Period.End),
		"reset_allocations": wire.MapSlice(r.Grants, func(g license.Grant) any {
			return map[string]any{"license_type_id": g.TypeID, "pricing_unit_id": string(g.Unit), "allocation_amount": g.Amount.String()}
		}),
	}, nil
}
