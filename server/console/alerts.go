package console

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// alertsPage lists alerts of all customers, subscriptions and plans, the newest first, or those of
// the one that the address names.
func alertsPage(v *visit) (templ.Component, error) {
	alerts, next, err := listAlerts(v)
	if err != nil {
		return nil, err
	}
	t, err := alertTable(v, alerts)
	if err != nil {
		return nil, err
	}
	create := doing{Operation: "createCustomerAlert", Name: "New alert", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:   head{Title: "Alerts", Lead: "What your webhooks are told of: balances that run out, usage and costs that reach a threshold.", Actions: v.actions(create)},
		Table:  t,
		Pager:  v.pager("alerts", len(alerts), next),
		Narrow: v.filtered(), All: link("alerts"),
		Empty: empty{Icon: "bell", Title: "No alerts yet", Text: "An alert watches a customer, a subscription or all subscriptions of a plan.", Action: v.first(create)},
	}), nil
}

// listAlerts asks the API for the alerts of a subject. It has no list of all, which is read here.
func listAlerts(v *visit) (alerts []gen.Alert, next *string, err error) {
	if v.query("customer_id") != "" || v.query("subscription_id") != "" {
		page, err := fetch[gen.AlertPage](v, "listAlerts", nil, v.filters("customer_id", "subscription_id"))
		return page.Data, page.PaginationMetadata.NextCursor, err
	}
	if !v.may("listAlerts") {
		return nil, nil, &failure{Status: http.StatusForbidden}
	}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) error {
		all, after, err := alert.ListAll(tx, v.page())
		if err != nil {
			return err
		}
		next = &after
		alerts, err = wire.LoadAlerts(tx, all...)
		return err
	})
	return alerts, next, refusal(err)
}

// alertTable shows alerts with what each watches.
func alertTable(v *visit, all []gen.Alert) (table, error) {
	names, err := v.watched(all)
	t := table{Label: "Alerts", Links: true, Columns: []column{{"Alert", ""}, {"Of", ""}, {"State", ""}, {"Thresholds", "num"}, {"Created", "mid"}}}
	for _, a := range all {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("alerts", a.ID), form.Words(string(a.Type)), ""), alertOf(a, names), enabledBadge(a.Enabled), text(thresholds(a)), instant(a.CreatedAt)})
	}
	return t, err
}

// watchedNames are what alerts watch, by their ids.
type watchedNames struct {
	customers     customerNames
	subscriptions map[string]subscription.Terms
}

// watched reads the customers and the subscriptions that alerts watch, by a query for each.
func (v *visit) watched(all []gen.Alert) (names watchedNames, err error) {
	names.customers, err = v.customers(idsOf(all, func(a gen.Alert) string {
		if a.Customer == nil {
			return ""
		}
		return a.Customer.ID
	}))
	if err != nil {
		return names, err
	}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		names.subscriptions, err = subscription.FindAll(tx, idsOf(all, func(a gen.Alert) string {
			if a.Subscription == nil {
				return ""
			}
			return a.Subscription.ID
		}))
		return err
	})
	return names, err
}

// alertOf shows what an alert watches.
func alertOf(a gen.Alert, names watchedNames) templ.Component {
	switch {
	case a.Subscription != nil:
		name := "A subscription"
		if s, ok := names.subscriptions[a.Subscription.ID]; ok {
			name = s.Plan.Name + " of " + s.Customer.Name
		}
		return anchor(link("subscriptions", a.Subscription.ID), name)
	case a.Plan != nil && a.Plan.ID != nil:
		return anchor(link("plans", *a.Plan.ID), "Plan "+deref(a.Plan.Name))
	case a.Customer != nil:
		return names.customers.link(a.Customer.ID)
	}
	return none()
}

// thresholds writes the values of an alert with their unit.
func thresholds(a gen.Alert) string {
	var values []string
	for _, t := range a.Thresholds {
		values = append(values, numberFigure(t.Value.String()).Text)
	}
	return strings.TrimSpace(strings.Join(values, ", ") + " " + deref(a.Currency))
}

// alertPage shows an alert.
func alertPage(v *visit) (templ.Component, error) {
	a, err := fetch[gen.Alert](v, "fetchAlert", params{"alert_configuration_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	names, err := v.watched([]gen.Alert{a})
	if err != nil {
		return nil, err
	}
	known := []string{"alert_configuration_id", a.ID}
	change := doing{Operation: "enableAlert", Name: "Enable", Known: known}
	if a.Enabled {
		change = doing{Operation: "disableAlert", Name: "Disable", Known: known}
	}
	r := record{
		Head: head{
			Crumbs: []crumb{{link("alerts"), "Alerts"}}, Title: form.Words(string(a.Type)), Badge: enabledBadge(a.Enabled), Meta: []templ.Component{alertOf(a, names), copyable(a.ID)},
			Actions: v.actions(doing{Operation: "deleteAlert", Name: "Delete", Kind: "danger", Known: known}, change, doing{Operation: "updateAlert", Name: "Edit", Kind: "primary", Known: known}),
		},
		Title: "Alert", Facts: []fact{{"Of", alertOf(a, names)}, {"Thresholds", text(thresholds(a))}, {"Created", instant(a.CreatedAt)}},
	}
	if a.Metric != nil {
		r.Facts = append(r.Facts, fact{"Metric", anchor(link("metrics", a.Metric.ID), "Open")})
	}
	if len(a.GroupingKeys) > 0 {
		r.Facts = append(r.Facts, fact{"By", text(strings.Join(a.GroupingKeys, ", "))})
	}
	if len(a.BalanceAlertStatus) > 0 {
		t := table{Label: "State of the thresholds", Columns: []column{{"Threshold", "num"}, {"State", ""}}}
		for _, s := range a.BalanceAlertStatus {
			state := badge("Above it", "good")
			if s.InAlert {
				state = badge("Reached", "bad")
			}
			t.Rows = append(t.Rows, []templ.Component{number(s.ThresholdValue.String()), state})
		}
		r.Tables = append(r.Tables, titled{"State of the thresholds", t})
	}
	return recordPage(v, r), nil
}
