package store

import (
	"context"
	"runtime"
)

type costlyKey struct{}

// Costly returns a context whose Views may take much of a processor, as lists do: an account has at most its share
// of the processors for them, whatever connections are free (semantics 14.5.7). A View in another one would wait for its own share.
func Costly(ctx context.Context) context.Context { return context.WithValue(ctx, costlyKey{}, true) }

// newProcessors parts the processors between accounts: one alone has half, and one at least.
func newProcessors() *Shares { return NewShares(max(2, runtime.GOMAXPROCS(0))) }

// Processor waits for a share of the processors for work of the context's account that no View does. It fails with
// [ErrBusy] when none becomes free in time.
func (s *Store) Processor(ctx context.Context) (free func(), err error) {
	return s.processors.Take(ctx, AccountID(ctx), connectionWithin)
}

// processor waits for a share of the processors, where the context is for costly reads. It is taken before a
// connection, so that a wait holds none.
func (s *Store) processor(ctx context.Context) (free func(), err error) {
	if costly, _ := ctx.Value(costlyKey{}).(bool); !costly {
		return func() {}, nil
	}
	return s.Processor(ctx)
}
