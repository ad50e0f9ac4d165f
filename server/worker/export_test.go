package worker

import (
	"context"
	"time"

	"tollkeeper/store"
)

// DoFailing does due work of the context's account that fails with err.
func (w *Worker) DoFailing(ctx context.Context, err error) error {
	return w.catchUp(ctx, []job{{
		name: "fail",
		next: func(_ *store.Tx, by time.Time) (time.Time, bool, error) { return by, true, nil },
		do:   func(*store.Tx) (bool, error) { return false, err },
	}}, time.Time{})
}
