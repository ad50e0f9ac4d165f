package worker

import (
	"context"
	"sync"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// Pace of the evaluation of alerts.
const (
	evaluators      = 8                      // accounts at once
	evaluationPause = 100 * time.Millisecond // between two evaluations of one account
	polledAccounts  = 20                     // marked each second, also without a change on this server
)

// EvaluateAlerts evaluates alerts soon after each request that may have changed something,
// until ctx ends. It begins with all accounts: the database knows what is to be evaluated,
// also when the server that made the change has ended. Several servers may run it at once.
func (w *Worker) EvaluateAlerts(ctx context.Context) {
	ctx = w.reading(ctx)
	var served sync.WaitGroup
	served.Go(func() {
		w.dirty.serve(ctx, evaluators, func(id string) {
			more := w.doNow(store.WithAccount(ctx, id), pass{of: alertJobs, patience: patience})
			time.AfterFunc(evaluationPause, func() { w.dirty.release(id, more) })
		})
	})
	w.markAll(ctx)
	served.Wait()
}

// markAll marks all accounts as changed at once, and then a few each second in turn.
func (w *Worker) markAll(ctx context.Context) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	var others []string
	for turn := -1; ; turn = polledAccounts {
		if len(others) == 0 {
			var err error
			if others, err = account.IDs(ctx, w.Store); err != nil {
				w.Runner.LogError(ctx, "list accounts", err)
			}
		}
		if turn < 0 || turn > len(others) {
			turn = len(others)
		}
		for _, id := range others[:turn] {
			w.dirty.add(id)
		}
		others = others[turn:]
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// MarkDirty notes that a request may have changed something in an account; "" is none.
func (w *Worker) MarkDirty(account string) { w.dirty.add(account) }
