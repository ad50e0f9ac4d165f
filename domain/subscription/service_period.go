package subscription

import (
	"slices"
	"sort"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// ServicePeriod is one piece of a price's life on a subscription: what one line item
// charges.
type ServicePeriod struct {
	Interval PriceInterval
	Period   period.Period // the time charged
	Cycle    period.Period // the full billing cycle that Period is all or part of
	BilledOn time.Time     // invoice date: Period.Start in advance, the end of the piece in arrears
	From     time.Time     // Period.Start; later where earlier invoices charged for the time up to there

	Instalment *Installment // of a fee that several invoices of a billing cycle charge; nil: it is charged at once

	TrialOf string // the plan interval whose trial it is for; "": none

	Quantity money.Decimal  // of a fixed fee; in arrears the last one in force
	Spans    []QuantitySpan // of a fee in arrears whose quantity changes within Period; else none
	Before   *money.Decimal // the quantity that it takes the place of from Period.Start on; nil: of none
	Charged  time.Time      // of a change of the quantity: when the newest charge began from which it takes something back
}

// ServicePeriods cuts the life of the prices into pieces and returns those that
// overlap the window, in invoice order: by start, then by position. They share no
// time: what is invoiced several times in a cycle is one piece, but for the installments
// of a fee.
func (t Terms) ServicePeriods(window period.Period) []ServicePeriod {
	return t.collect(func(i PriceInterval) []ServicePeriod {
		var found []ServicePeriod
		for piece, ok := t.first(i, window.Start); ok && piece.Period.Start.Before(window.End); piece, ok = t.following(piece) {
			pieces := []ServicePeriod{piece}
			if i.Price.Fixed() {
				pieces = t.charged(piece)
			}
			for _, s := range pieces {
				if _, overlap := s.Period.Intersect(window); overlap {
					found = append(found, s)
				}
			}
		}
		return found
	})
}

// ChargedIn returns, in invoice order, the service periods that invoices charge for time in a window,
// or for earlier time if the invoice is dated later. Unlike ServicePeriods, it returns the parts of a
// cycle that several invoices charge one by one, and the decreases of a fee.
func (t Terms) ChargedIn(window period.Period) []ServicePeriod {
	return t.collect(func(i PriceInterval) []ServicePeriod {
		var found []ServicePeriod
		for piece, ok := t.first(i, t.lastBefore(i, window.Start)); ok && piece.Period.Start.Before(window.End); piece, ok = t.following(piece) {
			for _, s := range t.charged(piece) {
				touches := !s.Period.End.Before(window.Start) || s.BilledOn.After(window.Start)
				if touches && s.From.Before(window.End) {
					found = append(found, s)
				}
			}
		}
		return found
	})
}

// BilledOn returns what the invoice of that date charges, in invoice order.
func (t Terms) BilledOn(date time.Time) []ServicePeriod {
	return t.collect(func(i PriceInterval) []ServicePeriod {
		// A piece in arrears ends on the date: it contains the instant before.
		at := date
		if !i.Price.InAdvance() {
			at = t.lastBefore(i, date)
		}
		piece, ok := t.first(i, at)
		if !ok {
			return nil
		}
		return slices.DeleteFunc(t.charged(piece), func(s ServicePeriod) bool {
			return s.Decrease() || !s.BilledOn.Equal(date)
		})
	})
}

// NextBilling returns the first date after an instant on which something is
// billed, and false when nothing will be any more.
func (t Terms) NextBilling(after time.Time) (next time.Time, ok bool) {
	for _, i := range t.Intervals {
		if on, more := t.nextBillingOf(i, after); more && (!ok || on.Before(next)) {
			next, ok = on, true
		}
	}
	return next, ok
}

func (t Terms) nextBillingOf(i PriceInterval, after time.Time) (time.Time, bool) {
	from := t.lastBefore(i, after.Add(time.Microsecond))
	for piece, more := t.first(i, from); more; piece, more = t.following(piece) {
		for _, s := range t.charged(piece) { // in the order of their dates
			if !s.Decrease() && s.BilledOn.After(after) {
				return s.BilledOn, true
			}
		}
	}
	return time.Time{}, false
}

// BilledLater returns the services in arrears that begin before an instant and are billed
// after it, in invoice order.
func (t Terms) BilledLater(than time.Time) []ServicePeriod {
	return t.collect(func(i PriceInterval) (found []ServicePeriod) {
		if i.Price.InAdvance() {
			return nil
		}
		from := t.lastBefore(i, than.Add(time.Microsecond))
		for piece, more := t.first(i, from); more && piece.Period.Start.Before(than); piece, more = t.following(piece) {
			for _, s := range t.charged(piece) {
				if !s.Decrease() && s.From.Before(than) && s.BilledOn.After(than) {
					found = append(found, s)
				}
			}
		}
		return found
	})
}

// FirstOpening is the first date on which invoices of a subscription are opened that has
// not begun: its start, even when nothing is billed then. It is nil if nothing ever is.
func (t Terms) FirstOpening() *time.Time {
	if len(t.Intervals) == 0 || t.EndAt != nil && t.EndAt.Equal(t.StartAt) {
		return nil
	}
	return &t.StartAt
}

// NextChange returns the first instant after another at which the plan changes, or a fee
// ends or becomes less that may have been charged in advance, and false when none lies
// ahead.
func (t Terms) NextChange(after time.Time) (next time.Time, ok bool) {
	earlier := func(at time.Time) {
		if at.After(after) && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	for _, s := range t.PlanIntervals {
		earlier(s.StartAt)
		if trial, has := s.trial(); has {
			earlier(trial.End)
		}
	}
	for _, i := range t.Intervals {
		if !i.Price.InAdvance() {
			continue
		}
		if i.EndAt != nil {
			earlier(*i.EndAt)
		}
		for _, change := range i.Transitions {
			earlier(shown(change.EffectiveAt))
		}
	}
	return next, ok
}

// BillingPeriod returns the billing period that contains an instant, cut to
// the subscription's life, and false outside of it. Its length is the shortest
// cadence of the prices then in force (semantics 1.1.15), a month without a
// recurring one.
func (t Terms) BillingPeriod(at time.Time) (period.Period, bool) {
	if t.Status(at) != StatusActive {
		return period.Period{}, false
	}
	_, part := t.cycle(t.shortest(at), at)
	return t.clip(part, PriceInterval{StartAt: t.StartAt})
}

// ServicePeriodAt returns the service of a price that adds the time from an instant on to what
// was billed before, and false where there is none.
func (t Terms) ServicePeriodAt(intervalID string, start time.Time) (ServicePeriod, bool) {
	for _, i := range t.Intervals {
		if i.ID != intervalID {
			continue
		}
		piece, ok := t.first(i, start)
		for _, s := range t.charged(piece) {
			if ok && s.From.Equal(start) {
				return s, true
			}
		}
	}
	return ServicePeriod{}, false
}

// PeriodOf returns the piece of a price's life that contains an instant, and
// false outside of it.
func (t Terms) PeriodOf(i PriceInterval, at time.Time) (period.Period, bool) {
	s, ok := t.first(i, at)
	return s.Period, ok && s.Period.Contains(at)
}

// GrantsCredits reports whether the subscription has an allocation price, at any time.
func (t Terms) GrantsCredits() bool {
	return slices.ContainsFunc(t.Intervals, func(i PriceInterval) bool { return i.Price.Allocation != nil })
}

// FirstPeriod returns the earliest service period of a price interval, and false if it has none. That of
// a fixed price begins after the trial.
func (t Terms) FirstPeriod(i PriceInterval) (period.Period, bool) {
	s, ok := t.first(i, i.StartAt)
	return s.Period, ok
}

// CycleOf returns the full billing cycle of the piece of a price's life that contains an
// instant, and false outside of it.
func (t Terms) CycleOf(i PriceInterval, at time.Time) (period.Period, bool) {
	s, ok := t.first(i, at)
	return s.Cycle, ok && s.Period.Contains(at)
}

func (t Terms) collect(of func(PriceInterval) []ServicePeriod) []ServicePeriod {
	var all []ServicePeriod
	for _, i := range t.Intervals {
		all = append(all, of(i)...)
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].Period.Start.Before(all[b].Period.Start) })
	return all
}

