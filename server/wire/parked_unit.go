package wire

import (
	"tollkeeper/domain/due"
	"tollkeeper/gen"
)

// ParkedUnits are units of due work that failed. Their errors are for the log and the command line: they may
// say what clients are not told.
func ParkedUnits(parked []due.Parked) []gen.ParkedUnit {
	units := make([]gen.ParkedUnit, len(parked))
	for k, p := range parked {
		units[k] = gen.ParkedUnit{
			ID: p.ID, Kind: p.Kind, CustomerID: p.CustomerID, SubscriptionID: p.SubscriptionID,
			DueAt: Instant(p.DueAt), Attempts: p.Attempts,
			FirstFailedAt: Instant(p.FirstFailedAt), LastFailedAt: Instant(p.LastFailedAt), NextTryAt: Instant(p.NextTryAt),
		}
	}
	return units
}
