package store

import (
	"context"
	"errors"
	"time"
)

// ErrBusy reports that no connection to the database became free in time: nothing was
// done, and the same may succeed a moment later.
var ErrBusy = errors.New("store: all connections to the database are in use")

// connectionWithin is how long a transaction waits for a connection of the pool.
const connectionWithin = 10 * time.Second

// connection waits for a connection of the pool to be free, in the order of arrival, and
// reserves it until free is called. A caller that has one must not ask for another.
func (s *Store) connection(ctx context.Context) (free func(), err error) {
	free = func() { <-s.connections }
	select {
	case s.connections <- struct{}{}:
		return free, nil
	default:
	}
	timer := time.NewTimer(connectionWithin)
	defer timer.Stop()
	select {
	case s.connections <- struct{}{}:
		return free, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, ErrBusy
	}
}
