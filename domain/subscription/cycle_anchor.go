package subscription

import (
	"time"

	"tollkeeper/domain/period"
)

// AnchorAt is where billing cycles begin at an instant.
func (t Terms) AnchorAt(at time.Time) period.Anchor {
	anchor, _, _ := t.anchorAt(at)
	return anchor
}

// anchorAt is where billing cycles begin at an instant, since when they do, and until
// when, if that is to change: phases and changes of the plan may start cycles again.
func (t Terms) anchorAt(at time.Time) (anchor period.Anchor, from time.Time, until *time.Time) {
	anchor, from = t.Anchor(), t.StartAt
	begin := func(with period.Anchor, start time.Time) {
		switch {
		case start.After(at):
			if until == nil || start.Before(*until) {
				until = &start
			}
		case !start.Before(from):
			anchor, from = with, start
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
	for _, i := range t.Intervals { // those in force together have one day
		if i.BillingDay != nil && i.inForce(at) {
			anchor.Day = *i.BillingDay
		}
	}
	return anchor, from, until
}
