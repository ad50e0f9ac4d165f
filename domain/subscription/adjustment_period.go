package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// AdjustmentPeriods are the periods over which an adjustment is worked out (price models 6.7).
type AdjustmentPeriods struct {
	AdjustmentInterval
	terms    Terms
	matching []PriceInterval // those that the adjustment is for, whenever they are in force
	found    *foundPeriods
}

// AdjustmentPeriod is one of them.
type AdjustmentPeriod struct {
	period.Period               // without the time before the plan, and after it, and that of shorter periods before it
	Whole         period.Period // the full billing period
	PlanID        string        // the plan interval with which the time on the plan begins: another plan has another period
}

// Name tells the periods of an adjustment apart.
func (p AdjustmentPeriod) Name() string {
	return p.Start.UTC().Format(time.RFC3339Nano) + " " + p.PlanID
}

// For is the period that a service belongs to, and false where it is in none. Usage belongs to the period
// in which it was used and a fee in advance to the one that it pays for; what is for a longer time counts
// where it ends, or in advance where it begins. Where the shortest price ends, the period of the next one
// begins with the end of the last period of that price (price models 6.7.1).
func (a AdjustmentPeriods) For(s ServicePeriod) (AdjustmentPeriod, bool) {
	matches := func(i PriceInterval) bool { return i.ID == s.Interval.ID }
	if s.TrialOf != "" || !slices.ContainsFunc(a.matching, matches) {
		return AdjustmentPeriod{}, false
	}
	service := servedTime{s.Interval.ID, s.Period.Start.UnixMicro(), s.Period.End.UnixMicro()}
	in, known := a.found.of[service]
	if !known {
		in = a.periodOf(s)
		a.found.of[service] = in
	}
	return in, true
}

func (a AdjustmentPeriods) periodOf(s ServicePeriod) AdjustmentPeriod {
	plan, until := a.terms.timeOnPlan(s.Interval)
	at := a.countedAt(s, plan)
	length := a.length(plan, at)
	whole, part := a.terms.cycle(length, at)
	starts := []time.Time{a.terms.StartAt, plan.StartAt}
	for _, i := range a.ofPlan(plan.ID) {
		if end := a.lastEnd(i); end != nil && i.Price.Length().Compare(length) < 0 {
			starts = append(starts, *end)
		}
	}
	for _, start := range starts {
		if start.After(part.Start) && !at.Before(start) {
			part.Start = start
		}
	}
	for _, end := range []*time.Time{a.terms.EndAt, until} {
		if end != nil && end.Before(part.End) {
			part.End = *end
		}
	}
	return AdjustmentPeriod{Period: part, Whole: whole, PlanID: plan.ID}
}

// countedAt is the instant whose period a service belongs to. A fee in advance of a longer cycle that begins after
// the shortest price ended, in the rest of its last cycle, is for the period after that (price models 6.7.1).
func (a AdjustmentPeriods) countedAt(s ServicePeriod, plan PlanInterval) time.Time {
	at := s.CountedAt()
	if length := s.Interval.Price.Length(); s.Interval.Price.InAdvance() && !length.OneTime() {
		for _, i := range a.ofPlan(plan.ID) {
			end := a.lastEnd(i)
			if end != nil && i.Price.Length().Compare(length) < 0 && !s.Interval.StartAt.Before(*i.EndAt) && at.Before(*end) && end.Before(s.Period.End) {
				at = *end
			}
		}
	}
	return at
}

// timeOnPlan is the time on a plan, from the start of a plan interval to an end, to which a price belongs. A
// migration to another version of the plan brings along what was billed before, so it does not end it.
func (t Terms) timeOnPlan(i PriceInterval) (from PlanInterval, until *time.Time) {
	from = t.Origin(t.of(i))
	until = from.EndAt
	for _, next := range t.PlanIntervals {
		if t.Origin(next).ID == from.ID {
			until = next.EndAt
		}
	}
	return from, until
}

// CountedAt is the instant whose period a service belongs to: its first one in advance, its last one in
// arrears (price models 6.7.1).
func (s ServicePeriod) CountedAt() time.Time {
	last := s.Period.End.Add(-time.Microsecond)
	if s.Interval.Price.InAdvance() || last.Before(s.Period.Start) { // a partial invoice of the first instant has no time
		return s.Period.Start
	}
	return last
}

