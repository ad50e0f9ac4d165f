package wire

import (
	"time"

	"tollkeeper/domain/backfill"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadBackfill reads a new backfill. Its instants are in UTC where they have no offset; it replaces
// existing events unless the body says false.
func ReadBackfill(in gen.BackfillCreate) (backfill.NewBackfill, error) {
	wanted := backfill.NewBackfill{
		CustomerID:         in.CustomerID,
		ExternalCustomerID: in.ExternalCustomerID,
		Replaces:           in.ReplaceExistingEvents == nil || *in.ReplaceExistingEvents,
		DeprecationFilter:  in.DeprecationFilter,
	}
	var startErr, endErr, closeErr error
	wanted.TimeframeStart, startErr = ReadDateTime("timeframe_start", in.TimeframeStart)
	wanted.TimeframeEnd, endErr = ReadDateTime("timeframe_end", in.TimeframeEnd)
	if in.CloseTime != nil {
		wanted.CloseTime = new(time.Time)
		*wanted.CloseTime, closeErr = ReadDateTime("close_time", *in.CloseTime)
	}
	return wanted, fault.Join(startErr, endErr, closeErr)
}

// Backfill returns a backfill. Only a reverted one has reverted_at.
func Backfill(b backfill.Backfill) gen.Backfill {
	shown := gen.Backfill{
		ID:                    b.ID,
		CreatedAt:             Instant(b.CreatedAt),
		TimeframeStart:        Instant(b.TimeframeStart),
		TimeframeEnd:          Instant(b.TimeframeEnd),
		CustomerID:            b.CustomerID,
		ReplaceExistingEvents: b.Replaces,
		DeprecationFilter:     b.DeprecationFilter,
		CloseTime:             OptionalInstant(&b.CloseTime),
		Status:                gen.BackfillStatus(b.Status),
		EventsIngested:        b.EventsIngested,
	}
	if b.Status == backfill.StatusReverted {
		shown.RevertedAt = OptionalInstant(b.RevertedAt)
	}
	return shown
}
