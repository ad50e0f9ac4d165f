package server

import (
	"context"
	"time"

	"tollkeeper/domain/event"
)

// roomEvery is how often the tables of events are looked after. A part of keys grows by
// a few hundred megabytes in that time at most.
const roomEvery = time.Minute

// KeepRoom looks after the tables of events until ctx ends: it makes what the events to
// come need, and drops months that ended more than keepMonths months ago, unless that is
// zero. Several servers may run it at once. It goes by real time.
func (s *Server) KeepRoom(ctx context.Context, keepMonths int) {
	ticker := time.NewTicker(roomEvery)
	defer ticker.Stop()
	for {
		if err := event.MakeRoom(ctx, s.store); err != nil {
			s.complain(ctx, "make room for events", err)
		}
		if keepMonths > 0 {
			s.dropMonths(ctx, keepMonths)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Server) dropMonths(ctx context.Context, keep int) {
	for {
		month, found, err := event.DropMonth(ctx, s.store, keep)
		if err != nil {
			s.complain(ctx, "drop old events", err)
		}
		if err != nil || !found {
			return
		}
		s.log.Info("old events are dropped", "month", month.Format("2006-01"))
	}
}
