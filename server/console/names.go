package console

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
)

// customerNames are the customers that a page mentions, read by one query: answers of the API
// name them by their ids.
type customerNames map[string]customer.Customer

// customers reads the customers with those ids.
func (v *visit) customers(ids []string) (found customerNames, err error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) error {
		all, err := customer.FindAll(tx, ids)
		found = all
		return err
	})
	return found, err
}

// name of a customer; the id where the customer is gone.
func (n customerNames) name(id string) string {
	if c, ok := n[id]; ok {
		return c.Name
	}
	return id
}

// zone of a customer, in which the billing dates are days (semantics 21.2.4).
func (n customerNames) zone(id string) *time.Location {
	if c, ok := n[id]; ok {
		return c.Location()
	}
	return time.UTC
}

// link leads to a customer.
func (n customerNames) link(id string) templ.Component {
	return anchor(link("customers", id), n.name(id))
}

// idsOf collects the ids of what a list mentions.
func idsOf[T any](rows []T, id func(T) string) []string {
	ids := make([]string, 0, len(rows))
	for _, row := range rows {
		if found := id(row); found != "" {
			ids = append(ids, found)
		}
	}
	return ids
}

// deref returns what a pointer points to, "" for nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
