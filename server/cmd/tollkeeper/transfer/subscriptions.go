package transfer

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"tollkeeper/domain/money"
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

// interval is a price interval of the source, from its open period on.
type interval struct {
	object
	start    time.Time
	end      string // empty where it ends with the subscription
	quantity string // at the start; empty for usage
	later    []any  // changes of the quantity after the start
	price    object // of the source
	to       string // id of the price at the target; empty for one of the subscription alone
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
	t.sayWhatStays(s)
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

// sayWhatStays reports what answers show of a subscription and no request can set.
func (t *transfer) sayWhatStays(s *movedSubscription) {
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

// intervals returns the prices that have not ended.
func (t *transfer) intervals(s *movedSubscription) (all []*interval, err error) {
	for _, o := range objects(s.object, "price_intervals") {
		i := &interval{object: o, price: part(o, "price")}
		begin, _, err := instant(o, "start_date")
		if err != nil {
			return nil, err
		}
		end, ends, err := instant(o, "end_date")
		if err != nil {
			return nil, err
		}
		if ends && !end.After(t.now) {
			continue
		}
		if text(i.price, "cadence") == "one_time" && text(i.price, "billing_mode") == "in_advance" && !begin.After(t.now) {
			continue // invoiced, and never again
		}
		i.start = begin
		if current, ok, err := instant(o, "current_billing_period_start_date"); err != nil {
			return nil, err
		} else if ok && current.After(begin) {
			i.start = current
		}
		if ends && text(o, "end_date") != text(s.object, "end_date") {
			i.end = text(o, "end_date")
		}
		if err := i.quantities(); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// quantities finds the quantity of a fixed fee at the start of its open period, and later changes.
func (i *interval) quantities() error {
	if i.price["fixed_price_quantity"] == nil {
		return nil
	}
	i.quantity = number(i.price, "fixed_price_quantity")
	var newest time.Time
	for _, change := range objects(i.object, "fixed_fee_quantity_transitions") {
		at, _, err := instant(change, "effective_date")
		if err != nil {
			return err
		}
		switch {
		case at.After(i.start):
			i.later = append(i.later, pick(change, "effective_date", "quantity"))
		case !at.Before(newest):
			i.quantity, newest = number(change, "quantity"), at
		}
	}
	return nil
}

// as reports whether an interval is what the plan gives a subscription.
func (i *interval) as(s *movedSubscription) bool {
	return i.start.Equal(s.start) && i.end == "" && i.own(s) && i.object["metric_parameter_overrides"] == nil &&
		(i.quantity == "" || money.Must(i.quantity).Equal(money.Must(number(i.price, "fixed_price_quantity"))))
}

// scope lets the subscription say whose usage counts, where it is the same for all prices.
func (s *movedSubscription) scope(body object, ids func(kind string, from []string) []string) {
	var first object
	for _, i := range s.intervals {
		if part(i.price, "billable_metric") == nil {
			continue
		}
		scope := pick(i.object, "usage_customer_ids", "filter")
		if first == nil {
			first = scope
		}
		if canonical(first) != canonical(scope) {
			return
		}
	}
	s.scoped = true
	if whose := texts(first, "usage_customer_ids"); len(whose) > 0 {
		body["usage_customer_ids"] = ids(kindCustomer, whose)
	}
	if filter := text(first, "filter"); filter != "" {
		body["filter"] = filter
	}
}

// own reports whether an interval counts the same events as the subscription.
func (i *interval) own(s *movedSubscription) bool {
	return s.scoped || len(texts(i.object, "usage_customer_ids")) == 0 && text(i.object, "filter") == ""
}

// version returns the version of its plan that a subscription is on: the one that has most of its
// prices. The plan in an answer is that of new subscriptions.
func (t *transfer) version(s *movedSubscription) (found object) {
	most := -1
	for _, plan := range t.sourcePlans {
		if text(plan.object, "id") != text(part(s.object, "plan"), "id") {
			continue
		}
		for _, version := range plan.versions {
			prices, shared := byID(objects(version, "prices")), 0
			for _, i := range s.intervals {
				if prices[text(i.price, "id")] != nil {
					shared++
				}
			}
			if shared > most || shared == most && number(version, "version") == number(plan.object, "version") {
				most, found = shared, version
			}
		}
	}
	return found
}

// terms adds prices and adjustments to the request for a subscription, where they differ from those of
// its plan.
func (t *transfer) terms(ctx context.Context, s *movedSubscription, ofSource, body object) (bool, error) {
	plan, _ := t.to(kindPlan, text(part(s.object, "plan"), "id"))
	version, err := t.targetVersion(ctx, plan, ofSource)
	if err != nil {
		return false, err
	}
	s.adjusted = map[string]bool{}
	for _, a := range objects(s.object, "adjustment_intervals") {
		for _, price := range texts(part(a, "adjustment"), "applies_to_price_ids") {
			s.adjusted[price] = true
		}
	}
	kept := map[string]bool{} // prices of the target
	var added []any
	names := map[string]string{} // of prices of the source, in this request
	for _, i := range s.intervals {
		phased := i.price["plan_phase_order"] != nil
		if i.to != "" && !phased && i.as(s) && !kept[i.to] && byID(objects(version, "prices"))[i.to] != nil {
			kept[i.to] = true
			names[text(i.price, "id")] = i.to
			continue
		}
		if !i.own(s) {
			continue // added afterwards
		}
		entry, ok := t.addition(s, i, names)
		if !ok {
			return false, nil
		}
		added = append(added, entry)
	}
	var removed, withdrawn []any
	for _, price := range objects(version, "prices") {
		if !kept[text(price, "id")] {
			removed = append(removed, object{"price_id": text(price, "id")})
		}
	}
	for _, a := range objects(version, "adjustments") {
		withdrawn = append(withdrawn, object{"adjustment_id": text(a, "id")})
	}
	adjustments, err := t.adjustmentsOf(s, names)
	if err != nil {
		return false, err
	}
	for name, list := range map[string][]any{"add_prices": added, "remove_prices": removed, "remove_adjustments": withdrawn, "add_adjustments": adjustments} {
		if len(list) > 0 {
			body[name] = list
		}
	}
	return true, nil
}

// addition is an entry of add_prices. An adjustment can only name prices that the plan gives or that
// the request makes, so a price that is named is made once more.
func (t *transfer) addition(s *movedSubscription, i *interval, names map[string]string) (object, bool) {
	entry := pick(i.object, "metric_parameter_overrides")
	if i.start.After(s.start) {
		entry["start_date"] = written(i.start)
	}
	if i.end != "" {
		entry["end_date"] = i.end
	}
	from := text(i.price, "id")
	allocation := part(i.price, "credit_allocation") != nil
	if i.to != "" && (allocation || !s.adjusted[from]) && (i.quantity == "" || money.Must(i.quantity).Equal(money.Must(number(i.price, "fixed_price_quantity")))) {
		entry["price_id"] = i.to
		return entry, true
	}
	member, body, ok := t.entry(kindSubscription, s.object, i.price)
	if !ok {
		return nil, false
	}
	if member == "price" {
		if i.quantity != "" {
			body["fixed_price_quantity"] = jsonNumber(money.Must(i.quantity))
		}
		body["reference_id"] = from
		names[from] = from
	} else if s.adjusted[from] && money.Must(number(part(i.price, "unit_config"), "unit_amount")).Sign() != 0 {
		t.leave(kindSubscription, s.object, "adjustments of the allocation "+text(i.price, "name"))
	}
	entry[member] = body
	return entry, true
}

// adjustmentsOf are the adjustments that work in open periods, for prices by their names in the request.
func (t *transfer) adjustmentsOf(s *movedSubscription, names map[string]string) (all []any, err error) {
	for _, o := range objects(s.object, "adjustment_intervals") {
		begin, _, err := instant(o, "start_date")
		if err != nil {
			return nil, err
		}
		end, ends, err := instant(o, "end_date")
		if err != nil {
			return nil, err
		}
		if ends && !end.After(s.start) {
			continue
		}
		entry := object{}
		if begin.After(s.start) {
			entry["start_date"] = written(begin)
		}
		if ends && text(o, "end_date") != text(s.object, "end_date") {
			entry["end_date"] = text(o, "end_date")
		}
		a := part(o, "adjustment")
		body := t.newAdjustment(a, func(price string) string { return names[price] })
		if prices, ok := body["applies_to_price_ids"].([]string); ok {
			present := []string{}
			for _, name := range prices {
				if name != "" {
					present = append(present, name)
				}
			}
			if len(present) == 0 {
				continue // its prices have ended
			}
			body["applies_to_price_ids"] = present
		}
		entry["adjustment"] = body
		all = append(all, entry)
	}
	return all, nil
}

// laterTerms sets what a request for a subscription cannot say: whose usage a price counts, and when
// quantities change.
func (t *transfer) laterTerms(ctx context.Context, s *movedSubscription) error {
	var add []any
	edits := []*interval{}
	for _, i := range s.intervals {
		if !i.own(s) {
			entry := pick(i.object, "metric_parameter_overrides", "filter", "can_defer_billing")
			entry["start_date"] = written(i.start)
			if i.end != "" {
				entry["end_date"] = i.end
			}
			if whose := texts(i.object, "usage_customer_ids"); len(whose) > 0 {
				entry["usage_customer_ids"] = t.ids(kindCustomer, whose)
			}
			if i.to != "" {
				entry["price_id"] = i.to
			} else if member, body, ok := t.entry(kindSubscription, s.object, i.price); ok {
				entry[member] = body
			} else {
				continue
			}
			add = append(add, entry)
		} else if len(i.later) > 0 || truth(i.object, "can_defer_billing") {
			edits = append(edits, i)
		}
	}
	if len(add)+len(edits) == 0 {
		return nil
	}
	path := "/subscriptions/" + escaped(s.to) + "/price_intervals"
	return t.once("POST "+path, func() error {
		body := object{}
		if len(add) > 0 {
			body["add"] = add
		}
		if len(edits) > 0 {
			subscription, err := t.Target.get(ctx, "/subscriptions/"+escaped(s.to))
			if err != nil {
				return err
			}
			body["edit"] = t.edits(s, edits, objects(subscription, "price_intervals"))
		}
		_, err := t.Target.send(ctx, http.MethodPost, path, body, idempotencyKey(kindSubscription, path))
		if refused(err, http.StatusBadRequest) {
			t.leave(kindSubscription, s.object, "the target refuses changes of its prices: "+err.Error())
			return nil
		}
		return err
	})
}

// edits are the changes of intervals of the target that stand for those of the source.
func (t *transfer) edits(s *movedSubscription, wanted []*interval, there []object) (edits []any) {
	taken := map[string]bool{}
	for _, i := range wanted {
		found := false
		for _, o := range there {
			begin, _, err := instant(o, "start_date")
			if err != nil || taken[text(o, "id")] || !begin.Equal(i.start) || text(part(o, "price"), "name") != text(i.price, "name") {
				continue
			}
			if id := text(part(o, "price"), "id"); i.to != "" && id != i.to && i.as(s) {
				continue
			}
			taken[text(o, "id")], found = true, true
			edit := object{"price_interval_id": text(o, "id")}
			if len(i.later) > 0 {
				edit["fixed_fee_quantity_transitions"] = i.later
			}
			if truth(i.object, "can_defer_billing") {
				edit["can_defer_billing"] = true
			}
			edits = append(edits, edit)
			break
		}
		if !found {
			t.leave(kindSubscription, s.object, "later quantities of "+text(i.price, "name"))
		}
	}
	return edits
}

func (t *transfer) licenses(ctx context.Context, s *movedSubscription) error {
	all, err := t.Source.oldestFirst(ctx, "/licenses", url.Values{"subscription_id": {text(s.object, "id")}})
	if err != nil {
		return err
	}
	for _, license := range all {
		if text(license, "status") != "active" {
			continue
		}
		body := pick(license, "external_license_id")
		body["subscription_id"] = s.to
		if !t.refer(kindLicense, license, body, "license_type_id", kindLicenseType, text(license, "license_type_id")) {
			continue
		}
		for _, name := range []string{"start_date", "end_date"} {
			if license[name] == nil {
				continue
			}
			if body[name], err = localDate(license, name, text(part(s.object, "customer"), "timezone")); err != nil {
				return err
			}
		}
		if _, _, err := t.create(ctx, kindLicense, license, "/licenses", body); err != nil {
			return err
		}
	}
	return nil
}
