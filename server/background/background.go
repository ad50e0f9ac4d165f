// Package background runs work that no request waits for, in units that fail independently.
//
// A unit is one kind of work for one account or webhook endpoint. Its error is logged. Its
// panic ends this unit alone: the panic is counted and logged, and the unit is left alone
// for a while, longer each time. Other accounts are not affected.
package background

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tollkeeper/store/fault"
)

// Pauses after a panic: twice as long each time.
const (
	shortestPause = 2 * time.Second
	longestPause  = 5 * time.Minute
)

// Unit is one kind of work for one account or endpoint; Of is "" where it belongs to none.
type Unit struct{ Work, Of string }

func (u Unit) String() string {
	if u.Of == "" {
		return u.Work
	}
	return u.Work + " of " + u.Of
}

// Runner runs units and remembers which of them panicked. Its methods may be called by
// several goroutines at once.
type Runner struct {
	log        *slog.Logger
	countPanic func(work string)

	mu     sync.Mutex
	panics map[Unit]pause
}

type pause struct {
	length time.Duration
	end    time.Time // real time
}

// NewRunner returns a runner that writes to log and calls countPanic for each panic, with
// the kind of work.
func NewRunner(log *slog.Logger, countPanic func(work string)) *Runner {
	return &Runner{log: log, countPanic: countPanic, panics: map[Unit]pause{}}
}

// Run runs a unit, unless the unit panicked a short time ago. It reports whether the unit
// ran without an error or a panic.
func (r *Runner) Run(ctx context.Context, u Unit, do func() error) bool {
	if r.isPaused(u, time.Now()) {
		return false
	}
	err := fault.Recovered(do)
	var panicked *fault.Panic
	if !errors.As(err, &panicked) {
		r.resume(u)
		if err != nil {
			r.LogError(ctx, u.String(), err)
		}
		return err == nil
	}
	wait, first := r.pauseAfterPanic(u, time.Now())
	r.ReportPanic(ctx, u, err, first, slog.Duration("retry_after", wait))
	return false
}

// LogError logs an error of background work. Errors after the end of ctx are not logged:
// the process is ending.
func (r *Runner) LogError(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		r.log.Error(what, "error", err)
	}
}

// ReportPanic counts a panic and logs it. An error that is no panic is ignored.
func (r *Runner) ReportPanic(ctx context.Context, u Unit, err error, withStack bool, attrs ...slog.Attr) {
	var panicked *fault.Panic
	if !errors.As(err, &panicked) {
		return
	}
	r.countPanic(u.Work)
	attrs = append(attrs, slog.Any("error", err))
	if withStack {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	r.log.LogAttrs(ctx, slog.LevelError, u.String(), attrs...)
}

// isPaused reports whether the unit is left alone at that time.
func (r *Runner) isPaused(u Unit, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.panics[u].end)
}

// pauseAfterPanic leaves the unit alone, and reports whether the panic is the first since
// the unit last ended without one.
func (r *Runner) pauseAfterPanic(u Unit, now time.Time) (length time.Duration, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, known := r.panics[u]
	length = shortestPause
	if known {
		length = min(2*last.length, longestPause)
	}
	r.panics[u] = pause{length, now.Add(length)}
	return length, !known
}

func (r *Runner) resume(u Unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.panics, u)
}
