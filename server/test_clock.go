package server

import (
	"context"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// FetchTestClock serves GET /v1/test_clock.
func (s *Server) FetchTestClock(ctx context.Context, _ gen.FetchTestClockRequestObject) (gen.FetchTestClockResponseObject, error) {
	clock, err := s.testClock(ctx)
	if err != nil {
		return nil, err
	}
	return gen.FetchTestClock200JSONResponse(clock), nil
}

// AdvanceTestClock serves POST /v1/test_clock/advance: it does all that falls
// due on the way (semantics 0.2), and parks what fails. Other requests are served meanwhile, at the
// instant reached so far.
func (s *Server) AdvanceTestClock(ctx context.Context, req gen.AdvanceTestClockRequestObject) (gen.AdvanceTestClockResponseObject, error) {
	to, err := period.ParseDateTime(req.Body.Now, time.UTC)
	if err != nil {
		return nil, fault.Bad("now", "%s", err)
	}
	release, free, err := s.store.Lock(ctx, "test clock "+store.AccountID(ctx))
	if err != nil {
		return nil, err
	}
	if !free {
		return nil, fault.Conflict("The clock is being advanced by another request")
	}
	defer release()
	if err := s.store.Update(ctx, func(tx *store.Tx) error { return stop(tx, to) }); err != nil {
		return nil, err
	}
	if err := s.worker.Advance(store.WithAudit(ctx, ""), to); err != nil {
		return nil, err
	}
	clock, err := s.testClock(ctx)
	if err != nil {
		return nil, err
	}
	return gen.AdvanceTestClock200JSONResponse(clock), nil
}

// mostParked bounds the parked units that an answer lists.
const mostParked = 100

func (s *Server) testClock(ctx context.Context) (clock gen.TestClock, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		owner, err := account.Of(tx)
		if err != nil {
			return err
		}
		if !owner.Test() {
			return fault.Unavailable("only test accounts have a clock that can be set")
		}
		parked, err := due.List(tx, mostParked)
		clock = gen.TestClock{Now: wire.Instant(tx.Now), Frozen: owner.ClockNow != nil, Parked: wire.ParkedUnits(parked)}
		return err
	})
	return clock, err
}

// stop stops the clock, ready to be moved on to an
// instant. It may go back only the first time, and only while the account is
// empty (semantics 0.2.4).
func stop(tx *store.Tx, to time.Time) error {
	owner, err := account.Lock(tx)
	if err != nil {
		return err
	}
	if !owner.Test() {
		return fault.Unavailable("only test accounts have a clock that can be set")
	}
	back := to.Before(tx.Now)
	if owner.ClockNow != nil {
		if back {
			return fault.Refused("the clock only goes forward")
		}
		return nil
	}
	if !back {
		return account.StopClock(tx, tx.Now)
	}
	if empty, err := accountIsEmpty(tx); err != nil {
		return err
	} else if !empty {
		return fault.Refused("the clock only goes forward once there are customers or events")
	}
	return account.StopClock(tx, to)
}

func accountIsEmpty(tx *store.Tx) (bool, error) {
	customers, err := customer.Any(tx)
	if err != nil || customers {
		return false, err
	}
	events, err := event.Any(tx)
	return !events, err
}
