package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/usage"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Pace of the aggregation. Many events at once cost less than few at a time, since each
// bucket is written once for all of them.
const (
	aggregateEvery   = time.Second
	aggregatedOthers = 20 // accounts each time for which this server stored no events
	aggregatedUnits  = 20 // of one account before the next account
	aggregators      = 4  // accounts at once
)

// AggregateUsage writes buckets of usage until ctx ends: soon after the events that this
// server stores, and in turn for all accounts, since other servers store events too. It
// also issues threshold invoices for the usage, also where the clock is stopped. Several
// servers may run it at once. No reader waits for it: usage that is not in buckets is read
// from events.
func (w *Worker) AggregateUsage(ctx context.Context) {
	if w.EventsOnly {
		return
	}
	ctx = store.For(ctx, store.Background)
	var served sync.WaitGroup
	served.Go(func() {
		w.used.serve(ctx, aggregators, func(id string) {
			w.Runner.Run(ctx, background.Unit{Work: "aggregate usage", Of: id}, func() error { return w.aggregate(ctx, id) })
			w.used.release(id, w.doNow(store.WithAccount(ctx, id), pass{of: thresholdJobs, among: billingInOrder, patience: patience}))
		})
	})
	defer served.Wait()
	ticker := time.NewTicker(aggregateEvery)
	defer ticker.Stop()
	var others []string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			others = w.markUsed(ctx, others)
		}
	}
}

// markUsed has the accounts aggregated that this server stored events for or saw behind, and the first of the
// others. It returns the others that are left.
func (w *Worker) markUsed(ctx context.Context, others []string) []string {
	if len(others) == 0 {
		var err error
		if others, err = account.IDs(ctx, w.Store); err != nil {
			w.Runner.LogError(ctx, "list accounts", err)
		}
	}
	some := min(aggregatedOthers, len(others))
	for _, id := range w.Recorder.TakeDirty() {
		w.lag.watch(id)
	}
	for _, id := range slices.Concat(w.lag.watched(), others[:some]) {
		w.used.add(id)
	}
	return others[some:]
}

// aggregate writes an account's buckets while there is something to do, up to a bound, and notes what it
// left. An account that had nothing to do is behind only if this server knows that it may be.
func (w *Worker) aggregate(ctx context.Context, accountID string) (err error) {
	ctx = store.WithAccount(ctx, accountID)
	more, units, ended := true, 0, false
	defer func() { // also when it panics
		if !ended || units > 1 || w.lag.watches(accountID) {
			err = errors.Join(err, w.lookBehind(ctx))
		}
	}()
	for ; more && units < aggregatedUnits; units++ {
		err := w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = usage.Aggregate(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	ended = true
	return nil
}
