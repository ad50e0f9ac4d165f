package console

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/export"
	"tollkeeper/gen"
)

// subscriptionsPage lists subscriptions, the newest first.
func subscriptionsPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.SubscriptionPage](v, "listSubscriptions", nil, v.filters("status", "plan_id"))
	if err != nil {
		return nil, err
	}
	create := doing{Operation: "createSubscription", Name: "New subscription", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:    head{Title: "Subscriptions", Lead: "A customer on a plan, from one date to another.", Actions: append(v.exports(export.Subscriptions), v.actions(create)...)},
		Filters: v.choices("status", "All", "active", "upcoming", "ended"),
		Table:   subscriptionTable(page.Data),
		Pager:   v.pager("subscriptions", len(page.Data), page.PaginationMetadata.NextCursor),
		Narrow:  v.filtered(), All: link("subscriptions"),
		Empty: empty{Icon: "repeat", Title: "No subscriptions yet", Text: "A subscription puts a customer on a plan. It opens invoices as its periods begin and end.", Action: v.first(create)},
	}), nil
}

// ownSubscriptions is subscriptionTable for one customer, who is not named in each row.
func ownSubscriptions(all []gen.Subscription) table {
	t := subscriptionTable(all)
	t.Columns = slices.Delete(t.Columns, 1, 2)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(row, 1, 2)
	}
	return t
}

// subscriptionTable shows subscriptions with their periods, which are days of the customer.
func subscriptionTable(all []gen.Subscription) table {
	t := table{Label: "Subscriptions", Links: true, Columns: []column{{"Plan", ""}, {"Customer", ""}, {"Status", ""}, {"Began", "mid"}, {"Current period", "wide"}}}
	for _, s := range all {
		zone := zoneOf(s.Customer.Timezone)
		current := none()
		if s.CurrentBillingPeriodStartDate != nil && s.CurrentBillingPeriodEndDate != nil {
			current = period(*s.CurrentBillingPeriodStartDate, *s.CurrentBillingPeriodEndDate, zone)
		}
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("subscriptions", s.ID), s.Name, ""), anchor(link("customers", s.Customer.ID), s.Customer.Name),
			stateBadge(string(s.Status)), day(s.StartDate, zone), current,
		})
	}
	return t
}

// zoneOf is the zone of that name, or UTC.
func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}