// servedUntil is the end of a service. A partial invoice of the first instant has no time, but charges for it.
func (s ServicePeriod) servedUntil() time.Time {
	if s.Period.End.After(s.Period.Start) {
		return s.Period.End
	}
	return s.Period.Start.Add(time.Microsecond)
}

// length is that of the shortest cycle of the matching prices of a plan interval at an instant, or that of
// the subscription's billing periods where all are charged once.
func (a AdjustmentPeriods) length(plan PlanInterval, at time.Time) (shortest period.Length) {
	for _, i := range a.ofPlan(plan.ID) {
		length, end := i.Price.Length(), a.lastEnd(i)
		runs := !at.Before(i.StartAt) && (i.EndAt == nil || end != nil && at.Before(*end))
		if !length.OneTime() && runs && (shortest.OneTime() || length.Compare(shortest) < 0) {
			shortest = length
		}
	}
	if shortest.OneTime() {
		return a.terms.shortest(at)
	}
	return shortest
}

// lastEnd is where the last cycle of a price that ends is over. It is nil for a price that goes on, or is charged
// once, or never ran.
func (a AdjustmentPeriods) lastEnd(i PriceInterval) *time.Time {
	if i.EndAt == nil || i.Price.Length().OneTime() || !i.EndAt.After(i.StartAt) {
		return nil
	}
	_, last := a.terms.cycle(i.Price.Length(), i.EndAt.Add(-time.Microsecond))
	return &last.End
}

// Prices are the ids of the matching price intervals of a period's plan.
func (a AdjustmentPeriods) Prices(in AdjustmentPeriod) (ids []string) {
	for _, i := range a.ofPlan(in.PlanID) {
		ids = append(ids, i.ID)
	}
	return ids
}

// ofPlan are the matching prices of a time on a plan.
func (a AdjustmentPeriods) ofPlan(id string) (found []PriceInterval) {
	for _, i := range a.matching {
		if from, _ := a.terms.timeOnPlan(i); from.ID == id {
			found = append(found, i)
		}
	}
	return found
}

// Counts reports whether the adjustment works on a service of the period. A minimum works on all that is
// served while it is in force (price models 6.7.12), anything else by the dates of the service (semantics
// 6.3.7), but for the amount of a coupon over fees in advance and services in arrears, which is for
// periods that end inside or on its end (price models 6.7.10).
func (a AdjustmentPeriods) Counts(s ServicePeriod, in AdjustmentPeriod) bool {
	switch {
	case a.Adjustment.Kind == rating.Minimum:
		from := s.From
		if s.Decrease() {
			from = s.Charged
		}
		return s.TrialOf == "" && s.servedUntil().After(a.StartAt) && (a.EndAt == nil || from.Before(*a.EndAt))
	case a.Adjustment.Kind == rating.AmountDiscount && a.CouponID != nil && a.bothModes(in):
		return in.End.After(a.StartAt) && (a.EndAt == nil || !in.End.After(*a.EndAt))
	}
	return a.Covers(s)
}

// bothModes reports whether prices in advance and in arrears are in force in the period.
func (a AdjustmentPeriods) bothModes(in AdjustmentPeriod) bool {
	modes := map[bool]bool{}
	for _, i := range a.ofPlan(in.PlanID) {
		if i.Overlaps(in.Period) {
			modes[i.Price.InAdvance()] = true
		}
	}
	return len(modes) == 2
}

// Fraction is the part of the full billing period that the period is: the days on which a matching price of
// the plan runs (price models 6.7.2). Where the adjustment is one of a phase, and where it is a minimum, days
// before and after it do not count. Prices that are charged once have all days.
func (a AdjustmentPeriods) Fraction(in AdjustmentPeriod) period.Fraction {
	return a.fraction(in, a.Adjustment.Kind == rating.Minimum)
}

