package worker

import (
	"context"
	"sync"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Fair shares of due work.
const (
	accountsAtOnce = 8
	turnOf         = 250 * time.Millisecond // of an account, before the next one that waits; the unit that has begun ends, and there is one
	patience       = time.Second            // with units that other transactions have locked, before others have a turn
)

// Run does the due work of all accounts on real time until ctx ends, that of several accounts side by side and
// in turns. Several servers may run it at once. A unit that fails is parked, and tried again also where
// the clock is stopped. Run begins with the immediate jobs that a server left undone when it ended.
func (w *Worker) Run(ctx context.Context) error {
	ctx = w.reading(ctx)
	var served sync.WaitGroup
	served.Go(func() { w.doAllImmediate(ctx) })
	served.Go(func() { w.turns.serve(ctx, w.places, func(id string) { w.turns.release(id, w.turn(ctx, id)) }) })
	defer served.Wait()
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
			w.turns.add(id)
		}
		w.retryStopped(ctx)
	}
}

// turn does the due work of an account for one turn. It reports whether there is more.
func (w *Worker) turn(ctx context.Context, id string) (more bool) {
	more = w.doDue(ctx, id)
	if w.turned != nil {
		w.turned(id, more)
	}
	return more
}

// doDue does the work of an account that is due by its clock, for one turn. It reports whether there is more.
func (w *Worker) doDue(ctx context.Context, id string) (more bool) {
	w.Runner.Run(ctx, background.Unit{Work: "due work", Of: id}, func() (err error) {
		end := time.Now().Add(turnOf) //nolint:forbidigo // real time
		more, err = w.catchUp(store.WithAccount(ctx, id), pass{of: jobs, shown: true, end: end})
		return err
	})
	return more
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
			w.turns.add(id)
		}
	}
}

// DoImmediate does the immediate jobs of the context's account, and waits for those that other transactions
// have.
func (w *Worker) DoImmediate(ctx context.Context) {
	w.doNow(store.For(ctx, store.Background), pass{of: immediateJobs})
}

// doNow does the work of a pass that is due now in the context's account. Work that fails is parked. It
// reports whether it gave up, since other transactions had the rest for longer than the patience of the pass.
func (w *Worker) doNow(ctx context.Context, p pass) (more bool) {
	w.Runner.Run(ctx, background.Unit{Work: p.of[0].name, Of: store.AccountID(ctx)}, func() error {
		err := w.Store.View(ctx, func(tx *store.Tx) error {
			p.until = tx.Now
			return nil
		})
		if err != nil {
			return err
		}
		more, err = w.catchUp(ctx, p)
		return err
	})
	return more
}

// doAllImmediate does the immediate jobs of the accounts whose clock is stopped. What another transaction has
// it leaves to that.
func (w *Worker) doAllImmediate(ctx context.Context) {
	accounts, err := account.OnStoppedClock(ctx, w.Store)
	if err != nil {
		w.Runner.LogError(ctx, "list accounts", err)
	}
	for _, id := range accounts {
		w.Runner.Run(ctx, background.Unit{Work: immediateJobs[0].name, Of: id}, func() error {
			_, err := w.catchUp(store.WithAccount(ctx, id), pass{of: immediateJobs})
			return err
		})
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
	if _, err := w.catchUp(ctx, pass{of: jobs, until: to, requested: true}); err != nil {
		return err
	}
	if err := w.Store.UpdateAt(ctx, to, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	_, err := w.catchUp(ctx, pass{of: jobs, until: to, requested: true})
	return err
}
