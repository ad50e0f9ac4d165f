package importaccount

import (
	"context"
	"net/url"
)

// alerts moves the alerts of customers, of subscriptions and of the plans that these are on.
func (t *transfer) alerts(ctx context.Context) error {
	for _, c := range t.customers {
		if err := t.alertsOf(ctx, "customer_id", text(c, "id")); err != nil {
			return err
		}
	}
	for _, s := range t.subs {
		if s.to == "" {
			continue
		}
		if err := t.alertsOf(ctx, "subscription_id", text(s.object, "id")); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) alertsOf(ctx context.Context, filter, id string) error {
	all, err := t.Source.oldestFirst(ctx, "/alerts", url.Values{filter: {id}})
	if err != nil {
		return err
	}
	for _, alert := range all {
		if err := t.moveAlert(ctx, alert); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) moveAlert(ctx context.Context, alert object) error {
	if t.met[text(alert, "id")] {
		return nil // alerts of a plan are listed with each subscription
	}
	t.met[text(alert, "id")] = true
	named := object{"id": text(alert, "id"), "name": text(alert, "type")}
	body := pick(alert, "type", "thresholds")
	if keys := texts(alert, "grouping_keys"); len(keys) > 0 || text(alert, "type") == "spend_exceeded" {
		if len(keys) > 0 {
			body["grouping_keys"] = keys
		}
		body["currency"] = alert["currency"]
		if filters := objects(alert, "price_filters"); len(filters) > 0 {
			body["price_filters"] = t.filters(filters)
		}
		if overrides := objects(alert, "threshold_overrides"); len(overrides) > 0 {
			body["threshold_overrides"] = overrides
		}
	}
	if !t.refer(kindAlert, named, body, "metric_id", kindMetric, text(part(alert, "metric"), "id")) ||
		!t.refer(kindAlert, named, body, "license_type_id", kindLicenseType, text(part(alert, "license_type"), "id")) {
		return nil
	}
	path := ""
	switch {
	case part(alert, "subscription") != nil:
		id, _ := t.to(kindSubscription, text(part(alert, "subscription"), "id"))
		path = "/alerts/subscription_id/" + escaped(id)
	case part(alert, "plan") != nil:
		id, _ := t.to(kindPlan, text(part(alert, "plan"), "id"))
		path = "/alerts/plan_id/" + escaped(id)
		if version := whole(part(alert, "plan"), "plan_version"); version > 0 {
			body["plan_version"] = version
		}
	default:
		id, _ := t.to(kindCustomer, text(part(alert, "customer"), "id"))
		path = "/alerts/customer_id/" + escaped(id)
		body["currency"] = alert["currency"]
		if text(alert, "type") != "credit_balance_dropped" {
			delete(body, "thresholds")
		}
	}
	id, ok, err := t.create(ctx, kindAlert, named, path, body)
	if err == nil && ok && !truth(alert, "enabled") {
		err = t.act(ctx, kindAlert, named, "/alerts/"+escaped(id)+"/disable")
	}
	return err
}
