package server

import (
	"context"
	"time"

	"tollkeeper/domain/event"
)

// roomEvery is how often the tables of events are looked after. A part of keys grows by a
// hundred megabytes in that time at most.
const roomEvery = 20 * time.Second

// KeepRoom looks after the tables of events until ctx ends: it makes what the events to
// come need, has the recorder learn which keys are certainly new, in filters of so many
// bytes in all, and drops months that ended more than keepMonths months ago, unless that
// is zero. Several servers may run it at once. It goes by real time.
func (s *Server) KeepRoom(ctx context.Context, filterBytes int64, keepMonths int) {
	ticker := time.NewTicker(roomEvery)
	defer ticker.Stop()
	for {
		s.background(ctx, unit{work: "make room for events"}, func() error { return event.EnsurePartitions(ctx, s.store) })
		learned := false
		s.background(ctx, unit{work: "filter the keys of events"}, func() (err error) {
			learned, err = s.recorder.Learn(ctx, filterBytes)
			return err
		})
		if keepMonths > 0 {
			s.background(ctx, unit{work: "drop old events"}, func() error { return s.dropMonths(ctx, keepMonths) })
		}
		if learned {
			continue // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Server) dropMonths(ctx context.Context, keep int) error {
	for {
		month, found, err := event.DropMonth(ctx, s.store, keep)
		if err != nil || !found {
			return err
		}
		s.log.Info("old events are dropped", "month", month.Format("2006-01"))
	}
}
