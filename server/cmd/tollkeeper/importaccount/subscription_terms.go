package importaccount

import (
	"context"
)

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
		if i.to != "" && !phased && i.isOfPlan(s) && !kept[i.to] && byID(objects(version, "prices"))[i.to] != nil {
			kept[i.to] = true
			names[text(i.price, "id")] = i.to
			continue
		}
		if !i.countsAs(s) {
			continue // added afterwards
		}
		entry, err := t.addition(s, i, names)
		if err != nil || entry == nil {
			return false, err
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

// addition is an entry of add_prices, and nil where the price refers to what was not moved. An adjustment can only name prices that the plan gives or that
// the request makes, so a price that is named is made once more.
func (t *transfer) addition(s *movedSubscription, i *interval, names map[string]string) (object, error) {
	entry := pick(i.object, "metric_parameter_overrides")
	if i.start.After(s.start) {
		entry["start_date"] = written(i.start)
	}
	if i.end != "" {
		entry["end_date"] = i.end
	}
	from := text(i.price, "id")
	allocation := part(i.price, "credit_allocation") != nil
	if i.to != "" && (allocation || !s.adjusted[from]) && !i.changed {
		entry["price_id"] = i.to
		return entry, nil
	}
	member, body, ok := t.entry(kindSubscription, s.object, i.price)
	if !ok {
		return nil, nil
	}
	if member == "price" {
		if i.changed {
			body["fixed_price_quantity"] = jsonNumber(i.quantity)
		}
		body["reference_id"] = from
		names[from] = from
	} else if fee, err := decimal(part(i.price, "unit_config"), "unit_amount"); err != nil {
		return nil, err
	} else if s.adjusted[from] && fee.Sign() != 0 {
		t.leave(kindSubscription, s.object, "adjustments of the allocation "+text(i.price, "name"))
	}
	entry[member] = body
	return entry, nil
}

// adjustmentsOf are the adjustments that work in open periods, for prices by their names in the request.
func (t *transfer) adjustmentsOf(s *movedSubscription, names map[string]string) (all []any, err error) {
	for _, o := range objects(s.object, "adjustment_intervals") {
		begin, end, ends, err := dates(o)
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
