package worker

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// usageLag is how far the buckets of accounts are behind their events, as this process saw it last.
type usageLag struct {
	mu    sync.Mutex
	since map[string]time.Time // by account that is watched; the zero time: not known yet, or not behind
}

func newUsageLag() *usageLag { return &usageLag{since: map[string]time.Time{}} }

// watch has an account looked at, after its next aggregation.
func (l *usageLag) watch(account string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, watched := l.since[account]; !watched {
		l.since[account] = time.Time{}
	}
}

// watched returns the accounts that are to be looked at.
func (l *usageLag) watched() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.since))
}

func (l *usageLag) watches(account string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, watched := l.since[account]
	return watched
}

// saw notes since when an account has been behind. One that is not is watched no longer.
func (l *usageLag) saw(account string, since time.Time, behind bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if behind {
		l.since[account] = since
	} else {
		delete(l.since, account)
	}
}

// UsageLag returns how long ago the first event was stored that is in no bucket yet, of accounts on real
// time. It is 0 where all are.
func (w *Worker) UsageLag(now time.Time) (lag time.Duration) {
	w.lag.mu.Lock()
	defer w.lag.mu.Unlock()
	for _, since := range w.lag.since {
		if !since.IsZero() {
			lag = max(lag, now.Sub(since))
		}
	}
	return lag
}

// lookBehind notes how far the account's buckets are behind.
func (w *Worker) lookBehind(ctx context.Context) error {
	return w.Store.View(ctx, func(tx *store.Tx) error {
		settings, err := account.Of(tx)
		if err != nil {
			return err
		}
		since, behind, err := usage.Behind(tx)
		if err == nil {
			w.lag.saw(tx.AccountID, since, behind && settings.ClockNow == nil)
		}
		return err
	})
}
