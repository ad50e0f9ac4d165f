package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tollkeeper/domain/fault"
)

// Waits after a panic in background work: twice as long each time.
const (
	shortestRetry = 2 * time.Second
	longestRetry  = 5 * time.Minute
)

// unit is a piece of background work that fails for itself: one kind of work for one
// account or endpoint, "" for what belongs to none.
type unit struct{ work, of string }

func (u unit) String() string {
	if u.of == "" {
		return u.work
	}
	return u.work + " of " + u.of
}

// retries remembers which units panicked, and until when they are left alone.
type retries struct {
	mu     sync.Mutex
	panics map[unit]retry
}

type retry struct {
	wait  time.Duration // before the next one
	after time.Time     // real time
}

func newRetries() *retries { return &retries{panics: map[unit]retry{}} }

// waits reports whether the unit is left alone at that time.
func (r *retries) waits(u unit, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.panics[u].after)
}

// panicked puts the unit off, and reports whether it is the first panic since the unit
// last ended without one.
func (r *retries) panicked(u unit, now time.Time) (wait time.Duration, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.panics[u]
	wait = shortestRetry
	if known {
		wait = min(2*before.wait, longestRetry)
	}
	r.panics[u] = retry{wait, now.Add(wait)}
	return wait, !known
}

func (r *retries) ended(u unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.panics, u)
}

// background runs a unit of background work. Its error is logged. Its panic ends this unit
// alone: it is counted, logged (with the stack the first time), and the unit is left alone
// for a while, longer each time. background reports whether the unit ended without either.
func (s *Server) background(ctx context.Context, u unit, do func() error) bool {
	if s.retries.waits(u, time.Now()) {
		return false
	}
	err := fault.Recovered(do)
	var panicked *fault.Panic
	if !errors.As(err, &panicked) {
		s.retries.ended(u)
		if err != nil {
			s.complain(ctx, u.String(), err)
		}
		return err == nil
	}
	wait, first := s.retries.panicked(u, time.Now())
	s.reportPanic(ctx, u, err, first, slog.Duration("retry_after", wait))
	return false
}

// reportPanic counts a panic and logs it. An error that is none is ignored.
func (s *Server) reportPanic(ctx context.Context, u unit, err error, withStack bool, attrs ...slog.Attr) {
	var panicked *fault.Panic
	if !errors.As(err, &panicked) {
		return
	}
	s.metrics.panics.WithLabelValues(u.work).Inc()
	attrs = append(attrs, slog.Any("error", err))
	if withStack {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	s.log.LogAttrs(ctx, slog.LevelError, u.String(), attrs...)
}
