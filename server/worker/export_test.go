package worker

import (
	"context"
	"time"

	"tollkeeper/domain/due"
	"tollkeeper/store"
)

// DoFailing does due work of the context's account that fails with err.
func (w *Worker) DoFailing(ctx context.Context, err error) error {
	_, failed := w.catchUp(ctx, pass{of: []job{{
		name: "fail",
		lane: due.Notices,
		next: func(_ *store.Tx, by time.Time) (time.Time, bool, error) { return by, true, nil },
		do:   func(*store.Tx) (bool, error) { return false, err },
	}}})
	return failed
}

// DoNothing is a pass of the work of DoFailing of which nothing is due.
func (w *Worker) DoNothing(ctx context.Context) error {
	_, err := w.catchUp(ctx, pass{of: []job{{
		name: "fail",
		lane: due.Notices,
		next: func(*store.Tx, time.Time) (at time.Time, some bool, err error) { return at, false, nil },
	}}})
	return err
}

// DoThresholds compares usage with thresholds, as is done soon after events are stored.
func (w *Worker) DoThresholds(ctx context.Context) {
	w.doNow(ctx, pass{of: thresholdJobs, among: billingInOrder})
}

// Due names the kinds of which a unit is due by the account's clock.
func (w *Worker) Due(ctx context.Context) (kinds []string, err error) {
	next, err := w.earliest(ctx, pass{of: jobs})
	for _, j := range jobs {
		if _, waits := next.first[j.name]; waits {
			kinds = append(kinds, j.name)
		}
	}
	return kinds, err
}

// Alone has the worker do each unit of due work in a transaction of its own.
func (w *Worker) Alone() { w.alone = true }

// InTurns has the worker give one turn of due work at a time, and call turned as each ends.
func (w *Worker) InTurns(turned func(account string, more bool)) { w.places, w.turned = 1, turned }

// DoLate does due work of the context's account in a turn whose time is over before it begins. It reports whether
// there is more.
func (w *Worker) DoLate(ctx context.Context) (more bool, err error) {
	return w.catchUp(ctx, pass{of: jobs, end: time.Unix(0, 0)})
}

// Saw notes when the first units of an account fell due, as a pass does.
func (w *Worker) Saw(account string, first map[string]time.Time) { w.due.saw(account, first) }

// AccountQueue are accounts that wait for a turn.
type AccountQueue struct{ q *accountQueue }

// NewAccountQueue makes an empty one.
func NewAccountQueue() AccountQueue { return AccountQueue{newAccountQueue()} }

// Add has an account wait.
func (q AccountQueue) Add(account string) { q.q.add(account) }

// Serve gives turns.
func (q AccountQueue) Serve(ctx context.Context, places int, turn func(account string)) {
	q.q.serve(ctx, places, turn)
}

// Release ends a turn.
func (q AccountQueue) Release(account string, more bool) { q.q.release(account, more) }
