package worker

import (
	"context"
	"slices"
	"sync"
)

// accountQueue are accounts that wait for a turn, each once. Their turns come in the order in which they began
// to wait, several at a time, so an account with much to do gets no more of them than one with little. No
// account has two turns at one time.
type accountQueue struct {
	mu      sync.Mutex
	order   []string        // that wait
	waiting map[string]bool // the same, to find one among many
	busy    map[string]bool // that have a turn, or the pause after it
	wake    chan struct{}
}

func newAccountQueue() *accountQueue {
	return &accountQueue{waiting: map[string]bool{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (q *accountQueue) add(account string) {
	if account == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.waiting[account] {
		q.waiting[account] = true
		q.order = append(q.order, account)
	}
	q.notify()
}

// notify wakes one goroutine that waits in next, or the next one to call it.
func (q *accountQueue) notify() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// serve gives turns, so many at a time, until ctx ends and the turns that have begun are over. A turn ends with
// release.
func (q *accountQueue) serve(ctx context.Context, places int, turn func(account string)) {
	var at sync.WaitGroup
	for range places {
		at.Go(func() {
			for account, ok := q.next(ctx); ok; account, ok = q.next(ctx) {
				turn(account)
			}
		})
	}
	at.Wait()
}

// next waits for an account and takes it. It returns false when ctx has ended.
func (q *accountQueue) next(ctx context.Context) (account string, ok bool) {
	for ctx.Err() == nil {
		if account, ok := q.take(); ok {
			return account, true
		}
		select {
		case <-ctx.Done():
		case <-q.wake:
		}
	}
	return "", false
}

func (q *accountQueue) take() (account string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := slices.IndexFunc(q.order, func(id string) bool { return !q.busy[id] })
	if k < 0 {
		return "", false
	}
	account = q.order[k]
	copy(q.order[1:], q.order[:k]) // few are before it: those that have a turn
	q.order = q.order[1:]
	delete(q.waiting, account)
	q.busy[account] = true
	if len(q.order) > 0 {
		q.notify()
	}
	return account, true
}

// release lets an account have a turn again, which it waits for at the end where it has more to do.
func (q *accountQueue) release(account string, more bool) {
	q.mu.Lock()
	delete(q.busy, account)
	q.mu.Unlock()
	if more {
		q.add(account)
		return
	}
	q.notify()
}
