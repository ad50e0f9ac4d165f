package subscription

import (
	"fmt"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// IntervalChanges is what a client asks for, all of it or nothing (semantics 6.3.7).
// Dates of intervals are dates or date-times in the customer's zone, or startOfTerm or
// endOfTerm.
type IntervalChanges struct {
	Add             []NewInterval
	Edit            []IntervalEdit
	AddAdjustments  []NewAdjustmentInterval
	EditAdjustments []AdjustmentEdit
	Defers          *bool // of the intervals that are added, or edited, with an end, unless they say so; nil: no
}

// Dates that a request may name by what they are to the current term.
const (
	startOfTerm = "start_of_term"
	endOfTerm   = "end_of_term"
)

// Sent is a member of a request that may have been left out.
type Sent[T any] struct {
	Value T
	Given bool
}

// IntervalEdit changes an interval. What is not given stays as it is.
type IntervalEdit struct {
	ID          string
	Start       *string
	End         Sent[*string] // nil: open
	BillingDay  Sent[*int]    // nil: as the subscription
	Defers      *bool
	Transitions Sent[[]NewTransition]   // instead of those it has
	Parameters  Sent[metric.Parameters] // for its metric

	UsageCustomers Sent[CustomerIDs] // as Scope has them
	Filter         Sent[*string]
}

// NewTransition gives a fixed fee another quantity from a local day on.
type NewTransition struct {
	On       string // a date, or an instant of the day
	Quantity money.Decimal
}

// ChangeIntervals adds and edits intervals of a subscription that has not ended. Prices
// in force together must stand being so, and have one billing day.
func ChangeIntervals(tx *store.Tx, t Terms, in IntervalChanges) error {
	if t.Status(tx.Now) == StatusEnded {
		return fault.Refused("the subscription has ended")
	}
	at := map[string]string{} // places of intervals in the request, by id
	if err := fault.Join(
		t.addIntervals(tx, in, at),
		each("edit", in.Edit, func(e IntervalEdit, place string) error { return t.editInterval(tx, e, in.Defers, at, place) }),
		each("edit_adjustments", in.EditAdjustments, func(e AdjustmentEdit, _ string) error { return t.editAdjustment(tx, e) }),
	); err != nil {
		return err
	}
	after, err := Find(tx, t.ID)
	if err != nil {
		return err
	}
	return after.checkOverlaps(t, in.Edit, at)
}

// each does something with each entry of a list, and puts its faults at its place.
func each[T any](field string, entries []T, do func(entry T, place string) error) error {
	faults := make([]error, len(entries))
	for k, entry := range entries {
		place := fmt.Sprintf("%s[%d]", field, k)
		faults[k] = fault.In(place, do(entry, place))
		if faults[k] != nil && !fault.Is(faults[k], fault.KindInvalid) {
			return faults[k]
		}
	}
	return fault.Join(faults...)
}

// within tells whether a life lies in that of a plan interval.
func (t Terms) within(in span, s PlanInterval, ends bool) error {
	limit := t.EndAt
	if s.EndAt != nil {
		limit = s.EndAt
	}
	switch {
	case in.start.Before(s.StartAt):
		return fault.Bad("start_date", "must not be before the start of the subscription or its plan")
	case limit != nil && !in.start.Before(*limit):
		return fault.Bad("start_date", "must be before the end of the subscription or its plan")
	case ends && in.end.Before(in.start):
		return fault.Bad("end_date", "must not be before start_date")
	case ends && limit != nil && in.end.After(*limit):
		return fault.Bad("end_date", "must not be after the end of the subscription or its plan")
	}
	return nil
}

// date reads a date of an interval. The term is that of now, or the first one.
func (t Terms) date(field, text string, now time.Time) (time.Time, error) {
	if text == startOfTerm || text == endOfTerm {
		at := later(now, t.StartAt)
		_, term := t.cycle(t.longest(at), at)
		if text == startOfTerm {
			return later(term.Start, t.StartAt), nil
		}
		return term.End, nil
	}
	at, err := period.ParseInstant(text, t.Customer.Location())
	if err != nil {
		return at, fault.Bad(field, "%s, or %s or %s", err, startOfTerm, endOfTerm)
	}
	return at, nil
}