// first returns the piece of i, of any quantity, that contains an instant, or the earliest one
// when the instant is before all of them, or false when it is after them.
func (t Terms) first(i PriceInterval, at time.Time) (ServicePeriod, bool) {
	if at.Before(i.StartAt) {
		at = i.StartAt
	}
	length := i.Price.Length()
	if length.OneTime() {
		s := t.once(i)
		return s, at.Before(s.Period.End)
	}
	return t.piece(i, at)
}

// following returns the piece after s, if there is one.
func (t Terms) following(s ServicePeriod) (ServicePeriod, bool) {
	length := s.Interval.Price.Length()
	if length.OneTime() {
		return ServicePeriod{}, false
	}
	_, part := t.cycleOf(s.Interval, length, s.Period.Start)
	return t.piece(s.Interval, part.End)
}

// piece is the part of the cycle at an instant in which i is billed, false if
// that does not contain or follow the instant.
func (t Terms) piece(i PriceInterval, at time.Time) (ServicePeriod, bool) {
	if planInterval, trial, on := t.trialAt(at); on && !i.Price.Fixed() {
		return t.trialService(i, planInterval, trial)
	} else if on {
		at = trial.End
	}
	whole, part := t.cycleOf(i, i.Price.Length(), at)
	part, ok := t.clip(part, i)
	if !ok || !at.Before(part.End) {
		return ServicePeriod{}, false
	}
	return t.deferIfAllowed(service(i, part, whole), whole), true
}

