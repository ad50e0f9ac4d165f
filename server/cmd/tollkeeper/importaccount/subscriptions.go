package importaccount

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// movedSubscription is a subscription of the source that has not ended.
type movedSubscription struct {
	object
	to    string    // its id at the target; empty where it was left out
	start time.Time // of its oldest open period: it begins there at the target
	draft string    // id of the upcoming invoice at the source

	trial     int // its days, if it goes on
	intervals []*interval
	scoped    bool            // whose usage counts is the same for all prices, so the subscription says it
	adjusted  map[string]bool // prices that adjustments name
}

func (t *transfer) readSubscriptions(ctx context.Context) (err error) {
	if t.now, err = clock(ctx, t.Source); err != nil {
		return err
	}
	all, err := t.Source.oldestFirst(ctx, "/subscriptions", url.Values{"status[]": {"active", "upcoming"}})
	if err != nil {
		return err
	}
	for _, o := range all {
		s := &movedSubscription{object: o}
		if err := t.readTerms(s); err != nil {
			return err
		}
		t.subs = append(t.subs, s)
	}
	return nil
}

// readTerms finds out when a subscription begins at the target, and with which prices.
func (t *transfer) readTerms(s *movedSubscription) error {
	start, _, err := instant(s.object, "start_date")
	if err != nil {
		return err
	}
	end, ok, err := instant(part(s.object, "trial_info"), "end_date")
	if err != nil {
		return err
	}
	if ok && end.After(t.now) {
		s.start, s.trial = start, int((end.Sub(start)+12*time.Hour)/(24*time.Hour)) // days of 23 and 25 hours too
		return nil
	}
	if s.intervals, err = t.intervals(s); err != nil {
		return err
	}
	for _, i := range s.intervals {
		if s.start.IsZero() || i.start.Before(s.start) {
			s.start = i.start
		}
	}
	if s.start.IsZero() {
		s.start = start
	}
	return nil
}

// clock is what the time is for an account: test accounts of Tollkeeper have a clock of their own.
func clock(ctx context.Context, c *Client) (time.Time, error) {
	answer, err := c.get(ctx, "/test_clock")
	if refused(err, http.StatusNotFound) || refused(err, http.StatusBadRequest) {
		return time.Now(), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	now, _, err := instant(answer, "now")
	return now, err
}

func (t *transfer) subscriptions(ctx context.Context) error {
	for _, s := range t.subs {
		if err := t.moveSubscription(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) moveSubscription(ctx context.Context, s *movedSubscription) error {
	for _, i := range s.intervals {
		i.to, _ = t.to(kindPrice, text(i.price, "id"))
	}
	draft, err := upcoming(ctx, t.Source, text(s.object, "id"))
	if err != nil {
		return err
	}
	s.draft = text(draft, "id")
	body := pick(s.object, "name", "net_terms", "auto_issuance", "default_invoice_memo", "invoicing_threshold", "metadata", "billing_cycle_anchor_configuration")
	body["start_date"] = written(s.start)
	if end := text(s.object, "end_date"); end != "" {
		body["end_date"] = end
	}
	plan := part(s.object, "plan")
	if plan == nil {
		t.leave(kindSubscription, s.object, "it has no plan")
		return nil
	}
	if !t.refer(kindSubscription, s.object, body, "customer_id", kindCustomer, text(part(s.object, "customer"), "id")) ||
		!t.refer(kindSubscription, s.object, body, "plan_id", kindPlan, text(plan, "id")) {
		return nil
	}
	version := t.version(s)
	body["plan_version_number"] = version["version"]
	t.reportLeftOut(s)
	if s.trial > 0 { // nothing was invoiced in it, so the subscription begins where it began
		body["trial_duration_days"] = s.trial
		t.leave(kindSubscription, s.object, "changes of prices and adjustments: it is in a trial, so it is moved with those of its plan")
		s.to, _, err = t.create(ctx, kindSubscription, s.object, "/subscriptions", body)
		return err
	}
	s.scope(body, t.ids)
	ok, err := t.terms(ctx, s, version, body)
	if err != nil || !ok {
		return err
	}
	id, ok, err := t.create(ctx, kindSubscription, s.object, "/subscriptions", body)
	if err != nil || !ok {
		return err
	}
	s.to = id
	if err := t.laterTerms(ctx, s); err != nil {
		return err
	}
	return t.licenses(ctx, s)
}

// reportLeftOut reports what answers show of a subscription and no request can set.
func (t *transfer) reportLeftOut(s *movedSubscription) {
	if s.object["redeemed_coupon"] != nil {
		t.leave(kindSubscription, s.object, "its coupon: the discount is moved as an adjustment until it ends, and no redemption counts")
	}
	if s.object["pending_subscription_change"] != nil {
		t.leave(kindSubscription, s.object, "its pending change: apply or cancel it at the source first")
	}
	if s.object["active_plan_phase_order"] != nil {
		t.leave(kindSubscription, s.object, "phases: prices and adjustments of later phases are moved with their dates, as if they were added by hand")
	}
	if s.object["invoicing_threshold"] != nil {
		t.leave(kindSubscription, s.object, "partial invoices of the open period: the target makes its own when the usage arrives, and they are marked as paid")
	}
	for _, p := range objects(s.object, "price_intervals") {
		if part(part(p, "price"), "invoicing_cycle_configuration") != nil {
			t.leave(kindSubscription, s.object, "what was invoiced within the billing cycle of price "+text(part(p, "price"), "name"))
		}
	}
}
