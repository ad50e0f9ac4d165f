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
	evaluators      = 4                      // accounts at once
	evaluationPause = 100 * time.Millisecond // between two evaluations of one account
	polledAccounts  = 20                     // marked each second, also without a change on this server
)

// EvaluateAlerts evaluates alerts soon after each request that may have changed something,
// until ctx ends. It begins with all accounts: the database knows what is to be evaluated,
// also when the server that made the change has ended. Several servers may run it at once.
func (w *Worker) EvaluateAlerts(ctx context.Context) {
	ctx = w.reading(ctx)
	var at sync.WaitGroup
	for range evaluators {
		at.Go(func() {
			for id, ok := w.dirty.next(ctx); ok; id, ok = w.dirty.next(ctx) {
				w.doNow(store.WithAccount(ctx, id), alertJobs)
				time.AfterFunc(evaluationPause, func() { w.dirty.release(id) })
			}
		})
	}
	w.markAll(ctx)
	at.Wait()
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

// dirtyAccounts are accounts whose alerts are to be evaluated. No account is evaluated twice
// at one time.
type dirtyAccounts struct {
	mu      sync.Mutex
	waiting map[string]bool
	busy    map[string]bool // being evaluated, or in the pause after that
	wake    chan struct{}
}

func newDirtyAccounts() *dirtyAccounts {
	return &dirtyAccounts{waiting: map[string]bool{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (d *dirtyAccounts) add(account string) {
	if account == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[account] = true
	d.notify()
}

// notify wakes one goroutine that waits in next, or the next one to call it.
func (d *dirtyAccounts) notify() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// next waits for an account and takes it. It returns false when ctx has ended.
func (d *dirtyAccounts) next(ctx context.Context) (account string, ok bool) {
	for {
		if account, ok := d.take(); ok {
			return account, true
		}
		select {
		case <-ctx.Done():
			return "", false
		case <-d.wake:
		}
	}
}

func (d *dirtyAccounts) take() (account string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.waiting {
		if d.busy[id] {
			continue
		}
		delete(d.waiting, id)
		d.busy[id] = true
		if len(d.waiting) > 0 {
			d.notify()
		}
		return id, true
	}
	return "", false
}

// release lets an account be taken again.
func (d *dirtyAccounts) release(account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.busy, account)
	if d.waiting[account] {
		d.notify()
	}
}
