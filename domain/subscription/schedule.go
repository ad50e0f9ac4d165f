package subscription

import (
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// schedule tells when what belongs to a plan interval is in force, which begins and ends with
// the subscription.
type schedule struct {
	sub          Subscription
	planInterval PlanInterval
	phases       []Phase
	loc          *time.Location // the customer's
}

// span is the time over which something is in force.
type span struct {
	start time.Time
	end   *time.Time // exclusive; nil: open
}

// prices gives each price its interval. The added ones come last, in the order of
// the request.
func (l schedule) prices(tx *store.Tx, all []catalog.Price, added []AddedPrice) (intervals []PriceInterval, err error) {
	var faults []error
	first := len(all) - len(added)
	for k, price := range all {
		in, ok := l.of(price.PhaseOrder)
		if k >= first {
			add := added[k-first]
			if in, ok = l.of(add.PhaseOrder); ok {
				in, err = l.narrow(in, add.Dates)
				faults = append(faults, fault.In(fmt.Sprintf("add_prices[%d]", k-first), err))
			}
		}
		if ok {
			interval := PriceInterval{
				Record: tx.Record("pint"), SubscriptionID: l.sub.ID, PlanIntervalID: &l.planInterval.ID, PriceID: price.ID, Position: k,
				StartAt: in.start, EndAt: in.end, Parameters: price.Parameters,
			}
			if price.Type == catalog.PriceUsage {
				interval.Scope = l.planInterval.Scope
			}
			intervals = append(intervals, interval)
		}
	}
	return intervals, fault.Join(faults...)
}

// adjustments gives each adjustment its interval, likewise.
func (l schedule) adjustments(tx *store.Tx, all []catalog.Adjustment, added []AddedAdjustment) (intervals []AdjustmentInterval, err error) {
	var faults []error
	first := len(all) - len(added)
	for k, a := range all {
		in, ok := l.of(a.PhaseOrder)
		if k >= first && ok {
			in, err = l.narrow(in, added[k-first].Dates)
			faults = append(faults, fault.In(fmt.Sprintf("add_adjustments[%d]", k-first), err))
		}
		if ok {
			intervals = append(intervals, AdjustmentInterval{
				Record: tx.Record("aint"), SubscriptionID: l.sub.ID, PlanIntervalID: &l.planInterval.ID, AdjustmentID: a.ID, Position: k,
				StartAt: in.start, EndAt: in.end,
			})
		}
	}
	return intervals, fault.Join(faults...)
}

// of is the life of what belongs to a phase, or with nil to the subscription. It is
// false for a phase that the subscription does not reach.
func (l schedule) of(phase *int) (span, bool) {
	if phase == nil {
		return span{l.sub.StartAt, l.sub.EndAt}, true
	}
	for _, p := range l.phases {
		if p.PhaseOrder == *phase {
			return span{p.StartAt, p.EndAt}, true
		}
	}
	return span{}, false
}

// narrow shortens a life to the dates that a request gives.
func (l schedule) narrow(whole span, dates Dates) (span, error) {
	start, startErr := readDate("start_date", dates.Start, l.loc)
	end, endErr := readDate("end_date", dates.End, l.loc)
	if err := fault.Join(startErr, endErr); err != nil {
		return span{}, err
	}
	in := whole
	if start != nil {
		in.start = *start
	}
	if end != nil {
		in.end = end
	}
	switch {
	case in.start.Before(whole.start):
		return span{}, fault.Bad("start_date", "must not be before the start of the subscription or phase")
	case whole.end != nil && !in.start.Before(*whole.end):
		return span{}, fault.Bad("start_date", "must be before the end of the subscription or phase")
	case in.end != nil && !in.end.After(in.start):
		return span{}, fault.Bad("end_date", "must be after start_date")
	case whole.end != nil && in.end.After(*whole.end):
		return span{}, fault.Bad("end_date", "must not be after the end of the subscription or phase")
	}
	return in, nil
}
