package worker

import (
	"context"
	"time"

	"tollkeeper/domain/due"
	"tollkeeper/store"
)

// DoFailing does due work of the context's account that fails with err.
func (w *Worker) DoFailing(ctx context.Context, err error) error {
	return w.catchUp(ctx, pass{of: []job{{
		name: "fail",
		lane: due.Notices,
		next: func(_ *store.Tx, by time.Time) (time.Time, bool, error) { return by, true, nil },
		do:   func(*store.Tx) (bool, error) { return false, err },
	}}})
}

// Saw notes when the first units of an account fell due, as a pass does.
func (w *Worker) Saw(account string, first map[string]time.Time) { w.due.saw(account, first) }
