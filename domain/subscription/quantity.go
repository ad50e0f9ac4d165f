package subscription

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Transition gives a fixed fee another quantity from an instant on, or notes that its
// charge resumes there. A charge that resumes is for the quantity in force then, so it
// stores none: a change made later counts from its own day on.
type Transition struct {
	store.Record
	IntervalID  string
	EffectiveAt time.Time
	Quantity    *money.Decimal // 0 or more; nil where the charge resumes, but in old revisions of the terms
	Resumes     bool           // in advance, the fee was charged up to here only, since it was to end
}

// TableName is the table of transitions.
func (Transition) TableName() string { return "quantity_transitions" }

// Decrease reports whether the service costs less than what it takes the place of: it is
// credited and is on no invoice (price models 5.4). Fewer units may cost more, and more
// units less, as in a bulk price. Where both cost the same, the quantity decides.
func (s ServicePeriod) Decrease() bool {
	if s.Before == nil {
		return false
	}
	worth := func(quantity money.Decimal) money.Decimal {
		return rating.Rate(s.Interval.Price.Model(), rating.Usage{Quantity: quantity, Fixed: true}).Subtotal
	}
	return cmp.Or(worth(s.Quantity).Cmp(worth(*s.Before)), s.Quantity.Cmp(*s.Before)) < 0
}

// QuantityAt is the quantity of a fixed fee at an instant.
func (i PriceInterval) QuantityAt(at time.Time) money.Decimal {
	var quantity money.Decimal
	if i.Price.Quantity != nil {
		quantity = *i.Price.Quantity
	}
	for _, change := range i.Transitions {
		if !change.EffectiveAt.After(at) {
			quantity = change.after(quantity)
		}
	}
	return quantity
}

// after is the quantity from the transition on, where it was another before.
func (c Transition) after(before money.Decimal) money.Decimal {
	if c.Quantity == nil {
		return before
	}
	return *c.Quantity
}

// QuantitySpan is a part of the time of a fixed fee in which it has one quantity.
type QuantitySpan struct {
	Quantity money.Decimal // 0 or more
	Period   period.Period
}

// quantitySpans are the quantities of a fixed fee in a period: in order, without a gap, and
// each another than the one before.
func (i PriceInterval) quantitySpans(in period.Period) []QuantitySpan {
	spans := []QuantitySpan{{i.QuantityAt(in.Start), in}}
	for _, change := range i.Transitions {
		last := &spans[len(spans)-1]
		quantity := change.after(last.Quantity)
		if change.EffectiveAt.After(in.Start) && change.EffectiveAt.Before(in.End) && !quantity.Equal(last.Quantity) {
			last.Period.End = change.EffectiveAt
			spans = append(spans, QuantitySpan{quantity, period.Period{Start: change.EffectiveAt, End: in.End}})
		}
	}
	return spans
}

// byQuantity makes of a piece of a fixed fee what is charged for it where its quantity
// changes. In advance the piece is for the quantity with which it begins; each change is
// for the difference from then on (semantics 6.3.6). In arrears it is one service, in which
// each quantity has the days for which it was (price models 5.4). What is charged once is
// for the quantity on the day it is billed.
func (s ServicePeriod) byQuantity() []ServicePeriod {
	if !s.Interval.Price.Fixed() {
		return []ServicePeriod{s}
	}
	s.Quantity = s.Interval.QuantityAt(s.Period.Start)
	if s.Interval.Price.Length().OneTime() {
		s.Quantity = s.Interval.QuantityAt(s.BilledOn)
		return []ServicePeriod{s}
	}
	if !s.Interval.Price.InAdvance() {
		spans := s.Interval.quantitySpans(s.Period)
		s.Quantity = spans[len(spans)-1].Quantity
		if len(spans) > 1 {
			s.Spans = spans
		}
		return []ServicePeriod{s}
	}
	pieces := []ServicePeriod{s}
	for _, change := range s.Interval.Transitions {
		last := &pieces[len(pieces)-1]
		quantity := change.after(last.Quantity)
		if !change.EffectiveAt.After(s.Period.Start) || !change.EffectiveAt.Before(s.Period.End) ||
			quantity.Equal(last.Quantity) && !change.Resumes {
			continue
		}
		next := s
		next.Period.Start, next.From, next.Quantity = change.EffectiveAt, change.EffectiveAt, quantity
		if change.Resumes {
			next.BilledOn = change.EffectiveAt
			for k := range pieces {
				if pieces[k].Period.End.After(change.EffectiveAt) {
					pieces[k].Period.End = change.EffectiveAt
				}
			}
		} else {
			before := last.Quantity
			next.Before, next.BilledOn, next.Charged = &before, shown(change.EffectiveAt), newestCharge(pieces)
			if next.BilledOn.Before(s.Period.Start) {
				next.BilledOn = s.Period.Start
			}
		}
		pieces = append(pieces, next)
	}
	return pieces
}

// newestCharge is the start of the last of the pieces of a fee that is no decrease.
func newestCharge(pieces []ServicePeriod) (start time.Time) {
	for _, s := range pieces {
		if !s.Decrease() {
			start = s.Period.Start
		}
	}
	return start
}

// DiscountedAt is the instant whose adjustments in advance hold for a service: its start, and of a decrease
// that of the charge from which it takes something back (semantics 6.3.6).
func (s ServicePeriod) DiscountedAt() time.Time {
	if s.Decrease() {
		return s.Charged
	}
	return s.Period.Start
}

// Charges are what an interval is charged for, from the period with an instant up to now:
// its periods, each followed by the changes of its quantity in it.
func (t Terms) Charges(i PriceInterval, from, now time.Time) (found []ServicePeriod) {
	for piece, ok := t.first(i, from); ok && !piece.Period.Start.After(now); piece, ok = t.following(piece) {
		for _, s := range t.charged(piece) {
			if !s.BilledOn.After(now) {
				found = append(found, s)
			}
		}
	}
	return found
}

// Decreases are those of the charges for which more was charged in advance.
func (t Terms) Decreases(i PriceInterval, from, now time.Time) []ServicePeriod {
	return slices.DeleteFunc(t.Charges(i, from, now), func(s ServicePeriod) bool { return !s.Decrease() })
}

func transitionsOf(in tableSource, has optionalParts, intervals []PriceInterval) (map[string][]Transition, error) {
	byInterval := map[string][]Transition{}
	if len(intervals) == 0 || !has.Transitions {
		return byInterval, nil
	}
	ids := make([]string, len(intervals))
	for k, i := range intervals {
		ids[k] = i.ID
	}
	var rows []Transition
	if err := in("quantity_transitions").Where("interval_id IN ?", ids).Order("interval_id, effective_at").Find(&rows).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		byInterval[row.IntervalID] = append(byInterval[row.IntervalID], row)
	}
	return byInterval, nil
}

// Resume notes that a fee was charged in advance up to an instant only, since it was to
// end there. On the boundary of a cycle there is nothing to note.
func Resume(tx *store.Tx, t Terms, i PriceInterval, at time.Time) error {
	if _, part := t.cycleOf(i, i.Price.Length(), at); part.Start.Equal(at) || i.Price.Length().OneTime() || i.Price.Allocation != nil {
		return nil
	}
	resume := Transition{Record: tx.Record("qty"), IntervalID: i.ID, EffectiveAt: at, Resumes: true}
	for slices.ContainsFunc(i.Transitions, func(c Transition) bool { return c.EffectiveAt.Equal(resume.EffectiveAt) }) {
		resume.EffectiveAt = resume.EffectiveAt.Add(time.Microsecond)
	}
	return tx.Create(&resume).Error
}
