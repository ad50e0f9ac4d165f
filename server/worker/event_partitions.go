package worker

import (
	"context"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// maintainEvery is how often the partitions of events are maintained. A partition of keys
// grows by a hundred megabytes in that time at most.
const maintainEvery = 20 * time.Second

// MaintainPartitions maintains the partitions of events until ctx ends, by real time. It
// creates those that coming events need. It has the recorder load filters of known keys, of
// at most filterBytes bytes in all. It drops months that ended more than keepMonths months
// ago, unless keepMonths is zero. Several servers may run it at once.
func (w *Worker) MaintainPartitions(ctx context.Context, filterBytes int64, keepMonths int) {
	ctx = store.For(ctx, store.Background)
	ticker := time.NewTicker(maintainEvery)
	defer ticker.Stop()
	for {
		w.Runner.Run(ctx, background.Unit{Work: "settle how events are numbered"}, func() error { return w.settleNumbers(ctx) })
		w.Runner.Run(ctx, background.Unit{Work: "make room for events"}, func() error { return event.EnsurePartitions(ctx, w.Store) })
		learned := false
		w.Runner.Run(ctx, background.Unit{Work: "filter the keys of events"}, func() (err error) {
			learned, err = w.Recorder.Learn(ctx, filterBytes)
			return err
		})
		if keepMonths > 0 {
			w.Runner.Run(ctx, background.Unit{Work: "drop old events"}, func() error { return w.dropMonths(ctx, keepMonths) })
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

// settleNumbers has events of a database that was restored from a dump numbered above those in it.
func (w *Worker) settleNumbers(ctx context.Context) error {
	restored, err := event.Settle(ctx, w.Store)
	if restored {
		w.Log.Warn("the database was restored from a dump; events to come are numbered above those in it")
	}
	return err
}

func (w *Worker) dropMonths(ctx context.Context, keep int) error {
	for {
		month, found, err := event.DropMonth(ctx, w.Store, keep)
		if err != nil || !found {
			return err
		}
		w.Log.Info("old events are dropped", "month", month.Format("2006-01"))
	}
}
