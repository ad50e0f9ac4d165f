package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/due"
	"tollkeeper/server/background"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// pass is one look through the due work of an account.
type pass struct {
	of    []job
	among []job     // with those of the pass: it does nothing while a unit of another of these comes first; nil: none is asked for
	until time.Time // does what fell due up to and including it; zero: until now, and leaves what other transactions have locked

	requested bool // by a request, which waits for the end
	shown     bool // what is due is shown by the metrics

	end      time.Time     // real time; it begins no unit afterwards; zero: it goes on
	patience time.Duration // with what other transactions have locked; zero: no end
}

// over reports whether a pass begins no more units.
func (p pass) over() bool {
	return !p.end.IsZero() && time.Now().After(p.end) //nolint:forbidigo // real time
}

// catchUp does the work of a pass in the context's account. The earliest unit comes first. Each
// unit has a transaction of its own at its own instant, so the result does not depend on when
// catchUp runs or how often. A unit that fails is parked, and others go on. The pass ends with an
// error only in an outage of the database.
// It reports whether it gave up before its work was done.
func (w *Worker) catchUp(ctx context.Context, p pass) (more bool, err error) {
	var locked time.Time // since when other transactions have all that is due; zero: they have not
	worked := false      // a pass whose time is over before it has found a unit does that one, or the work would never end
	for ctx.Err() == nil {
		next, err := w.next(ctx, p)
		if err == nil && p.shown {
			w.due.saw(store.AccountID(ctx), next.first)
		}
		if err == nil && next.job == nil {
			return false, w.unpark(ctx, p, next)
		}
		if err == nil && worked && p.over() {
			return true, nil
		}
		if err == nil {
			worked = true
			err = w.work(ctx, p, next)
		}
		switch {
		case err == nil:
			locked = time.Time{}
			continue
		case !errors.Is(err, errTakenElsewhere):
			return false, err
		case p.until.IsZero():
			return false, nil // Run comes back
		}
		now := time.Now() //nolint:forbidigo // real time
		if locked.IsZero() {
			locked = now
		}
		if p.patience > 0 && now.Sub(locked) > p.patience {
			return true, nil
		}
		if err := pause(ctx); err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// work does the next unit, or all that are due at its instant if its job is a parallel or a repeated one. It
// fails with errTakenElsewhere if no unit was left.
func (w *Worker) work(ctx context.Context, p pass, next found) error {
	if next.failed != nil {
		return w.park(ctx, p, next, due.Subject{}, next.failed)
	}
	several, parallel := parallelJobs[next.job.name]
	if !parallel {
		return w.doRepeatedly(ctx, p, next)
	}
	do := func() error { return w.doGroup(ctx, p, next, several) }
	if w.alone || slices.ContainsFunc(next.trying, func(u due.Parked) bool { return u.Kind == next.job.name }) {
		do = func() error { return w.doUnit(ctx, p, next) } // one that failed may do so again
	}
	var all sync.WaitGroup
	var some atomic.Bool
	failed := make([]error, min(w.Workers, w.Store.MostAtOnce(store.Background)))
	for k := range failed {
		all.Go(func() {
			for first := true; failed[k] == nil && (first || !p.over()); first = false {
				if failed[k] = do(); failed[k] == nil {
					some.Store(true)
				}
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil && !errors.Is(err, errTakenElsewhere) {
			return err
		}
	}
	if !some.Load() && !p.over() {
		return errTakenElsewhere
	}
	return nil
}

// doRepeatedly does the next unit and, of a repeated job, all that are due at its instant.
func (w *Worker) doRepeatedly(ctx context.Context, p pass, next found) error {
	err := w.doUnit(ctx, p, next)
	if !slices.Contains(repeatedJobs, next.job.name) {
		return err
	}
	for err == nil && !p.over() {
		if err = w.doUnit(ctx, p, next); errors.Is(err, errTakenElsewhere) {
			return nil
		}
	}
	return err
}

// Units of a parallel job are done in groups, each in one transaction. So what they have in common is read once, and
// committed once. A group is small, as others wait for what it has locked.
const (
	groupOf  = 16
	groupFor = 100 * time.Millisecond // real time; it begins no unit afterwards
)

// doGroup does several units of a job in one transaction. If one fails or panics nothing of the group is done, and its
// units are done again, each in a transaction of its own, where the one that fails is parked.
func (w *Worker) doGroup(ctx context.Context, p pass, next found, several func(*store.Tx, int, func() bool) (int, error)) error {
	end := time.Now().Add(groupFor) //nolint:forbidigo // real time
	err := fault.Recovered(func() error {
		return w.Store.UpdateAt(ctx, next.at, func(tx *store.Tx) error {
			if err := due.AsOf(tx, next.looked); err != nil {
				return err
			}
			done, err := several(tx, groupOf, func() bool { return time.Now().After(end) || p.over() }) //nolint:forbidigo // real time
			if err == nil && done == 0 {
				err = errTakenElsewhere
			}
			return err
		})
	})
	if err == nil || errors.Is(err, errTakenElsewhere) {
		return err
	}
	for n := range groupOf {
		if n > 0 && p.over() {
			return nil
		}
		if err := w.doUnit(ctx, p, next); err != nil {
			if n > 0 && errors.Is(err, errTakenElsewhere) {
				return nil
			}
			return err
		}
	}
	return nil
}

// doUnit does one unit of a job at its instant, in a transaction of its own, and parks it if it
// fails or panics.
func (w *Worker) doUnit(ctx context.Context, p pass, next found) error {
	watched, subject := due.Watch(ctx)
	err := fault.Recovered(func() error {
		return w.Store.UpdateAt(watched, next.at, func(tx *store.Tx) error {
			if err := due.AsOf(tx, next.looked); err != nil {
				return err
			}
			due.Concern(tx, due.Subject{}) // not yet known, also where the transaction is run again
			more, err := next.job.do(tx)
			if err == nil && !more {
				err = errTakenElsewhere // the clock must not pass undone work
			}
			return err
		})
	})
	if err == nil || errors.Is(err, errTakenElsewhere) {
		return err
	}
	return w.park(ctx, p, next, *subject, err)
}

// errTakenElsewhere reports that another transaction has all units that are due.
var errTakenElsewhere = errors.New("another transaction has it")

// retryPause is how long a unit that another transaction has locked is left alone.
const retryPause = 10 * time.Millisecond

func pause(ctx context.Context) error {
	timer := time.NewTimer(retryPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// found is the next unit of a pass.
type found struct {
	job    *job      // nil: nothing is due
	at     time.Time // the instant that it is done at
	failed error     // of the search for units of the job

	trying []due.Parked         // units whose next try has come
	held   map[due.Lane]bool    // lanes of which nothing was looked for
	by     time.Time            // the pass does what is due by then
	looked time.Time            // real time, as of which units are held up: see [due.AsOf]
	first  map[string]time.Time // when the first unit of each kind fell due
}

// next finds the unit that the pass does next.
func (w *Worker) next(ctx context.Context, p pass) (found, error) {
	next, err := w.earliest(ctx, p)
	if err != nil || next.job == nil || p.among == nil {
		return next, err
	}
	own := p.of
	p.of, p.until = p.among, time.Time{} // an advance may have moved the clock meanwhile
	next, err = w.earliest(ctx, p)
	if next.job != nil && !slices.ContainsFunc(own, func(j job) bool { return j.name == next.job.name }) {
		return found{}, err
	}
	return next, err
}

// earliest finds the unit that is due first. A search that fails says so, and no other does then: its error
// ends the transaction.
func (w *Worker) earliest(ctx context.Context, p pass) (next found, err error) {
	err = w.Store.View(ctx, func(tx *store.Tx) error {
		parked, err := due.Look(tx)
		if err != nil {
			return err
		}
		next = found{trying: parked.Trying, held: parked.Held, looked: parked.At, first: map[string]time.Time{}}
		by := p.until
		if by.IsZero() {
			by = tx.Now
		}
		next.by = by
		for k := range p.of {
			if parked.Held[p.of[k].lane] {
				continue
			}
			var at time.Time
			var some bool
			err := fault.Recovered(func() (err error) {
				at, some, err = p.of[k].next(tx, by)
				return err
			})
			if err != nil {
				next.job, next.at, next.failed = &p.of[k], tx.Now, err
				return err
			}
			if some {
				next.first[p.of[k].name] = at
			}
			if some && (next.job == nil || at.Before(next.at)) {
				next.job, next.at = &p.of[k], at
			}
		}
		// A request made the unit due after the clock had passed it, unless a parked unit had to wait: that, and
		// what it held up, are done at their own instants, as they would have been.
		if next.job != nil && !p.until.IsZero() && next.at.Before(tx.Now) && len(parked.Trying) == 0 {
			next.at = earlier(tx.Now, p.until)
		}
		return nil
	})
	if next.failed != nil {
		err = nil // it is the unit's
	}
	return next, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// park keeps a unit that failed from being done for a while, with what depends on it. An outage is no failure
// of the unit, and is returned. So is a lock that was not had in time where a request waits, which may be
// repeated.
func (w *Worker) park(ctx context.Context, p pass, unit found, of due.Subject, failed error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	locked := store.LockTimedOut(failed) && !p.requested
	if store.OutageOf(failed) != store.NoOutage && !locked {
		return fmt.Errorf("%s due at %s: %w", unit.job.name, unit.at.Format(time.RFC3339), failed)
	}
	attempts := 0
	err := w.Store.UpdateAt(ctx, unit.at, func(tx *store.Tx) (err error) {
		holds := of
		if unit.job.lane == due.Billing {
			if holds, err = billing.HeldUp(tx, of); err != nil {
				return err
			}
		}
		attempts, err = due.Park(tx, due.Failure{Kind: unit.job.name, Lane: unit.job.lane, Of: holds, DueAt: unit.at, Err: failed})
		return err
	})
	if err != nil {
		return fmt.Errorf("park %s due at %s: %w", unit.job.name, unit.at.Format(time.RFC3339), err)
	}
	if attempts == 0 {
		return pause(ctx) // another server failed at it, too
	}
	w.report(ctx, unit, of, failed, attempts)
	return nil
}

// report counts and logs a unit that was parked.
func (w *Worker) report(ctx context.Context, unit found, of due.Subject, failed error, attempts int) {
	if w.Failed != nil {
		w.Failed(unit.job.name)
	}
	attrs := []slog.Attr{slog.Time("due_at", unit.at), slog.Int("attempts", attempts)}
	if of.CustomerID != nil {
		attrs = append(attrs, slog.String("customer", *of.CustomerID))
	}
	if of.SubscriptionID != nil {
		attrs = append(attrs, slog.String("subscription", *of.SubscriptionID))
	}
	what := background.Unit{Work: unit.job.name, Of: store.AccountID(ctx)}
	if panicked := (*fault.Panic)(nil); errors.As(failed, &panicked) {
		w.Runner.ReportPanic(ctx, what, failed, attempts == 1, attrs...)
		return
	}
	w.Log.LogAttrs(ctx, slog.LevelError, what.String()+" failed and is parked", append(attrs, slog.Any("error", failed))...)
}

// unpark deletes the parked units of the jobs of a pass that are due no more: they succeeded, or a request
// changed what they were about. A unit that is due after the pass stays: an advance parks it before the clock gets there.
// So does one of a lane that another unit holds up as a whole: nothing of the lane was looked for.
func (w *Worker) unpark(ctx context.Context, p pass, next found) error {
	done := slices.DeleteFunc(next.trying, func(u due.Parked) bool {
		return u.DueAt.After(next.by) || !slices.ContainsFunc(p.of, func(j job) bool { return j.name == u.Kind && !next.held[j.lane] })
	})
	if len(done) == 0 {
		return nil
	}
	return w.Store.Update(ctx, func(tx *store.Tx) error { return due.Unpark(tx, done) })
}
