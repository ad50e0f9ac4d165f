package importaccount

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// movedPlan is a plan of the source with the versions that are moved, lowest first.
type movedPlan struct {
	object
	versions []object
}

// unusedVersions is how many numbers above the highest known version are tried: no operation
// lists versions, and numbers may be left out.
const unusedVersions = 3

// readPlans reads plans and subscriptions, which say what versions there are.
func (t *transfer) readPlans(ctx context.Context) error {
	if err := t.readSubscriptions(ctx); err != nil {
		return err
	}
	highest := map[string]int{}
	for _, s := range t.subs {
		plan := part(s.object, "plan")
		highest[text(plan, "id")] = max(highest[text(plan, "id")], whole(plan, "version"))
	}
	plans, err := t.Source.oldestFirst(ctx, "/plans", nil)
	if err != nil {
		return err
	}
	for _, plan := range plans {
		moved := &movedPlan{object: plan}
		last := max(highest[text(plan, "id")], whole(plan, "version"), 1)
		for n := 1; n <= last+unusedVersions; n++ {
			version, err := t.Source.get(ctx, fmt.Sprintf("/plans/%s/versions/%d", escaped(text(plan, "id")), n))
			if refused(err, http.StatusNotFound) || refused(err, http.StatusBadRequest) {
				continue
			}
			if err != nil {
				return err
			}
			moved.versions = append(moved.versions, version)
			last = max(last, n)
			for _, price := range objects(version, "prices") {
				t.catalog[text(price, "id")] = true
			}
		}
		t.sourcePlans = append(t.sourcePlans, moved)
	}
	return nil
}

// whole returns a member that is a whole number; 0 where it is none.
func whole(o object, name string) int {
	n, _ := strconv.Atoi(number(o, name))
	return n
}

