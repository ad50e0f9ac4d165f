package subscription

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/metric"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Scope says whose events a usage price counts, and which of those that its metric
// counts. The zero value is the subscription's customer and all.
type Scope struct {
	UsageCustomerIDs CustomerIDs // the customer itself or its children; none: the customer alone
	Filter           *string     // a condition that events must meet (semantics 4.4); nil: none
}

// CustomerIDs are the ids of some customers.
type CustomerIDs []string

// Value writes the column, which is never null.
func (ids CustomerIDs) Value() (driver.Value, error) {
	text, err := json.Marshal(append([]string{}, ids...))
	return string(text), err
}

// Scan reads the column.
func (ids *CustomerIDs) Scan(src any) error {
	text, ok := src.([]byte)
	if written, isText := src.(string); isText {
		text, ok = []byte(written), true
	}
	if !ok {
		return fmt.Errorf("subscription: ids of customers from %T", src)
	}
	if *ids = nil; string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, (*[]string)(ids))
}

// Check refuses customers that are not the buyer or its children (semantics 2.4.6), and
// a filter that is no condition.
func (s Scope) Check(tx *store.Tx, buyer customer.Customer) error {
	var faults []error
	if s.UsageCustomerIDs != nil {
		children, err := customer.Children(tx, buyer.ID)
		if err != nil {
			return err
		}
		faults = append(faults, s.checkCustomers(buyer, children))
	}
	if s.Filter != nil {
		if _, err := metric.ParseCondition(*s.Filter); err != nil {
			faults = append(faults, fault.Bad("filter", "%v", err))
		}
	}
	return fault.Join(faults...)
}

func (s Scope) checkCustomers(buyer customer.Customer, children []customer.Customer) error {
	var faults []error
	for k, id := range s.UsageCustomerIDs {
		at := fmt.Sprintf("usage_customer_ids[%d]", k)
		child := slices.ContainsFunc(children, func(c customer.Customer) bool { return c.ID == id })
		switch {
		case id != buyer.ID && !child:
			faults = append(faults, fault.NotPartOf(at, "must be the customer of the subscription or one of its children"))
		case slices.Contains(s.UsageCustomerIDs[:k], id):
			faults = append(faults, fault.Bad(at, "must not be there twice"))
		}
	}
	return fault.Join(faults...)
}

// or is the scope with what it leaves open as in another.
func (s Scope) or(other Scope) Scope {
	if s.UsageCustomerIDs == nil {
		s.UsageCustomerIDs = other.UsageCustomerIDs
	}
	if s.Filter == nil {
		s.Filter = other.Filter
	}
	return s
}

// Condition is the filter as usage is asked with it, nil without one.
func (s Scope) Condition() *metric.Condition {
	if s.Filter == nil {
		return nil
	}
	condition, err := metric.ParseCondition(*s.Filter)
	if err != nil {
		panic(fmt.Sprintf("subscription: the filter %q was accepted, but does not parse: %v", *s.Filter, err))
	}
	return condition
}

// Users are the customers whose events a price of the subscription counts, or counted at
// some time, each once.
func (t Terms) Users(i PriceInterval) (users []customer.Customer) {
	for _, span := range t.UserSpans(i) {
		for _, c := range span.Users {
			if !slices.ContainsFunc(users, func(known customer.Customer) bool { return known.ID == c.ID }) {
				users = append(users, c)
			}
		}
	}
	return users
}

// Counts reports whether a price of the subscription counts a customer's events.
func (t Terms) Counts(customerID string) bool {
	return slices.ContainsFunc(t.Intervals, func(i PriceInterval) bool {
		return slices.ContainsFunc(t.Users(i), func(c customer.Customer) bool { return c.ID == customerID })
	})
}

// Counting finds a subscription that counts the usage of a customer who is not its own, or
// counted it at some time, and has not ended. It is "" where there is none.
func Counting(tx *store.Tx, customerID string) (id string, err error) {
	err = tx.Raw(`SELECT s.id FROM price_intervals i JOIN subscriptions s ON s.account_id = i.account_id AND s.id = i.subscription_id
		WHERE i.account_id = ? AND s.customer_id <> ? AND (i.usage_customer_ids @> to_jsonb(?::text)
				OR i.usage_customers_before @> jsonb_build_array(jsonb_build_object('customer_ids', jsonb_build_array(?::text))))
			AND (s.end_at IS NULL OR s.end_at > ?) ORDER BY s.seq LIMIT 1`, tx.AccountID, customerID, customerID, customerID, tx.Now).Scan(&id).Error
	return id, err
}
