package event

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ErrBusy reports that more waits to be stored than the server will hold:
// nothing was taken, and the same may succeed a moment later.
var ErrBusy = errors.New("event: too many events wait to be stored")

const (
	groupSize   = 2_000  // events that one transaction takes, if no single request has more
	pressure    = 400    // waiting events for which a second flusher is worth its while
	maxFlushers = 2      // of one queue at the same time
	maxWaiting  = 50_000 // events of one queue
)

// Recorder stores events. Requests of one account that wait at the same time go
// into one transaction, and each is answered when that is durable.
type Recorder struct {
	store   *store.Store
	into    *Backfill // nil: no backfill
	queues  *queues
	panics  *atomic.Pointer[func(accountID string, err error)] // see [Recorder.ReportPanics]
	known   *atomic.Pointer[keyFilters]                        // what is known of closed parts; see [Recorder.Learn]
	resends *resends
	counts  *counts
}

// queues are what waits, by account and backfill.
type queues struct {
	mu      sync.Mutex
	open    map[queueKey]*queue // only those with flushers at work
	touched map[string]bool     // accounts that events were stored for since Touched was asked
}

// queueKey is whose events wait in one queue.
type queueKey struct {
	account  string
	backfill string // "" for none
}

// NewRecorder makes a recorder with nothing waiting.
func NewRecorder(st *store.Store) *Recorder {
	r := &Recorder{store: st, queues: &queues{open: map[queueKey]*queue{}, touched: map[string]bool{}},
		panics: new(atomic.Pointer[func(string, error)]), known: new(atomic.Pointer[keyFilters]),
		resends: &resends{accounts: map[string]*asking{}}, counts: &counts{}}
	r.known.Store(&keyFilters{})
	return r
}

// Into is the recorder for events of a backfill, which may be of any age but must lie in
// its time and scope. When it takes none any more, recording is refused.
func (r *Recorder) Into(backfill Backfill) *Recorder {
	return &Recorder{store: r.store, into: &backfill, queues: r.queues, panics: r.panics, known: r.known, resends: r.resends, counts: r.counts}
}

// ReportPanics has report called with each panic, a *[fault.Panic], of storing events of an
// account. The panic fails the requests whose events are stored, and nothing else.
func (r *Recorder) ReportPanics(report func(accountID string, err error)) { r.panics.Store(&report) }

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
		r.counts.refused.Add(int64(len(events)))
		return Outcome{Failed: failed}, nil
	}
	if len(events) == 0 {
		return Outcome{}, nil
	}
	return r.record(ctx, events)
}

// record stores events that do not contradict each other.
func (r *Recorder) record(ctx context.Context, events []Event) (Outcome, error) {
	req := &request{into: r.into, events: events, done: make(chan error, 1)}
	l := queueKey{account: store.AccountID(ctx)}
	if r.into != nil {
		l.backfill = r.into.ID
	}
	if err := r.enqueue(l, req); err != nil {
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
	into    *Backfill // nil: no backfill
	events  []Event
	outcome Outcome // set before done
	done    chan error
}

// queue is what waits for the same flushers.
type queue struct {
	requests []*request
	events   int
	flushers int
}

func (r *Recorder) enqueue(l queueKey, req *request) error {
	r.queues.mu.Lock()
	defer r.queues.mu.Unlock()
	q := r.queues.open[l]
	if q == nil {
		q = &queue{}
		r.queues.open[l] = q
	}
	if len(q.requests) > 0 && q.events+len(req.events) > maxWaiting {
		return ErrBusy
	}
	q.requests = append(q.requests, req)
	q.events += len(req.events)
	if q.flushers == 0 || q.flushers < maxFlushers && q.events >= pressure {
		q.flushers++
		go r.flush(l, q)
	}
	return nil
}

// flush writes what waits, group by group, until nothing does. It outlives the
// requests' contexts; the store's deadlines bound each transaction.
func (r *Recorder) flush(l queueKey, q *queue) {
	ctx := store.For(store.WithAccount(context.Background(), l.account), store.Ingest)
	for group := r.queues.next(l, q); group != nil; group = r.queues.next(l, q) {
		r.write(ctx, group)
	}
}

func (all *queues) markDirty(account string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.touched[account] = true
}

// TakeDirty lists the accounts that events were stored for since it was asked last.
func (r *Recorder) TakeDirty() []string {
	r.queues.mu.Lock()
	defer r.queues.mu.Unlock()
	accounts := slices.Collect(maps.Keys(r.queues.touched))
	clear(r.queues.touched)
	return accounts
}

// next takes a group from the queue. When nothing waits it takes none, and the
// last flusher ends the queue.
func (all *queues) next(l queueKey, q *queue) []*request {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(q.requests) == 0 {
		if q.flushers--; q.flushers == 0 {
			delete(all.open, l)
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
	err := r.writeAll(ctx, group)
	switch {
	case err == nil:
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

// writeAll stores a group in one transaction and sets the outcome of each request. A panic
// is reported, and returned as an error without its stack.
func (r *Recorder) writeAll(ctx context.Context, group []*request) error {
	err := fault.Recovered(func() error {
		b := gather(group)
		if err := b.record(ctx, inserter{store: r.store, known: *r.known.Load(), resends: r.resends}); err != nil {
			return err
		}
		r.queues.markDirty(store.AccountID(ctx))
		b.answer(group)
		r.counts.recorded(group)
		return nil
	})
	var panicked *fault.Panic
	if !errors.As(err, &panicked) {
		return err
	}
	if report := r.panics.Load(); report != nil {
		(*report)(store.AccountID(ctx), err)
	}
	return errors.New("store events: " + panicked.Error())
}
