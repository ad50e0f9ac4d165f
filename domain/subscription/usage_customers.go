package subscription

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/period"
)

// FormerUsers are the customers whose events a price counted until an instant.
type FormerUsers struct {
	Until       time.Time   `json:"until"`        // exclusive
	CustomerIDs CustomerIDs `json:"customer_ids"` // as Scope has them
}

// FormerUsage is whose events a price counted, by instant.
type FormerUsage []FormerUsers

// Value writes the column, which is never null.
func (f FormerUsage) Value() (driver.Value, error) {
	text, err := json.Marshal(append(FormerUsage{}, f...))
	return string(text), err
}

// Scan reads the column. It is null in terms that were kept before there was one.
func (f *FormerUsage) Scan(src any) error {
	*f = nil
	switch text := src.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(text, (*[]FormerUsers)(f))
	case string:
		return json.Unmarshal([]byte(text), (*[]FormerUsers)(f))
	}
	return fmt.Errorf("subscription: former usage from %T", src)
}

// changeUsers is the former usage after other customers take the place of the present ones
// at an instant. Before the interval begins there is nothing that they counted.
func (i PriceInterval) changeUsers(to CustomerIDs, at time.Time) FormerUsage {
	if slices.Equal(to, i.UsageCustomerIDs) || !at.After(i.StartAt) {
		return i.UsageCustomersBefore
	}
	return append(slices.Clone(i.UsageCustomersBefore), FormerUsers{Until: at, CustomerIDs: i.UsageCustomerIDs})
}

// ScopeIn is what the interval counts in a period. Where it counts the events of other
// customers from some instant of it on, all of them are named; buyerID stands for none. The
// filter is the one at its end.
func (i PriceInterval) ScopeIn(p period.Period, buyerID string) Scope {
	var all []CustomerIDs
	for _, former := range i.UsageCustomersBefore {
		if former.Until.After(p.Start) {
			all = append(all, former.CustomerIDs)
		}
		if !former.Until.Before(p.End) {
			break
		}
	}
	if n := len(i.UsageCustomersBefore); n == 0 || i.UsageCustomersBefore[n-1].Until.Before(p.End) {
		all = append(all, i.UsageCustomerIDs)
	}
	scope := i.Scope
	scope.Filter = i.FiltersBefore.at(p.End.Add(-time.Microsecond), i.Filter)
	if scope.UsageCustomerIDs = all[0]; len(all) == 1 {
		return scope
	}
	scope.UsageCustomerIDs = nil
	for _, ids := range all {
		if ids == nil {
			ids = CustomerIDs{buyerID}
		}
		for _, id := range ids {
			if !slices.Contains(scope.UsageCustomerIDs, id) {
				scope.UsageCustomerIDs = append(scope.UsageCustomerIDs, id)
			}
		}
	}
	return scope
}

// UserSpan is a time in which a price counts the events of the same customers.
type UserSpan struct {
	Until *time.Time // exclusive; nil: open. It begins where the one before ends.
	Users []customer.Customer
}

// UserSpans are the customers whose events a price of the subscription counts, by time. There
// is at least one, the last of which is open.
func (t Terms) UserSpans(i PriceInterval) []UserSpan {
	spans := make([]UserSpan, 0, 1+len(i.former))
	for k, users := range i.former {
		spans = append(spans, UserSpan{&i.UsageCustomersBefore[k].Until, t.orOwn(users)})
	}
	return append(spans, UserSpan{nil, t.orOwn(i.users)})
}

// orOwn are customers, or that of the subscription where none are named.
func (t Terms) orOwn(users []customer.Customer) []customer.Customer {
	if users == nil {
		return []customer.Customer{t.Customer}
	}
	return users
}

// usersOf names the customers that intervals count or counted besides their own.
func usersOf(intervals map[string][]PriceInterval) (ids []string) {
	for _, ofSubscription := range intervals {
		for _, i := range ofSubscription {
			ids = append(ids, i.UsageCustomerIDs...)
			for _, former := range i.UsageCustomersBefore {
				ids = append(ids, former.CustomerIDs...)
			}
		}
	}
	return ids
}

// attachUsers gives intervals the customers that they count or counted.
func (t *Terms) attachUsers(customers map[string]customer.Customer) {
	of := func(ids CustomerIDs) (users []customer.Customer) {
		for _, id := range ids {
			users = append(users, customers[id])
		}
		return users
	}
	for k := range t.Intervals {
		i := &t.Intervals[k]
		i.users = of(i.UsageCustomerIDs)
		for _, former := range i.UsageCustomersBefore {
			i.former = append(i.former, of(former.CustomerIDs))
		}
	}
}
