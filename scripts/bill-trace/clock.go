package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"tollkeeper/gen"
)

// stillTaken is how old a row may be as it is sent: the grace period of an
// account that keeps the default.
const stillTaken = 12 * time.Hour

// startClock makes the account's clock stand at the start of the month or, when
// it stands later, leaves it there. It returns the reading.
func (b *biller) startClock(ctx context.Context) (time.Time, error) {
	clock, err := get[gen.TestClock](ctx, b, "/test_clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	now, err := time.Parse(time.RFC3339, clock.Now)
	if err != nil {
		return time.Time{}, err
	}
	if clock.Frozen && !now.Before(monthStart) {
		return now, nil
	}
	began, err := b.advance(ctx, monthStart)
	if status(err) == http.StatusBadRequest && !clock.Frozen {
		return time.Time{}, past(now, monthStart) // the account has customers, so its clock only goes forward
	}
	return began, err
}

// advance moves the clock and waits for all that falls due by then.
func (b *biller) advance(ctx context.Context, to time.Time) (time.Time, error) {
	moved, err := post[gen.TestClock](ctx, b, "/test_clock/advance", "", gen.TestClockAdvance{Now: to.Format(time.RFC3339Nano)})
	if err != nil {
		return time.Time{}, fmt.Errorf("move the clock to %s: %w", to.Format(time.DateTime), err)
	}
	if parked := moved.Parked; len(parked) > 0 {
		return time.Time{}, fmt.Errorf("%d units of due work failed by %s, the first to %s: tollkeeper due list says why", len(parked), to.Format(time.DateTime), parked[0].Kind)
	}
	return to, nil
}

// past says that the clock has left the trace behind, and what to do.
func past(now, wanted time.Time) error {
	return fmt.Errorf("the clock of this test account stands at %s, past the %s that is to be billed, and never goes back; "+
		"use a fresh account, made with: tollkeeper account create --name trace --mode test",
		now.Format(time.DateTime), wanted.Format(time.DateTime))
}
