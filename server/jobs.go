package server

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
	"tollkeeper/store"
)

// job is a kind of work that time brings about. Nothing queues it: next tells
// the earliest instant, at or before by, at which a unit of it is due, and do
// does one unit that is due at tx.Now. do reports false when there was none left,
// or other servers are at work on all.
type job struct {
	name string
	next func(tx *store.Tx, by time.Time) (at time.Time, found bool, err error)
	do   func(tx *store.Tx) (more bool, err error)
}

// settling are the jobs that requests bring about: they are done at once, also where
// the clock stands.
var settling = []job{
	{"close backfills", backfill.NextClosing, backfill.CloseNext},
	{"revert backfills", backfill.NextRevert, backfill.RevertNext},
}

// accruing are the jobs that usage brings about by itself.
var accruing = []job{
	{"notice usage", billing.NextThresholdScan, billing.ScanThresholdsNext},
	{"invoice partially", billing.NextThresholdInvoice, billing.ThresholdInvoiceNext},
}

// jobs in the order in which units due at one instant are done.
var jobs = slices.Concat(settling, []job{
	{"settle credits", billing.NextDeduction, billing.DeductNext},
	{"expire pending changes", subscription.NextExpiry, subscription.ExpireNext},
	{"change subscriptions", billing.NextChange, billing.ChangeNext},
	{"migrate subscriptions", billing.NextMove, billing.MoveNext},
	{"tell of unmatched events", event.NextUnmatched, event.TellUnmatchedNext},
	{"tell of subscriptions", subscription.NextNotice, subscription.NotifyNext},
	{"tell of invoice dates", billing.NextDateNotice, billing.NotifyDateNext},
	{"grant allocations", allocation.NextDue, allocation.GrantNext},
	{"reset licenses", license.NextReset, license.ResetNext},
	{"top up credits", billing.NextTopUp, billing.TopUpNext},
	{"open invoices", billing.NextOpening, billing.OpenNext},
}, accruing, []job{
	{"issue invoices", billing.NextIssue, billing.IssueNext},
	{"collect payments", invoice.NextCollection, invoice.CollectNext},
}, watching)

// watching are the jobs that look at what changed, for those who are told of it: soon
// after a request, also where the clock stands.
var watching = []job{
	{"look at subscriptions", alerting.NextEvaluation, alerting.EvaluateNext},
}

// apart are those of which several units are done at once: each keeps others of its
// customer from being begun, so they come in order.
var apart = []string{"open invoices", "issue invoices"}

// tick is how often a real clock is looked at.
const tick = time.Second

// Run does the due work of all accounts whose clock is real until ctx ends.
// Several servers may run at once. Work that fails is logged and tried again. It
// begins with what requests brought about and no server came to do before it ended.
func (s *Server) Run(ctx context.Context) error {
	ctx = s.reading(ctx)
	s.settleAll(ctx)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		accounts, err := account.OnRealTime(ctx, s.store)
		if err != nil {
			s.complain(ctx, "list accounts", err)
			continue
		}
		for _, id := range accounts {
			s.background(ctx, unit{"due work", id}, func() error { return s.catchUp(store.WithAccount(ctx, id), jobs, time.Time{}) })
		}
	}
}

func (s *Server) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.log.Error(what, "error", err)
	}
}

// settle does what requests of the context's account brought about by now.
func (s *Server) settle(ctx context.Context) { s.doNow(ctx, settling) }

// doNow does the work of some jobs in the context's account that requests brought about
// by now. Where it fails, the clock gets to it later.
func (s *Server) doNow(ctx context.Context, some []job) {
	s.background(ctx, unit{some[0].name, store.AccountID(ctx)}, func() error {
		var now time.Time
		err := s.store.View(ctx, func(tx *store.Tx) error {
			now = tx.Now
			return nil
		})
		if err != nil {
			return err
		}
		return s.catchUp(ctx, some, now) // which waits for those that others are at
	})
}

// settleAll is settle for the accounts whose clock stands.
func (s *Server) settleAll(ctx context.Context) {
	accounts, err := account.OnStoppedClock(ctx, s.store)
	if err != nil {
		s.complain(ctx, "list accounts", err)
	}
	for _, id := range accounts {
		s.settle(store.WithAccount(ctx, id))
	}
}

// catchUp does the work of some jobs that fell due in the context's account up to and
// including an instant, the zero time for now: always the earliest first, each unit
// in a transaction of its own at its own instant. So the result does not depend on
// when or how often it runs.
func (s *Server) catchUp(ctx context.Context, of []job, until time.Time) error {
	for ctx.Err() == nil {
		due, at, err := s.earliest(ctx, of, until)
		if err != nil || due == nil {
			return err
		}
		switch err := s.work(ctx, due, at); {
		case err == nil:
		case !errors.Is(err, errElsewhere):
			return fmt.Errorf("%s due at %s: %w", due.name, at.Format(time.RFC3339), err)
		case until.IsZero():
			return nil // real time brings the loop back here
		default:
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// work does what units of a job are due at an instant, or one if they are not apart. It
// fails with errElsewhere if there was none left.
func (s *Server) work(ctx context.Context, due *job, at time.Time) error {
	if !slices.Contains(apart, due.name) {
		return s.doUnit(ctx, due, at)
	}
	var all sync.WaitGroup
	var some atomic.Bool
	failed := make([]error, s.workers)
	for k := range failed {
		all.Go(func() {
			for failed[k] == nil {
				if failed[k] = s.doUnit(ctx, due, at); failed[k] == nil {
					some.Store(true)
				}
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if !errors.Is(err, errElsewhere) {
			return err
		}
	}
	if !some.Load() {
		return errElsewhere
	}
	return nil
}

// doUnit does one unit of a job at its instant, in a transaction of its own. It may run in
// a goroutine of its own, where a panic would end the process: it is returned instead.
func (s *Server) doUnit(ctx context.Context, due *job, at time.Time) error {
	err := fault.Recovered(func() error {
		return s.store.UpdateAt(ctx, at, func(tx *store.Tx) error {
			more, err := due.do(tx)
			if err == nil && !more {
				err = errElsewhere // the clock must not pass what is not done
			}
			return err
		})
	})
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		err = errors.New(f.Detail) // it is no refusal of the request that moves the clock (semantics 0.2.5)
	}
	return err
}

// errElsewhere reports that another transaction has all units that are due.
var errElsewhere = errors.New("another transaction has it")

// patience is how long a unit of work that another transaction has is left alone.
const patience = 10 * time.Millisecond

func pause(ctx context.Context) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// earliest asks some jobs and returns the one due first, nil if none is due.
func (s *Server) earliest(ctx context.Context, of []job, until time.Time) (due *job, at time.Time, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
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
			at = earlier(tx.Now, until) // a request made it due after the clock had passed it
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
