// Package requestwriter keeps the requests that programs sent lately, for the log of requests of their
// account. It works beside them, so no request waits for it.
package requestwriter

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/requestlog"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Requests wait in memory until they are stored, in batches. A request waits for nothing: where there
// is no room, it is left out of the log, and counted.
const (
	mostWaiting   = 4096
	mostStored    = 200 // requests of an account in one pass; more are not read by people
	storeEvery    = time.Second
	forgetEvery   = 10 * time.Minute
	lastPassTakes = 2 * time.Second
)

// Log stores the requests that came with a key, beside them.
type Log struct {
	store   *store.Store
	runner  *background.Runner
	waiting chan requestlog.Request
	lost    func()
}

// New returns a log. It stores nothing until Run is called; lost is called for each request that is
// left out.
func New(st *store.Store, runner *background.Runner, lost func()) *Log {
	return &Log{store: st, runner: runner, waiting: make(chan requestlog.Request, mostWaiting), lost: lost}
}

// Add notes a request that was answered.
func (l *Log) Add(r requestlog.Request) {
	select {
	case l.waiting <- r:
	default:
		l.lost()
	}
}

// Run stores what waits until ctx ends, and forgets what is old.
func (l *Log) Run(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	ticker := time.NewTicker(storeEvery)
	defer ticker.Stop()
	var forgotten time.Time
	for {
		if now := time.Now(); now.Sub(forgotten) > forgetEvery { //nolint:forbidigo // real time
			forgotten = now
			l.runner.Run(ctx, background.Unit{Work: "forget old requests"}, func() error { return l.Forget(ctx, now) })
		}
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPassTakes)
			defer cancel()
			l.runner.Run(last, background.Unit{Work: "store requests"}, func() error { return l.Pass(last) })
			return
		case <-ticker.C:
		}
		l.runner.Run(ctx, background.Unit{Work: "store requests"}, func() error { return l.Pass(ctx) })
	}
}

// Pass stores what waits now, a transaction for each account. What cannot be stored is lost.
func (l *Log) Pass(ctx context.Context) (err error) {
	batch := map[string][]requestlog.Request{}
	for range len(l.waiting) {
		r := <-l.waiting
		if len(batch[r.AccountID]) == mostStored {
			l.lost()
			continue
		}
		batch[r.AccountID] = append(batch[r.AccountID], r)
	}
	for account, requests := range batch {
		failed := l.store.Update(store.WithAccount(ctx, account), func(tx *store.Tx) error { return requestlog.Add(tx, requests) })
		if failed != nil {
			err = failed // one account's failure loses no other's
			for range requests {
				l.lost()
			}
		}
	}
	return err
}

// Forget deletes what is too old or too much by now.
func (l *Log) Forget(ctx context.Context, now time.Time) error {
	for more := true; more && ctx.Err() == nil; {
		err := l.store.Shared(ctx, func(db *gorm.DB) (err error) {
			more, err = requestlog.Forget(db, now)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
