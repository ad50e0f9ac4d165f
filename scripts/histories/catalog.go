package main

import (
	"context"
	"encoding/json"
)

// item finds or makes an item.
func (r *run) item(ctx context.Context, name string) (string, error) {
	if id := r.w.items[name]; id != "" {
		return id, nil
	}
	made, err := r.post(ctx, "/v1/items", object{"name": name})
	if err != nil {
		return "", err
	}
	r.w.items[name] = made.str("id")
	return made.str("id"), nil
}

func (r *run) metric(ctx context.Context, name string) (string, error) {
	if id := r.w.metrics[name]; id != "" {
		return id, nil
	}
	item, err := r.item(ctx, "Usage")
	if err != nil {
		return "", err
	}
	made, err := r.post(ctx, "/v1/metrics", object{"name": name, "description": nil, "item_id": item, "sql": sqls[name]})
	if err != nil {
		return "", err
	}
	r.w.metrics[name] = made.str("id")
	return made.str("id"), nil
}

var cadences = map[cycle]string{{}: "one_time", {Months: 1}: "monthly", {Months: 3}: "quarterly", {Months: 6}: "semi_annual", {Months: 12}: "annual"}

func (c cycle) configuration() object {
	if c.Days > 0 {
		return object{"duration": c.Days, "duration_unit": "day"}
	}
	return object{"duration": c.Months, "duration_unit": "month"}
}

// price is the body of a price.
func (r *run) price(ctx context.Context, s priceSpec) (object, error) {
	item, err := r.item(ctx, s.Item)
	if err != nil {
		return nil, err
	}
	body := object{"name": s.Name, "item_id": item, "model_type": s.Model, "reference_id": s.Name}
	if body["cadence"] = cadences[s.Cycle]; body["cadence"] == "" {
		body["cadence"], body["billing_cycle_configuration"] = "custom", s.Cycle.configuration()
	}
	if s.Invoiced != nil {
		body["invoicing_cycle_configuration"] = s.Invoiced.configuration()
	}
	if s.Metric == "" {
		body["fixed_price_quantity"], body["billed_in_advance"] = json.Number(s.Quantity), s.Advance
	} else if s.Metric == composite {
		body["composite_price_filters"] = []object{{"field": "price_type", "operator": "includes", "values": []string{"usage", "fixed"}}}
	} else if body["billable_metric_id"], err = r.metric(ctx, s.Metric); err != nil {
		return nil, err
	}
	if s.Currency != "" {
		body["currency"] = s.Currency
	}
	if s.Conversion != "" {
		body["conversion_rate_config"] = s.conversionRate()
	}
	body[s.Model+"_config"] = s.configuration()
	return body, r.licensing(ctx, s, body)
}

func (a adjustment) body() object {
	body := object{"adjustment_type": a.Kind, "is_invoice_level": len(a.Prices) != 1}
	if len(a.Prices) > 0 {
		body["applies_to_price_ids"] = a.Prices
	} else {
		body["applies_to_all"] = true
	}
	switch a.Kind {
	case "minimum", "maximum":
		body[a.Kind+"_amount"] = a.Amount
	case "amount_discount":
		body[a.Kind] = a.Amount
	default:
		body[a.Kind] = json.Number(a.Amount)
	}
	return body
}

func (r *run) plan(ctx context.Context, s step) error {
	var prices, adjusts, phases []object
	for _, p := range s.Prices {
		body, err := r.price(ctx, p)
		if err != nil {
			return err
		}
		entry := object{"price": body}
		if p.allocation() {
			entry = object{"allocation_price": p.allocationPrice(r.w.items[p.Item])}
		} else if p.Seats != "" {
			entry = object{"license_allocation_price": body}
		}
		if p.Phase > 0 {
			entry["plan_phase_order"] = p.Phase
		}
		prices = append(prices, entry)
	}
	for _, a := range s.Adjust {
		body := a.body()
		if a.Kind == "minimum" {
			item, err := r.item(ctx, "Minimum")
			if err != nil {
				return err
			}
			body["item_id"] = item
		}
		if a.Item != "" { // prices of different cycles cannot be listed (price-models.md 6.2)
			item, err := r.item(ctx, a.Item)
			if err != nil {
				return err
			}
			delete(body, "applies_to_price_ids")
			body["applies_to_item_ids"] = []string{item}
		}
		entry := object{"adjustment": body}
		if a.Phase > 0 {
			entry["plan_phase_order"] = a.Phase
		}
		adjusts = append(adjusts, entry)
	}
	for n, p := range s.Phases {
		one := object{"order": n + 1, "align_billing_with_phase_start_date": p.Align}
		if p.Months > 0 {
			one["duration"], one["duration_unit"] = p.Months, "monthly"
		}
		phases = append(phases, one)
	}
	body := object{"name": s.Name, "currency": "USD", "prices": prices, "net_terms": s.Terms}
	if len(adjusts) > 0 {
		body["adjustments"] = adjusts
	}
	if len(phases) > 0 {
		body["plan_phases"] = phases
	}
	made, err := r.post(ctx, "/v1/plans", body)
	if err != nil {
		return err
	}
	first := &plan{id: made.str("id"), version: 1, prices: s.Prices, adjust: s.Adjust, phases: s.Phases}
	first.learn(made)
	r.w.plans[s.Name] = first
	return nil
}
