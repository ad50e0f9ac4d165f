package subscription

import (
	"time"

	"tollkeeper/domain/period"
)

// cycleAnchor is where billing cycles begin at an instant.
type cycleAnchor struct {
	period.Anchor
	origin time.Time  // from where cycles are counted
	since  time.Time  // since when they begin there
	until  *time.Time // until when, if that is to change
}

// AnchorAt is where billing cycles begin at an instant.
func (t Terms) AnchorAt(at time.Time) period.Anchor { return t.anchorOf(PriceInterval{}, at).Anchor }

// anchorOf is where billing cycles of a price begin at an instant: phases and changes of the plan may
// start cycles again, and edits of price intervals move their day. Of the interval without an id it is
// where those of the subscription begin.
func (t Terms) anchorOf(i PriceInterval, at time.Time) cycleAnchor {
	a := cycleAnchor{Anchor: t.Anchor(), origin: t.StartAt}
	begin := func(with period.Anchor, start time.Time) {
		switch {
		case start.After(at):
			if a.until == nil || start.Before(*a.until) {
				a.until = &start
			}
		case !start.Before(a.origin):
			a.Anchor, a.origin = with, start
		}
	}
	for _, planInterval := range t.PlanIntervals {
		if with, realigned := planInterval.Anchor(); realigned && !planInterval.beginsAfterEnd(planInterval.StartAt) {
			begin(with, planInterval.StartAt)
		}
	}
	for _, phase := range t.Phases {
		if phase.Aligned {
			begin(period.Anchor{Day: period.DateOf(phase.StartAt, t.Customer.Location()).Day}, phase.StartAt)
		}
	}
	a.since = a.origin
	if !t.MovesBillingDay() {
		return a
	}
	day, since, until := t.movedDay(i, at, a.origin)
	if day != nil {
		a.Day = *day
	}
	a.since = later(a.since, since)
	if until != nil && (a.until == nil || until.Before(*a.until)) {
		a.until = until
	}
	return a
}
