package importaccount

import (
	"context"
	"encoding/json"
	"strings"

	"tollkeeper/domain/money"
)

func jsonNumber(d money.Decimal) json.Number { return json.Number(d.String()) }

// newPrice returns the request for a price like one of the source. What it refers to and was
// left out is reported under the kind that needs the price.
func (t *transfer) newPrice(kind string, of, price object) (object, bool) {
	body := pick(price, "name", "cadence", "billing_cycle_configuration", "invoicing_cycle_configuration", "invoice_grouping_key",
		"fixed_price_quantity", "conversion_rate", "conversion_rate_config", "model_type", "external_price_id", "metadata", "currency")
	for name, value := range price {
		if strings.HasSuffix(name, "_config") && value != nil {
			body[name] = value // the configuration of its model
		}
	}
	if text(price, "billing_mode") != "" && text(price, "price_type") == "fixed_price" {
		body["billed_in_advance"] = text(price, "billing_mode") == "in_advance"
	}
	if filters := objects(price, "composite_price_filters"); len(filters) > 0 {
		body["composite_price_filters"] = t.filters(filters)
	}
	ok := t.refer(kind, of, body, "item_id", kindItem, text(part(price, "item"), "id")) &&
		t.refer(kind, of, body, "billable_metric_id", kindMetric, text(part(price, "billable_metric"), "id")) &&
		t.refer(kind, of, body, "license_type_id", kindLicenseType, text(part(price, "license_type"), "id"))
	if place := part(price, "dimensional_price_configuration"); ok && place != nil {
		config := pick(place, "dimension_values")
		ok = t.refer(kind, of, config, "dimensional_price_group_id", kindGroup, text(place, "dimensional_price_group_id"))
		body["dimensional_price_configuration"] = config
	}
	if ok && part(price, "license_type") != nil && text(price, "price_type") == "fixed_price" {
		t.leave(kind, of, "what each license of price "+text(price, "name")+" may use: answers do not show it")
	}
	return body, ok
}

// newAllocation returns the request for an allocation of credits like one of the source.
func (t *transfer) newAllocation(kind string, of, price object) (object, bool) {
	allocation := part(price, "credit_allocation")
	body := pick(allocation, "currency", "custom_expiration")
	body["amount"] = number(price, "fixed_price_quantity")
	body["cadence"] = text(price, "cadence")
	body["expires_at_end_of_cadence"] = !truth(allocation, "allows_rollover") && allocation["custom_expiration"] == nil
	body["per_unit_cost_basis"] = number(part(price, "unit_config"), "unit_amount")
	if filters := objects(allocation, "filters"); len(filters) > 0 {
		body["filters"] = t.filters(filters)
	}
	if metadata := part(price, "metadata"); metadata != nil {
		body["metadata"] = metadata
	}
	ok := t.refer(kind, of, body, "license_type_id", kindLicenseType, text(allocation, "license_type_id"))
	return body, ok && t.refer(kind, of, body, "item_id", kindItem, text(part(price, "item"), "id"))
}

// entry returns the member that a request has for a price, and its value.
func (t *transfer) entry(kind string, of, price object) (member string, body object, ok bool) {
	t.currencies[text(price, "currency")] = true
	if allocation := part(price, "credit_allocation"); allocation != nil {
		t.currencies[text(allocation, "currency")] = true
		body, ok = t.newAllocation(kind, of, price)
		return "allocation_price", body, ok
	}
	body, ok = t.newPrice(kind, of, price)
	return "price", body, ok
}

// filters returns filters with the ids of the target. Ids that are not there stay, and
// the target refuses them.
func (t *transfer) filters(all []object) (mapped []any) {
	kinds := map[string]string{"item_id": kindItem, "price_id": kindPrice}
	for _, f := range all {
		filter := pick(f, "field", "operator", "values")
		if kind := kinds[text(f, "field")]; kind != "" {
			filter["values"] = t.ids(kind, texts(f, "values"))
		}
		mapped = append(mapped, filter)
	}
	return mapped
}

func (t *transfer) ids(kind string, from []string) []string {
	to := make([]string, len(from))
	for i, id := range from {
		to[i] = id
		if known, ok := t.to(kind, id); ok {
			to[i] = known
		}
	}
	return to
}

// addOnPrices moves prices of the catalog that are in no plan. Those of plans are in the same list, and
// cannot be told apart there: plans come first at the source, so theirs are subtracted.
func (t *transfer) addOnPrices(ctx context.Context) error {
	if err := t.readPlans(ctx); err != nil {
		return err
	}
	all, err := t.Source.oldestFirst(ctx, "/prices", nil)
	if err != nil {
		return err
	}
	for _, price := range all {
		if t.catalog[text(price, "id")] {
			continue
		}
		t.catalog[text(price, "id")] = true
		member, body, ok := t.entry(kindPrice, price, price)
		if !ok || member != "price" {
			continue // an allocation of a version of a plan that is gone
		}
		if _, _, err := t.create(ctx, kindPrice, price, "/prices", body); err != nil {
			return err
		}
	}
	return nil
}
