package user

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ErrBusy says that so many passwords wait to be hashed that another one is not taken now. What it was for had no
// effect, and may be tried again after [BusyFor].
var ErrBusy = errors.New("too many passwords wait to be hashed")

// BusyFor is how long who was refused with [ErrBusy] waits.
const BusyFor = 5 * time.Second

// mostWaiting bounds how many passwords wait for a processor (semantics 14.8.2).
const mostWaiting = 20

// hashes is where all passwords of the process are hashed. A hash takes a processor for some hundredths of a second,
// and 19 MiB: half of the processors, at least one, leave the others to requests that need no password.
var hashes = newLine(max(1, runtime.GOMAXPROCS(0)/2), mostWaiting)

// line is a queue for a few places. Of those who wait, the known go first, each group in the order in which they came.
type line struct {
	mu        sync.Mutex
	free      int // places
	most      int // who may wait
	known     []*waiter
	strangers []*waiter
}

// waiter is told once: nil gives it the place, ErrBusy sends it away.
type waiter struct{ told chan error }

func newLine(places, most int) *line { return &line{free: places, most: most} }

// enter waits for a place, until ctx ends. Where too many wait, it is ErrBusy at once. One who is known takes the
// room of the stranger who came last then.
func (l *line) enter(ctx context.Context, known bool) error {
	w := l.join(known)
	select {
	case err := <-w.told:
		return err
	case <-ctx.Done():
		if !l.leave(w) && <-w.told == nil { // the place came at the same moment
			l.release()
		}
		return ctx.Err()
	}
}

// join adds one who waits, and tells them at once where nothing is to be waited for.
func (l *line) join(known bool) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &waiter{make(chan error, 1)}
	switch {
	case l.free > 0:
		l.free--
		w.told <- nil
	case l.waiting() >= l.most && (!known || !l.dismiss()):
		w.told <- ErrBusy
	case known:
		l.known = append(l.known, w)
	default:
		l.strangers = append(l.strangers, w)
	}
	return w
}

// waiting is how many wait.
func (l *line) waiting() int { return len(l.known) + len(l.strangers) }

// dismiss sends away the stranger who came last, if there is one.
func (l *line) dismiss() bool {
	last := len(l.strangers) - 1
	if last < 0 {
		return false
	}
	l.strangers[last].told <- ErrBusy
	l.strangers = l.strangers[:last]
	return true
}

// leave reports whether one was still waiting, and waits no longer.
func (l *line) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.waiting()
	is := func(other *waiter) bool { return other == w }
	l.known, l.strangers = slices.DeleteFunc(l.known, is), slices.DeleteFunc(l.strangers, is)
	return l.waiting() < before
}

// release gives a place to the next one.
func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, group := range []*[]*waiter{&l.known, &l.strangers} {
		if len(*group) > 0 {
			(*group)[0].told <- nil
			*group = (*group)[1:]
			return
		}
	}
	l.free++
}

// isFull reports whether a stranger would be sent away.
func (l *line) isFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free == 0 && l.waiting() >= l.most
}
