package subscription

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
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
	By     string        // id of the interval of the later price
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

// precedes reports whether an interval comes before another.
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

// Granted is what an allowance grants by itself: where it takes the place of another one, what
// exceeds all that was granted in the period and not taken back (semantics 11.2.5). In credits,
// 0 or more.
func (t Terms) Granted(a Allowance) money.Decimal {
	amount := a.quantity()
	if old, found := t.Replaces(a); found {
		amount = amount.Sub(t.outstanding(old))
	}
	return money.Max(amount, money.Decimal{})
}

// quantity is what the price of an allowance grants where it takes the place of none. In credits.
func (a Allowance) quantity() money.Decimal { return a.Interval.QuantityAt(a.Period.Start) }

// outstanding is what was granted in the period of an allowance, by its price and those that it
// took the place of, and not taken back. What is still to be taken back counts as taken. In credits.
func (t Terms) outstanding(a Allowance) money.Decimal {
	old, found := t.Replaces(a)
	if !found {
		return a.quantity()
	}
	return a.outstandingAfter(t.outstanding(old))
}

// outstandingAfter is outstanding where that of the allowance before is known.
func (a Allowance) outstandingAfter(before money.Decimal) money.Decimal {
	if a.Interval.CreditsTakenBack == nil {
		return a.quantity()
	}
	return money.Max(a.quantity(), before.Sub(*a.Interval.CreditsTakenBack))
}

// MostTakenBack is how much more may be taken back for a price that takes the place of another, so that
// what was granted for a price after it is still what that grants by itself. The credits would be taken
// and granted again otherwise. It is false where nothing was granted for such a price. In credits, 0 or
// more; granted is 0 for an allowance without a grant.
func (t Terms) MostTakenBack(taking Taking, granted func(Allowance) money.Decimal) (most money.Decimal, bounded bool) {
	k := slices.IndexFunc(t.Intervals, func(i PriceInterval) bool { return i.ID == taking.By })
	if k < 0 {
		return most, false
	}
	a, periodic := t.AllowanceAt(t.Intervals[k], taking.At)
	old, replaces := t.Replaces(a)
	if !periodic || !replaces {
		return most, false
	}
	for next, found := t.ReplacedBy(a); found; next, found = t.ReplacedBy(next) {
		amount := granted(next)
		if amount.Sign() <= 0 {
			continue
		}
		least := next.quantity().Sub(amount) // what was outstanding as it was granted
		if a.quantity().Cmp(least) >= 0 {
			return most, false
		}
		most = t.outstanding(old).Sub(least)
		if noted := a.Interval.CreditsTakenBack; noted != nil {
			most = most.Sub(*noted)
		}
		return money.Max(most, money.Decimal{}), true
	}
	return most, false
}

// NoteTakenBack adds to what was taken back as the price of an interval began. The amount is in
// credits, 0 or more.
func (t *Terms) NoteTakenBack(tx *store.Tx, intervalID string, amount money.Decimal) error {
	k := slices.IndexFunc(t.Intervals, func(i PriceInterval) bool { return i.ID == intervalID })
	if k < 0 {
		return fmt.Errorf("subscription %s has no price interval %s", t.ID, intervalID)
	}
	i := &t.Intervals[k]
	if i.CreditsTakenBack != nil {
		amount = amount.Add(*i.CreditsTakenBack)
	}
	i.CreditsTakenBack = &amount
	return tx.Model(i).Select("credits_taken_back").Updates(i).Error
}

// SetTakenBack sets what was taken back as the price of an interval began, in credits, 0 or more; nil where nothing
// was due yet.
func SetTakenBack(tx *store.Tx, intervalID string, amount *money.Decimal) error {
	return tx.Model(&PriceInterval{}).Where("id = ?", intervalID).Update("credits_taken_back", amount).Error
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
		left     money.Decimal // what was not asked for before: where less was taken, the rest was spent
	}
	layers := []layer{{first.Interval.ID, t.Granted(first)}}
	outstanding := first.quantity()
	for last := first; ; {
		next, found := t.ReplacedBy(last)
		if !found {
			return all
		}
		layers = append(layers, layer{next.Interval.ID, t.Granted(next)})
		less := outstanding.Sub(next.quantity())
		for k := len(layers) - 1; k >= 0 && less.Sign() > 0; k-- {
			taken := money.Min(less, layers[k].left)
			layers[k].left, less = layers[k].left.Sub(taken), less.Sub(taken)
			if layers[k].interval == of.Interval.ID && taken.Sign() > 0 {
				all = append(all, Taking{next.Interval.ID, next.Period.Start, taken})
			}
		}
		outstanding = next.outstandingAfter(outstanding)
		last = next
	}
}
