package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// holding is the interval of a price that is in force or ahead, by the price's name.
func (s *subscription) holding(name string, now time.Time) *interval {
	for _, i := range s.intervals {
		if i.spec.Name == name && (i.to.IsZero() || i.to.After(now)) {
			return i
		}
	}
	return nil
}

func (r *run) quantity(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.price == "" {
		return errSkipped
	}
	body := object{"price_id": i.price, "quantity": json.Number(s.Amount), "change_option": s.Option}
	z := sub.customer.zone
	var from day
	switch s.Option {
	case "immediate":
		from = z.day(r.w.now)
	case "effective_date":
		from = parseDay(s.At)
		body["effective_date"] = s.At
	case "upcoming_invoice":
		from = sub.nextBilling(i, r.w.now)
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/update_fixed_fee_quantity", body); err != nil {
		return err
	}
	for _, one := range sub.intervals { // another plan may have the same price by then
		if one.price == i.price && !z.start(from).Before(one.from) && (one.to.IsZero() || z.start(from).Before(one.to)) {
			i = one
		}
	}
	i.set(max(from, z.day(i.from)), rat(s.Amount))
	return nil
}

// nextBilling is the local day from which the next invoice of an interval's price bills.
func (s *subscription) nextBilling(i *interval, now time.Time) day {
	z := s.customer.zone
	if i.from.After(now) {
		return z.day(i.from)
	}
	return i.anchor.around(i.spec.invoicing(), z.day(now)).to
}

func (r *run) unscheduleQuantity(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.price == "" {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/unschedule_fixed_fee_quantity_updates", object{"price_id": i.price}); err != nil {
		return err
	}
	z := sub.customer.zone
	i.quantities = slices.DeleteFunc(i.quantities, func(t transition) bool { return z.start(t.from).After(r.w.now) })
	return nil
}