// fraction is the days on which a matching price runs, of the full billing period; in force: of those on which the
// adjustment is in force.
func (a AdjustmentPeriods) fraction(in AdjustmentPeriod, inForce bool) period.Fraction {
	loc := a.terms.Customer.Location()
	f := period.Fraction{Whole: max(1, period.Days(in.Whole, loc))}
	span, ok := in.Period.Intersect(a.days(in, inForce))
	if !ok {
		return f
	}
	var running []period.Period
	once := true
	for _, i := range a.ofPlan(in.PlanID) {
		if i.Price.Length().OneTime() {
			continue
		}
		once = false
		life := period.Period{Start: i.StartAt, End: span.End}
		if i.EndAt != nil && i.EndAt.Before(life.End) {
			life.End = *i.EndAt
		}
		if part, runs := life.Intersect(span); runs {
			running = append(running, part)
		}
	}
	if once {
		f.Part = f.Whole
		return f
	}
	slices.SortFunc(running, func(x, y period.Period) int { return x.Start.Compare(y.Start) })
	upTo := span.Start
	for _, part := range running {
		if part.Start.Before(upTo) {
			part.Start = upTo
		}
		if part.Start.Before(part.End) {
			f.Part, upTo = f.Part+period.Days(part, loc), part.End
		}
	}
	return f
}

// days is the time in which days of a period count for the adjustment.
func (a AdjustmentPeriods) days(in AdjustmentPeriod, inForce bool) period.Period {
	days := in.Period
	cut := func(start time.Time, end *time.Time) {
		if start.After(days.Start) {
			days.Start = start
		}
		if end != nil && end.Before(days.End) {
			days.End = *end
		}
	}
	if inForce {
		cut(a.StartAt, a.EndAt)
	}
	for _, phase := range a.terms.Phases {
		if a.Adjustment.PhaseOrder != nil && phase.PhaseOrder == *a.Adjustment.PhaseOrder && phase.PlanIntervalID == in.PlanID {
			cut(phase.StartAt, phase.EndAt)
		}
	}
	return days
}

// Services are the services of a period that the adjustment works on, in invoice order.
func (a AdjustmentPeriods) Services(in AdjustmentPeriod) []ServicePeriod {
	name := in.Name()
	found, known := a.found.services[name]
	if known {
		return found
	}
	for _, s := range a.terms.ChargedIn(in.Period) {
		if of, ok := a.For(s); ok && of.Name() == name && a.Counts(s, in) {
			found = append(found, s)
		}
	}
	a.found.services[name] = found
	return found
}

// SettledOn is the date of the document that settles a minimum: the last one that bills a matching line
// in arrears of the period. It is false where all lines are in advance, which have it from the first one
// on (price models 6.7.11).
func (a AdjustmentPeriods) SettledOn(in AdjustmentPeriod) (date time.Time, arrears bool) {
	for _, s := range a.Services(in) {
		if !s.Interval.Price.InAdvance() && s.BilledOn.After(date) {
			date, arrears = s.BilledOn, true
		}
	}
	return date, arrears
}

// LastServed is where the last service in arrears of a period ends: earlier than the period where its prices, or
// the phase that has them, end within it.
func (a AdjustmentPeriods) LastServed(in AdjustmentPeriod) time.Time {
	var last time.Time
	for _, s := range a.Services(in) {
		if end := s.Period.End; !s.Interval.Price.InAdvance() && end.After(last) {
			last = end
		}
	}
	if last.IsZero() || last.After(in.End) {
		return in.End
	}
	return last
}

// Spread is the part of a fee that its installments have charged with one of them, where all services of
// the period are installments of fees in advance that are spread over the same parts. What adjusts the fee
// is then spread like it (price models 6.7.17). It is false for all else.
func (a AdjustmentPeriods) Spread(in AdjustmentPeriod, upTo ServicePeriod) (f period.Fraction, spread bool) {
	if upTo.Instalment == nil {
		return f, false
	}
	services := a.Services(in)
	loc := a.terms.Customer.Location()
	if len(services) == 0 {
		return f, false
	}
	for _, s := range services {
		if s.Instalment == nil || !s.Interval.Price.InAdvance() || s.Instalment.Of != upTo.Instalment.Of || !s.Cycle.Equal(upTo.Cycle) {
			return f, false
		}
	}
	days := upTo.Days(loc)
	return period.Fraction{Part: days.To - services[0].Days(loc).From, Whole: days.Of}, true
}