func (t *transfer) plans(ctx context.Context) error {
	for _, plan := range t.sourcePlans {
		if len(plan.versions) == 0 {
			t.leave(kindPlan, plan.object, "the source shows none of its versions")
			continue
		}
		if err := t.movePlan(ctx, plan); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) movePlan(ctx context.Context, plan *movedPlan) error {
	first := plan.versions[0]
	body := pick(plan.object, "name", "currency", "description", "external_plan_id", "default_invoice_memo", "net_terms", "metadata")
	if text(plan.object, "status") == "draft" {
		body["status"] = "draft"
	}
	prices, ok := t.priceEntries(plan.object, objects(first, "prices"))
	if !ok {
		return nil
	}
	body["prices"] = prices
	body["adjustments"] = t.adjustmentEntries(objects(first, "adjustments"), nil)
	if phases := objects(first, "plan_phases"); len(phases) > 0 {
		var asked []any
		for _, phase := range phases {
			asked = append(asked, pick(phase, "order", "duration", "duration_unit"))
		}
		body["plan_phases"] = asked
		t.leave(kindPlan, plan.object, "whether billing is aligned with the start of a phase: answers do not show it")
	}
	switch {
	case text(plan.object, "status") == "archived":
		t.leave(kindPlan, plan.object, "it is archived at the source: archive it with `tollkeeper plan archive`")
	case part(plan.object, "trial_config") != nil && part(plan.object, "trial_config")["trial_period"] != nil:
		t.leave(kindPlan, plan.object, "its trial: set it with `tollkeeper plan trial`")
	}
	id, ok, err := t.create(ctx, kindPlan, plan.object, "/plans", body)
	if err != nil || !ok {
		return err
	}
	if err := t.matchPrices(ctx, plan, id, first); err != nil {
		return err
	}
	for k, version := range plan.versions[1:] {
		if err := t.moveVersion(ctx, plan, id, plan.versions[k], version); err != nil {
			return err
		}
	}
	return nil
}

// priceEntries returns the requests for prices of a plan. Each new price is named by its id at the
// source, so adjustments of the same request can refer to it.
func (t *transfer) priceEntries(plan object, prices []object) (entries []any, ok bool) {
	entries = []any{}
	for _, price := range prices {
		member, body, ok := t.entry(kindPlan, plan, price)
		if !ok {
			return nil, false
		}
		if member == "price" {
			body["reference_id"] = text(price, "id")
		}
		entry := pick(price, "plan_phase_order")
		entry[member] = body
		entries = append(entries, entry)
	}
	return entries, true
}

// adjustmentEntries returns the requests for adjustments. The names of prices in the same
// request are those of references; other prices are named by their ids at the target.
func (t *transfer) adjustmentEntries(adjustments []object, references map[string]string) []any {
	entries := []any{}
	for _, a := range adjustments {
		entry := pick(a, "plan_phase_order")
		entry["adjustment"] = t.newAdjustment(a, func(price string) string {
			if references != nil {
				if reference, ok := references[price]; ok {
					return reference
				}
				if to, ok := t.to(kindPrice, price); ok {
					return to
				}
			}
			return price
		})
		entries = append(entries, entry)
	}
	return entries
}

// newAdjustment returns the request for an adjustment like one of the source. An answer shows
// which prices are meant by their ids or by filters, never by both.
func (t *transfer) newAdjustment(a object, named func(price string) string) object {
	body := pick(a, "adjustment_type", "amount_discount", "percentage_discount", "usage_discount", "minimum_amount", "maximum_amount", "tiers", "is_invoice_level")
	if item := text(a, "item_id"); item != "" {
		body["item_id"] = t.ids(kindItem, []string{item})[0]
	}
	if prices := texts(a, "applies_to_price_ids"); len(prices) > 0 {
		to := make([]string, len(prices))
		for i, price := range prices {
			to[i] = named(price)
		}
		body["applies_to_price_ids"] = to
		return body
	}
	if filters := objects(a, "filters"); len(filters) > 0 {
		body["filters"] = t.filters(filters)
		return body
	}
	body["applies_to_all"] = true
	return body
}

// moveVersion asks for a version as a change of the one before.
func (t *transfer) moveVersion(ctx context.Context, plan *movedPlan, id string, before, version object) error {
	named := object{"id": text(plan.object, "id") + " " + number(version, "version"), "name": plan.object["name"]}
	if _, known := t.to(kindVersion, text(named, "id")); known {
		t.report.Kept[kindVersion]++
		return nil
	}
	had, has := byID(objects(before, "prices")), byID(objects(version, "prices"))
	var added, replaced, removed []any
	references, gone := map[string]string{}, map[string]bool{}
	for _, price := range objects(version, "prices") {
		if had[text(price, "id")] != nil {
			continue
		}
		entries, ok := t.priceEntries(plan.object, []object{price})
		if !ok {
			return nil
		}
		entry := entries[0].(object)
		references[text(price, "id")] = text(price, "id")
		if old := text(price, "replaces_price_id"); had[old] != nil && has[old] == nil && !gone[old] {
			entry["replaces_price_id"] = t.ids(kindPrice, []string{old})[0]
			gone[old] = true
			replaced = append(replaced, entry)
			continue
		}
		added = append(added, entry)
	}
	for _, price := range objects(before, "prices") {
		if from := text(price, "id"); has[from] == nil && !gone[from] {
			removed = append(removed, object{"price_id": t.ids(kindPrice, []string{from})[0]})
		}
	}
	target, err := t.targetVersion(ctx, id, before)
	if err != nil {
		return err
	}
	var withdrawn []any
	for _, a := range objects(target, "adjustments") {
		withdrawn = append(withdrawn, object{"adjustment_id": text(a, "id")})
	}
	body := object{
		"version": version["version"], "set_as_default": number(version, "version") == number(plan.object, "version"),
		"add_prices": added, "replace_prices": replaced, "remove_prices": removed,
		"remove_adjustments": withdrawn, "add_adjustments": t.adjustmentEntries(objects(version, "adjustments"), references),
	}
	for name, value := range body {
		if list, ok := value.([]any); ok && len(list) == 0 {
			delete(body, name)
		}
	}
	if _, ok, err := t.create(ctx, kindVersion, named, "/plans/"+escaped(id)+"/versions", body); err != nil || !ok {
		return err
	}
	return t.matchPrices(ctx, plan, id, version)
}

func byID(all []object) map[string]object {
	found := map[string]object{}
	for _, o := range all {
		found[text(o, "id")] = o
	}
	return found
}

// targetVersion returns a version as it is at the target; in a dry run as at the source.
func (t *transfer) targetVersion(ctx context.Context, plan string, version object) (object, error) {
	if t.DryRun {
		return version, nil
	}
	return t.Target.get(ctx, fmt.Sprintf("/plans/%s/versions/%s", escaped(plan), number(version, "version")))
}

// matchPrices finds which price of the target is which of the source: the answer has an id
// for each, and prices that are alike are interchangeable.
func (t *transfer) matchPrices(ctx context.Context, plan *movedPlan, id string, version object) error {
	missing := []object{}
	for _, price := range objects(version, "prices") {
		if _, known := t.to(kindPrice, text(price, "id")); !known {
			missing = append(missing, price)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if t.DryRun {
		for _, price := range missing {
			t.plan(kindPrice, text(price, "id"))
		}
		return nil
	}
	target, err := t.targetVersion(ctx, id, version)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, to := range t.Journal.ids[kindPrice] {
		taken[to] = true
	}
	for _, price := range missing {
		want, err := t.likeness(price, true)
		if err != nil {
			return err
		}
		found := ""
		for _, candidate := range objects(target, "prices") {
			like, err := t.likeness(candidate, false)
			if err != nil {
				return err
			}
			if !taken[text(candidate, "id")] && like == want {
				found = text(candidate, "id")
				break
			}
		}
		if found == "" {
			t.leave(kindPlan, plan.object, "price "+text(price, "name")+" is not in the answer of the target as it is at the source")
			continue
		}
		taken[found] = true
		if err := t.Journal.write(line{Kind: kindPrice, From: text(price, "id"), To: found}); err != nil {
			return err
		}
	}
	return nil
}

// likeness is a text that is equal for prices that charge the same. Ids of a price of the source
// are replaced by those of the target.
func (t *transfer) likeness(price object, ofSource bool) (string, error) {
	id := func(kind, id string) string {
		if ofSource {
			return t.ids(kind, []string{id})[0]
		}
		return id
	}
	like := pick(price, "name", "cadence", "billing_mode", "currency", "model_type", "price_type", "plan_phase_order", "external_price_id",
		"conversion_rate", text(price, "model_type")+"_config")
	if price["fixed_price_quantity"] != nil {
		quantity, err := decimal(price, "fixed_price_quantity")
		if err != nil {
			return "", err
		}
		like["fixed_price_quantity"] = quantity.String()
	}
	like["item"] = id(kindItem, text(part(price, "item"), "id"))
	like["metric"] = id(kindMetric, text(part(price, "billable_metric"), "id"))
	return canonical(like), nil
}
