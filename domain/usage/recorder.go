package usage

import (
	"context"
	"errors"
	"sync"

	"tollkeeper/store"
)

// ErrBusy reports that more waits to be stored than the server will hold:
// nothing was taken, and the same may succeed a moment later.
var ErrBusy = errors.New("usage: too many events wait to be stored")

const (
	groupSize   = 2_000  // events that one transaction takes, if no single request has more
	pressure    = 400    // waiting events for which a second flusher is worth its while
	maxFlushers = 2      // of one account at the same time
	maxWaiting  = 50_000 // events of one account that wait
)

// Recorder stores events. Requests of one account that wait at the same time go
// into one transaction, and each is answered when that is durable.
type Recorder struct {
	store *store.Store

	mu     sync.Mutex
	queues map[string]*queue // by account; only those with flushers at work
}

// NewRecorder makes a recorder with nothing waiting.
func NewRecorder(st *store.Store) *Recorder {
	return &Recorder{store: st, queues: map[string]*queue{}}
}

// Outcome tells what became of the events of a request.
type Outcome struct {
	Ingested  []string // keys that were new, in the order of the request
	Duplicate []string // keys that were known already, likewise
	Failed    []Failure
}

// Record stores the events of the context's account that can be stored. If one
// key stands for different events, it stores nothing and lists those keys. A
// context that ends early leaves open what was stored.
func (r *Recorder) Record(ctx context.Context, events []Event) (Outcome, error) {
	if failed := conflicts(events); failed != nil {
		return Outcome{Failed: failed}, nil
	}
	if len(events) == 0 {
		return Outcome{}, nil
	}
	return r.record(ctx, events)
}

// record stores events that do not contradict each other.
func (r *Recorder) record(ctx context.Context, events []Event) (Outcome, error) {
	req := &request{events: events, done: make(chan error, 1)}
	if err := r.enqueue(store.AccountID(ctx), req); err != nil {
		return Outcome{}, err
	}
	select {
	case err := <-req.done:
		return req.outcome, err
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// request is one caller of Record.
type request struct {
	events  []Event
	outcome Outcome // set before done
	done    chan error
}

// queue is what waits for the flushers of one account.
type queue struct {
	requests []*request
	events   int
	flushers int
}

func (r *Recorder) enqueue(account string, req *request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.queues[account]
	if q == nil {
		q = &queue{}
		r.queues[account] = q
	}
	if len(q.requests) > 0 && q.events+len(req.events) > maxWaiting {
		return ErrBusy
	}
	q.requests = append(q.requests, req)
	q.events += len(req.events)
	if q.flushers == 0 || q.flushers < maxFlushers && q.events >= pressure {
		q.flushers++
		go r.flush(account, q)
	}
	return nil
}

// flush writes what waits, group by group, until nothing does. It outlives the
// requests' contexts; the store's deadlines bound each transaction.
func (r *Recorder) flush(account string, q *queue) {
	ctx := store.WithAccount(context.Background(), account)
	for group := r.next(account, q); group != nil; group = r.next(account, q) {
		r.write(ctx, group)
	}
}

// next takes a group from the queue. When nothing waits it takes none, and the
// last flusher ends the queue.
func (r *Recorder) next(account string, q *queue) []*request {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(q.requests) == 0 {
		if q.flushers--; q.flushers == 0 {
			delete(r.queues, account)
		}
		return nil
	}
	n, events := 0, 0
	for n < len(q.requests) && (n == 0 || events+len(q.requests[n].events) <= groupSize) {
		events += len(q.requests[n].events)
		n++
	}
	group := q.requests[:n:n]
	q.requests = q.requests[n:]
	q.events -= events
	return group
}

// write stores a group and answers its requests. If that fails they are tried
// one by one, so that one of them cannot fail the others.
func (r *Recorder) write(ctx context.Context, group []*request) {
	b := gather(group)
	err := b.record(ctx, r.store)
	switch {
	case err == nil:
		b.answer(group)
	case len(group) > 1:
		for _, one := range group {
			r.write(ctx, []*request{one})
		}
		return
	}
	for _, req := range group {
		req.done <- err
	}
}
