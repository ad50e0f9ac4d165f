package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// Allowance is what an allocation price grants in a period of its cadence, or in the part of it
// in which the price is in force.
type Allowance struct {
	Interval PriceInterval
	Period   period.Period
	Cycle    period.Period // the full period of the cadence
}

// Taking is what a later price takes back of the credits of an allowance, as it grants less.
type Taking struct {
	At     time.Time     // when the later price begins
	Amount money.Decimal // in credits, above 0; never more than is unspent is taken
}

// AllowanceAt is that of an allocation price in the period that contains an instant, and false
// where there is none. A price that is charged once has none.
func (t Terms) AllowanceAt(i PriceInterval, at time.Time) (Allowance, bool) {
	if i.Price.Allocation == nil || i.Price.Length().OneTime() {
		return Allowance{}, false
	}
	s, ok := t.first(i, at)
	return Allowance{i, s.Period, s.Cycle}, ok && s.Period.Contains(at)
}

// Replaces is the allowance that another takes the place of in the middle of a period: its price
// ended as the other one began, and it is for the same credits. False where there is none.
// Where several prices end and begin together, the first follows the first.
func (t Terms) Replaces(a Allowance) (old Allowance, found bool) {
	if !a.Period.Start.Equal(a.Interval.StartAt) || !a.Cycle.Start.Before(a.Period.Start) {
		return old, false
	}
	var ended []Allowance
	place := 0 // of a among those that begin with it
	for _, i := range t.Intervals {
		if i.Price.Allocation == nil || !alike(i, a.Interval) {
			continue
		}
		if i.StartAt.Equal(a.Interval.StartAt) && i.ID != a.Interval.ID && t.precedes(i, a.Interval) {
			place++
		}
		if i.EndAt == nil || !i.EndAt.Equal(a.Interval.StartAt) {
			continue
		}
		if last, is := t.AllowanceAt(i, i.EndAt.Add(-time.Microsecond)); is && last.Cycle == a.Cycle {
			ended = append(ended, last)
		}
	}
	if place >= len(ended) {
		return old, false
	}
	return ended[place], true
}

// precedes reports whether an interval stands before another.
func (t Terms) precedes(i, other PriceInterval) bool {
	at := func(id string) int {
		return slices.IndexFunc(t.Intervals, func(i PriceInterval) bool { return i.ID == id })
	}
	return at(i.ID) < at(other.ID)
}

// alike reports whether two allocation prices grant the same kind of credits in the same periods.
func alike(i, other PriceInterval) bool {
	a, b := i.Price.Allocation, other.Price.Allocation
	sameFilter := func(x, y rating.Filter) bool {
		return x.Field == y.Field && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
	}
	return a.Currency == b.Currency && i.Price.Currency == other.Price.Currency && i.Price.Length() == other.Price.Length() &&
		slices.EqualFunc(a.Filters, b.Filters, sameFilter)
}

// ReplacedBy is the allowance that takes the place of one, and false where none does.
func (t Terms) ReplacedBy(a Allowance) (next Allowance, found bool) {
	for _, i := range t.Intervals {
		if a.Interval.EndAt == nil || !i.StartAt.Equal(*a.Interval.EndAt) {
			continue
		}
		if next, is := t.AllowanceAt(i, i.StartAt); is {
			if old, replaces := t.Replaces(next); replaces && old.Interval.ID == a.Interval.ID && old.Period == a.Period {
				return next, true
			}
		}
	}
	return next, false
}

// Granted is what an allowance grants by itself: where it takes the place of another one the
// difference, if that is above 0 (semantics 11.2.5). In credits.
func (t Terms) Granted(a Allowance) money.Decimal {
	amount := a.Interval.QuantityAt(a.Period.Start)
	if old, found := t.Replaces(a); found {
		amount = amount.Sub(old.Interval.QuantityAt(old.Period.Start))
	}
	return money.Max(amount, money.Decimal{})
}

// TakenBack is what later prices take back of what an allowance granted, in the order of time.
// What was granted last is taken first.
func (t Terms) TakenBack(of Allowance) (all []Taking) {
	first := of
	for old, found := t.Replaces(first); found; old, found = t.Replaces(first) {
		first = old
	}
	type layer struct {
		interval string
		left     money.Decimal
	}
	layers := []layer{{first.Interval.ID, t.Granted(first)}}
	for last := first; ; {
		next, found := t.ReplacedBy(last)
		if !found {
			return all
		}
		layers = append(layers, layer{next.Interval.ID, t.Granted(next)})
		less := last.Interval.QuantityAt(last.Period.Start).Sub(next.Interval.QuantityAt(next.Period.Start))
		for k := len(layers) - 1; k >= 0 && less.Sign() > 0; k-- {
			taken := money.Min(less, layers[k].left)
			layers[k].left, less = layers[k].left.Sub(taken), less.Sub(taken)
			if layers[k].interval == of.Interval.ID && taken.Sign() > 0 {
				all = append(all, Taking{next.Period.Start, taken})
			}
		}
		last = next
	}
}
