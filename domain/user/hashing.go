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

// BusyFor is how long a client waits after [ErrBusy] before it tries again.
const BusyFor = 5 * time.Second

// Bounds of the passwords that wait for a processor (semantics 14.8.2).
const (
	mostWaiting   = 20
	mostOfOne     = 2 // of one person who is known, so that they do not keep others from signing in
	strangersTurn = 3 // while strangers wait, one of so many places is theirs
	strangersRoom = 5 // so many strangers are not sent away for who is known
)

// hashes is where all passwords of the process are hashed. A hash takes a processor for some hundredths of a second,
// and 19 MiB: half of the processors, at least one, leave the others to requests that need no password.
var hashes = newQueue(max(1, runtime.GOMAXPROCS(0)/2), mostWaiting)

// queue shares a few places. Of those who wait, the known go first but for the places of strangers, each group in the
// order in which they came.
type queue struct {
	mu        sync.Mutex
	free      int // places
	most      int // who may wait
	passed    int // places that went to the known, one after the other, while strangers waited
	known     []*waiter
	strangers []*waiter
}

// waiter waits for a place. It receives one answer: nil is a place, ErrBusy a refusal.
type waiter struct {
	answer chan error
	who    string // as who they are known; "": a stranger
}

func newQueue(places, most int) *queue { return &queue{free: places, most: most} }

// enter waits for a place until ctx ends. The text who names somebody who is known; "" is a stranger. Where too many wait,
// it is ErrBusy at once. One who is known takes the room of the stranger who came last then, if there are many.
func (q *queue) enter(ctx context.Context, who string) error {
	w := q.join(who)
	select {
	case err := <-w.answer:
		return err
	case <-ctx.Done():
		if !q.leave(w) && <-w.answer == nil { // the place came at the same moment
			q.release()
		}
		return ctx.Err()
	}
}

// join adds a waiter, and answers it at once where it need not wait.
func (q *queue) join(who string) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{make(chan error, 1), who}
	switch {
	case q.free > 0:
		q.free--
		w.answer <- nil
	case who != "" && q.waitingAs(who) >= mostOfOne, q.waiting() >= q.most && (who == "" || !q.dismiss()):
		w.answer <- ErrBusy
	case who != "":
		q.known = append(q.known, w)
	default:
		q.strangers = append(q.strangers, w)
	}
	return w
}

// waitingAs is how many wait who are known as the same.
func (q *queue) waitingAs(who string) (n int) {
	for _, w := range q.known {
		if w.who == who {
			n++
		}
	}
	return n
}

// waiting is how many wait.
func (q *queue) waiting() int { return len(q.known) + len(q.strangers) }

// dismiss sends away the stranger who came last, if there are more than have room of their own.
func (q *queue) dismiss() bool {
	last := len(q.strangers) - 1
	if last < min(strangersRoom, q.most) {
		return false
	}
	q.strangers[last].answer <- ErrBusy
	q.strangers = q.strangers[:last]
	return true
}

// leave reports whether one was still waiting, and waits no longer.
func (q *queue) leave(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.waiting()
	is := func(other *waiter) bool { return other == w }
	q.known, q.strangers = slices.DeleteFunc(q.known, is), slices.DeleteFunc(q.strangers, is)
	return q.waiting() < before
}

// release gives a place to the next one.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := &q.known
	if len(q.strangers) > 0 && (len(q.known) == 0 || q.passed >= strangersTurn-1) {
		next = &q.strangers
	}
	switch {
	case len(*next) == 0:
		q.free++
		return
	case next == &q.strangers, len(q.strangers) == 0:
		q.passed = 0
	default:
		q.passed++
	}
	(*next)[0].answer <- nil
	*next = (*next)[1:]
}

// isFull reports whether a stranger would be sent away.
func (q *queue) isFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free == 0 && q.waiting() >= q.most
}
