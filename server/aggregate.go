package server

import (
	"context"
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// The aggregator's pace: how often it looks, at how many accounts that this server
// stored no events for, and how much it does for one account before it looks at others.
// Many events at once cost less than few at a time: a bucket is written once for all.
const (
	foldEvery  = time.Second
	foldOthers = 20
	foldUnits  = 20
)

// Aggregate keeps buckets of usage until ctx ends: at once behind the events that this
// server stores, and in turn for all accounts, whoever stored their events or changed
// their history. Usage that comes to the threshold of a subscription is invoiced on the
// way, also where the clock stands. Several servers may run it at once. Nothing waits for
// it: what is not in buckets is read from events.
func (s *Server) Aggregate(ctx context.Context) {
	if s.eventsOnly {
		return
	}
	ticker := time.NewTicker(foldEvery)
	defer ticker.Stop()
	var others []string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			others = s.foldNext(ctx, others)
		}
	}
}

// foldNext works on the accounts that this server stored events for, and on the first of
// the others, and gives those that are left.
func (s *Server) foldNext(ctx context.Context, others []string) []string {
	if len(others) == 0 {
		all, err := account.List(ctx, s.store)
		if err != nil {
			s.complain(ctx, "list accounts", err)
		}
		for _, a := range all {
			others = append(others, a.ID)
		}
	}
	some := min(foldOthers, len(others))
	now := slices.Concat(s.recorder.TakeDirty(), others[:some])
	slices.Sort(now)
	for _, id := range slices.Compact(now) {
		s.background(ctx, unit{"aggregate usage", id}, func() error { return s.fold(ctx, id) })
		s.doNow(store.WithAccount(ctx, id), accruing)
	}
	return others[some:]
}

// fold works on an account's buckets while there is something to do.
func (s *Server) fold(ctx context.Context, accountID string) error {
	ctx = store.WithAccount(ctx, accountID)
	more := true
	for n := 0; more && n < foldUnits; n++ {
		err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = usage.Aggregate(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