// once is the only piece of a one-time price.
func (t Terms) once(i PriceInterval) ServicePeriod {
	start := i.StartAt
	if planInterval, trial, on := t.trialAt(start); on && !i.Price.Fixed() {
		s, _ := t.trialService(i, planInterval, trial)
		return s
	} else if on {
		start = trial.End
	}
	_, anchorAt := t.cycle(t.shortest(start), start)
	whole, _ := t.clip(period.Period{Start: start, End: anchorAt.End}, i)
	return service(i, whole, whole)
}

func service(i PriceInterval, part, cycle period.Period) ServicePeriod {
	s := ServicePeriod{Interval: i, Period: part, Cycle: cycle, BilledOn: part.End, From: part.Start}
	if i.Price.InAdvance() {
		s.BilledOn = part.Start
	}
	return s
}

// clip cuts p to the life of an interval within the subscription.
func (t Terms) clip(p period.Period, i PriceInterval) (period.Period, bool) {
	life := period.Period{Start: i.StartAt, End: p.End}
	for _, end := range []*time.Time{i.EndAt, t.EndAt} {
		if end != nil && end.Before(life.End) {
			life.End = *end
		}
	}
	return p.Intersect(life)
}

// cycle is cycleOf for the subscription.
func (t Terms) cycle(length period.Length, at time.Time) (whole, part period.Period) {
	return t.cycleOf(PriceInterval{}, length, at)
}

// cycleOf is the billing cycle of that length of a price at an instant, and the part of it
// in which cycles keep the cycle they have then. A trial is one of its own.
func (t Terms) cycleOf(i PriceInterval, length period.Length, at time.Time) (whole, part period.Period) {
	if _, trial, on := t.trialAt(at); on {
		return trial, trial
	}
	loc := t.Customer.Location()
	a := t.anchorOf(i, at)
	whole = period.NewCycle(length, a.Anchor, period.DateOf(a.origin, loc), loc).At(at)
	part = whole
	if a.since.After(part.Start) && a.since.After(t.StartAt) {
		part.Start = a.since
	}
	if a.until != nil && a.until.Before(part.End) {
		part.End = *a.until
	}
	return whole, t.afterTrial(part, at)
}

// shortest is the length of the subscription's billing periods at an instant.
func (t Terms) shortest(at time.Time) period.Length { return t.shortestOf(at, catalog.Price.Length) }

func (t Terms) shortestOf(at time.Time, lengthOf func(catalog.Price) period.Length) period.Length {
	var shortest period.Length
	for _, i := range t.Intervals {
		length := lengthOf(i.Price)
		if length.OneTime() || !i.inForce(at) {
			continue
		}
		if shortest.OneTime() || length.Compare(shortest) < 0 {
			shortest = length
		}
	}
	if shortest.OneTime() {
		return period.Length{Months: 1}
	}
	return shortest
}
