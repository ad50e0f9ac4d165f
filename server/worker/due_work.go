package worker

import (
	"context"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Run does the due work of all accounts on real time until ctx ends. Several servers may run
// it at once. A unit that fails is parked, and tried again also where the clock is stopped. Run
// begins with the immediate jobs that a server left undone when it ended.
func (w *Worker) Run(ctx context.Context) error {
	ctx = w.reading(ctx)
	w.doAllImmediate(ctx)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		accounts, err := account.OnRealTime(ctx, w.Store)
		if err != nil {
			w.Runner.LogError(ctx, "list accounts", err)
			continue
		}
		for _, id := range accounts {
			w.doDue(ctx, id)
		}
		w.retryStopped(ctx)
	}
}

// doDue does the work of an account that is due by its clock.
func (w *Worker) doDue(ctx context.Context, id string) {
	w.Runner.Run(ctx, background.Unit{Work: "due work", Of: id}, func() error { return w.catchUp(store.WithAccount(ctx, id), pass{of: jobs, shown: true}) })
}

// retryStopped tries the parked units again whose time has come, of accounts whose clock is stopped.
func (w *Worker) retryStopped(ctx context.Context) {
	counts, err := due.CountAll(ctx, w.Store)
	if err != nil {
		w.Runner.LogError(ctx, "count parked units", err)
		return
	}
	w.due.counted(counts)
	if len(counts) == 0 {
		return
	}
	stopped, err := account.OnStoppedClock(ctx, w.Store)
	if err != nil {
		w.Runner.LogError(ctx, "list accounts", err)
		return
	}
	waits := map[string]bool{}
	for _, c := range counts {
		waits[c.AccountID] = waits[c.AccountID] || !c.NextTryAt.After(time.Now()) //nolint:forbidigo // real time
	}
	for _, id := range stopped {
		if waits[id] {
			w.doDue(ctx, id)
		}
	}
}

// DoImmediate does the immediate jobs of the context's account.
func (w *Worker) DoImmediate(ctx context.Context) { w.doNow(ctx, immediateJobs) }

// doNow does the work of some jobs that is due now in the context's account. Work that fails
// is parked.
func (w *Worker) doNow(ctx context.Context, some []job) {
	w.Runner.Run(ctx, background.Unit{Work: some[0].name, Of: store.AccountID(ctx)}, func() error {
		var now time.Time
		err := w.Store.View(ctx, func(tx *store.Tx) error {
			now = tx.Now
			return nil
		})
		if err != nil {
			return err
		}
		return w.catchUp(ctx, pass{of: some, until: now}) // waits for units that other transactions have
	})
}

// doAllImmediate does the immediate jobs of the accounts whose clock is stopped.
func (w *Worker) doAllImmediate(ctx context.Context) {
	accounts, err := account.OnStoppedClock(ctx, w.Store)
	if err != nil {
		w.Runner.LogError(ctx, "list accounts", err)
	}
	for _, id := range accounts {
		w.DoImmediate(store.WithAccount(ctx, id))
	}
}

// Advance does all work that falls due in the context's account up to and including an
// instant, and moves the account's test clock there. It begins with parked units, whether or not
// their next try has come. Work that another request causes meanwhile, while the clock is still
// before that instant, is done afterwards.
func (w *Worker) Advance(ctx context.Context, to time.Time) error {
	if err := w.Store.Update(ctx, due.RetryAll); err != nil {
		return err
	}
	if err := w.catchUp(ctx, pass{of: jobs, until: to, requested: true}); err != nil {
		return err
	}
	if err := w.Store.UpdateAt(ctx, to, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	return w.catchUp(ctx, pass{of: jobs, until: to, requested: true})
}
