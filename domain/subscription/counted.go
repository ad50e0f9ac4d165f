package subscription

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
)

// What a usage price counts can be changed while it is billed: whose usage, by which filter,
// and with which values of its metric's parameters. A change applies to usage from its instant
// on. Usage before it counts as it did, on costs, drafts, credits and alerts (semantics 6.3.7).

// Former are values that a price interval had before the present one, by instant.
type Former[T any] []FormerValue[T]

// FormerValue is a value that a price interval had until an instant.
type FormerValue[T any] struct {
	Until time.Time `json:"until"` // exclusive
	Value T         `json:"value"`
}

// Value writes the column, which is never null.
func (f Former[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(append([]FormerValue[T]{}, f...))
	return string(text), err
}

// Scan reads the column. It is null in terms that were kept before there was one.
func (f *Former[T]) Scan(src any) error {
	*f = nil
	switch text := src.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(text, (*[]FormerValue[T])(f))
	case string:
		return json.Unmarshal([]byte(text), (*[]FormerValue[T])(f))
	}
	return fmt.Errorf("subscription: former values from %T", src)
}

// and adds the value of an interval until an instant. Before the interval begins it counts
// nothing, so no value is kept.
func (f Former[T]) and(value T, i PriceInterval, until time.Time) Former[T] {
	if !until.After(i.StartAt) {
		return f
	}
	return append(slices.Clone(f), FormerValue[T]{Until: until, Value: value})
}

// at is the value at an instant; now is the present one.
func (f Former[T]) at(instant time.Time, now T) T {
	for _, former := range f {
		if instant.Before(former.Until) {
			return former.Value
		}
	}
	return now
}

// CountedSpan is a time in which a price counts the same events in the same way.
type CountedSpan struct {
	Until      *time.Time // exclusive; nil: open. It begins where the one before ends.
	Users      []customer.Customer
	Filter     *string           // as Scope has it
	Parameters metric.Parameters // of the metric
}

// CountedSpans are what a price of the subscription counts in a period, by time. There is at
// least one; the first begins before the period or with it, and the last one ends with it or
// later.
func (t Terms) CountedSpans(i PriceInterval, in period.Period) (spans []CountedSpan) {
	edges := []*time.Time{nil}
	for _, users := range t.UserSpans(i) {
		edges = append(edges, users.Until)
	}
	for k := range i.FiltersBefore {
		edges = append(edges, &i.FiltersBefore[k].Until)
	}
	for k := range i.ParametersBefore {
		edges = append(edges, &i.ParametersBefore[k].Until)
	}
	edges = slices.DeleteFunc(edges, func(at *time.Time) bool { return at != nil && (!at.After(in.Start) || !at.Before(in.End)) })
	slices.SortFunc(edges, func(a, b *time.Time) int {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return 1
		case b == nil:
			return -1
		}
		return a.Compare(*b)
	})
	edges = slices.CompactFunc(edges, same)
	from := in.Start
	for _, until := range edges {
		spans = append(spans, CountedSpan{
			Until: until, Users: t.usersAt(i, from),
			Filter: i.FiltersBefore.at(from, i.Filter), Parameters: i.ParametersBefore.at(from, i.Parameters),
		})
		if until != nil {
			from = *until
		}
	}
	return spans
}

// usersAt are the customers whose events a price counts at an instant.
func (t Terms) usersAt(i PriceInterval, at time.Time) []customer.Customer {
	spans := t.UserSpans(i)
	for _, span := range spans {
		if span.Until == nil || at.Before(*span.Until) {
			return span.Users
		}
	}
	return spans[len(spans)-1].Users
}
