package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/backfill"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/event"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/license"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// job is a kind of due work. Nothing queues it: next returns the earliest instant, at or
// before by, at which a unit of it is due, and do does one unit that is due at tx.Now. do
// reports false when no unit is left, or other servers have locked all of them.
type job struct {
	name string
	next func(tx *store.Tx, by time.Time) (at time.Time, found bool, err error)
	do   func(tx *store.Tx) (more bool, err error)
}

// immediateJobs are due at the request that causes them. They are done at once, also where
// the clock is stopped.
var immediateJobs = []job{
	{"close backfills", backfill.NextClosing, backfill.CloseNext},
	{"revert backfills", backfill.NextRevert, backfill.RevertNext},
}

// thresholdJobs are due when usage reaches the invoicing threshold of a subscription.
var thresholdJobs = []job{
	{"notice usage", billing.NextThresholdScan, billing.ScanThresholdsNext},
	{"invoice partially", billing.NextThresholdInvoice, billing.ThresholdInvoiceNext},
}

// jobs in the order in which units due at one instant are done.
var jobs = slices.Concat(immediateJobs, []job{
	{"settle credits", billing.NextDeduction, billing.DeductNext},
	{"expire pending changes", subscription.NextExpiry, subscription.ExpireNext},
	{"change subscriptions", billing.NextChange, billing.ChangeNext},
	{"migrate subscriptions", billing.NextMigration, billing.MigrateNext},
	{"notify of unmatched events", event.NextUnmatched, event.TellUnmatchedNext},
	{"notify of subscriptions", subscription.NextNotice, subscription.NotifyNext},
	{"notify of invoice dates", billing.NextDateNotice, billing.NotifyDateNext},
	{"grant allocations", allocation.NextDue, billing.GrantNext},
	{"reset licenses", license.NextReset, license.ResetNext},
	{"top up credits", billing.NextTopUp, billing.TopUpNext},
	{"open invoices", billing.NextOpening, billing.OpenNext},
}, thresholdJobs, []job{
	{"issue invoices", billing.NextIssue, billing.IssueNext},
	{"collect payments", invoice.NextCollection, invoice.CollectNext},
}, alertJobs)

// alertJobs evaluate alerts on what changed. They are done soon after a request, also where
// the clock is stopped.
var alertJobs = []job{
	{"look at subscriptions", alerting.NextEvaluation, alerting.EvaluateNext},
}

// parallelJobs are those of which several units run at once. Each unit keeps other units of
// its customer from starting, so these run in order.
var parallelJobs = []string{"open invoices", "issue invoices"}

// Run does the due work of all accounts on real time until ctx ends. Several servers may run
// it at once. Work that fails is logged and tried again. Run begins with the immediate jobs
// that a server left undone when it ended.
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
			w.Runner.Run(ctx, background.Unit{Work: "due work", Of: id}, func() error { return w.catchUp(store.WithAccount(ctx, id), jobs, time.Time{}) })
		}
	}
}

// DoImmediate does the immediate jobs of the context's account.
func (w *Worker) DoImmediate(ctx context.Context) { w.doNow(ctx, immediateJobs) }

// doNow does the work of some jobs that is due now in the context's account. Work that fails
// is logged, and done when the account's clock is next looked at.
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
		return w.catchUp(ctx, some, now) // waits for units that other transactions have
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
// instant, and moves the account's test clock there. Work that another request causes
// meanwhile, while the clock is still before that instant, is done afterwards.
func (w *Worker) Advance(ctx context.Context, to time.Time) error {
	if err := w.catchUp(ctx, jobs, to); err != nil {
		return err
	}
	if err := w.Store.UpdateAt(ctx, to, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	return w.catchUp(ctx, jobs, to)
}

// catchUp does the work of some jobs that fell due in the context's account up to and
// including until, or now where until is zero. The earliest unit comes first. Each unit has
// a transaction of its own at its own instant, so the result does not depend on when
// catchUp runs or how often.
func (w *Worker) catchUp(ctx context.Context, of []job, until time.Time) error {
	for ctx.Err() == nil {
		due, at, err := w.earliest(ctx, of, until)
		if err != nil || due == nil {
			return err
		}
		switch err := w.work(ctx, due, at); {
		case err == nil:
		case !errors.Is(err, errTakenElsewhere):
			return fmt.Errorf("%s due at %s: %w", due.name, at.Format(time.RFC3339), err)
		case until.IsZero():
			return nil // Run comes back
		default:
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// work does one unit of a job that is due at an instant, or all of them if the job is a
// parallel one. It fails with errTakenElsewhere if no unit was left.
func (w *Worker) work(ctx context.Context, due *job, at time.Time) error {
	if !slices.Contains(parallelJobs, due.name) {
		return w.doUnit(ctx, due, at)
	}
	var all sync.WaitGroup
	var some atomic.Bool
	failed := make([]error, w.Workers)
	for k := range failed {
		all.Go(func() {
			for failed[k] == nil {
				if failed[k] = w.doUnit(ctx, due, at); failed[k] == nil {
					some.Store(true)
				}
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if !errors.Is(err, errTakenElsewhere) {
			return err
		}
	}
	if !some.Load() {
		return errTakenElsewhere
	}
	return nil
}

// doUnit does one unit of a job at its instant, in a transaction of its own. A panic is
// returned as an error: in a goroutine it would end the process.
func (w *Worker) doUnit(ctx context.Context, due *job, at time.Time) error {
	err := fault.Recovered(func() error {
		return w.Store.UpdateAt(ctx, at, func(tx *store.Tx) error {
			more, err := due.do(tx)
			if err == nil && !more {
				err = errTakenElsewhere // the clock must not pass undone work
			}
			return err
		})
	})
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		err = errors.New(f.Detail) // not a refusal of the request that advances the clock (semantics 0.2.5)
	}
	return err
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

// earliest returns the job whose next unit is due first, nil if none is due.
func (w *Worker) earliest(ctx context.Context, of []job, until time.Time) (due *job, at time.Time, err error) {
	err = w.Store.View(ctx, func(tx *store.Tx) error {
		due = nil
		by := until
		if by.IsZero() {
			by = tx.Now
		}
		var failed []error
		for k := range of {
			next, found, err := of[k].next(tx, by)
			failed = append(failed, err)
			if found && (due == nil || next.Before(at)) {
				due, at = &of[k], next
			}
		}
		if !until.IsZero() && at.Before(tx.Now) {
			at = earlier(tx.Now, until) // a request made the unit due after the clock had passed it
		}
		return errors.Join(failed...)
	})
	return due, at, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
