package importaccount

import (
	"context"
	"net/http"
	"time"

	"tollkeeper/domain/money"
)

// interval is a price interval of the source, from its open period on.
type interval struct {
	object
	start    time.Time
	end      string        // empty where it ends with the subscription
	quantity money.Decimal // of a fixed fee, at the start
	changed  bool          // that is not the quantity of its price
	later    []any         // changes of the quantity after the start
	price    object        // of the source
	to       string        // id of the price at the target; empty for one of the subscription alone
}

// intervals returns the prices that have not ended.
func (t *transfer) intervals(s *movedSubscription) (all []*interval, err error) {
	for _, o := range objects(s.object, "price_intervals") {
		i := &interval{object: o, price: part(o, "price")}
		begin, end, ends, err := dates(o)
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
	ofPrice, err := decimal(i.price, "fixed_price_quantity")
	if err != nil {
		return err
	}
	i.quantity = ofPrice
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
			if i.quantity, err = decimal(change, "quantity"); err != nil {
				return err
			}
			newest = at
		}
	}
	i.changed = !i.quantity.Equal(ofPrice)
	return nil
}

// isOfPlan reports whether an interval is what the plan gives a subscription.
func (i *interval) isOfPlan(s *movedSubscription) bool {
	return i.start.Equal(s.start) && i.end == "" && !i.changed && i.countsAs(s) && i.object["metric_parameter_overrides"] == nil
}

// countsAs reports whether an interval counts the same events as the subscription.
func (i *interval) countsAs(s *movedSubscription) bool {
	return s.scoped || len(texts(i.object, "usage_customer_ids")) == 0 && text(i.object, "filter") == ""
}

// laterTerms sets what a request for a subscription cannot say: whose usage a price counts, and when
// quantities change.
func (t *transfer) laterTerms(ctx context.Context, s *movedSubscription) error {
	var add []any
	edits := []*interval{}
	for _, i := range s.intervals {
		if !i.countsAs(s) {
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
			if id := text(part(o, "price"), "id"); i.to != "" && id != i.to && i.isOfPlan(s) {
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
