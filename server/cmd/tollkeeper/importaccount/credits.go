package importaccount

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"tollkeeper/domain/money"
)

// units are those in which a customer may have credits.
func (t *transfer) units(customer object) []string {
	units := slices.Sorted(maps.Keys(t.currencies))
	return slices.DeleteFunc(units, func(unit string) bool {
		return unit == "" || len(unit) == len("USD") && unit != text(customer, "currency")
	})
}

// credits moves what is left in each block, and what open periods drew: they draw it again at the target.
func (t *transfer) credits(ctx context.Context) error {
	open := map[string]bool{}
	for _, s := range t.subs {
		if s.draft != "" {
			open[s.draft] = true
		}
	}
	for _, c := range t.customers {
		for _, unit := range t.units(c) {
			if err := t.ledger(ctx, c, unit, open); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *transfer) ledger(ctx context.Context, customer object, unit string, open map[string]bool) error {
	source := "/customers/" + escaped(text(customer, "id")) + "/credits"
	blocks, err := t.Source.oldestFirst(ctx, source, url.Values{"currency": {unit}, "include_all_blocks": {"true"}})
	if err != nil || len(blocks) == 0 {
		return err
	}
	drawn := map[string]money.Decimal{} // by block
	err = t.Source.list(ctx, source+"/ledger", url.Values{"currency": {unit}}, func(entry object) error {
		block := text(part(entry, "credit_block"), "id")
		if !open[text(entry, "invoice_id")] {
			return nil
		}
		amount, err := decimal(entry, "amount")
		switch text(entry, "entry_type") {
		case "decrement":
			drawn[block] = drawn[block].Add(amount)
		case "amendment":
			drawn[block] = drawn[block].Sub(amount)
		}
		return err
	})
	if err != nil {
		return err
	}
	to, _ := t.to(kindCustomer, text(customer, "id"))
	for _, block := range blocks {
		balance, err := decimal(block, "balance")
		if err != nil {
			return err
		}
		if err := t.moveBlock(ctx, customer, to, unit, block, balance.Add(drawn[text(block, "id")])); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) moveBlock(ctx context.Context, customer object, to, unit string, block object, amount money.Decimal) error {
	named := object{"id": text(block, "id"), "name": text(customer, "name")}
	switch {
	case text(block, "status") == "pending_payment":
		t.leave(kindCredits, named, "credits that wait for the payment of an invoice of the source")
		return nil
	case amount.IsZero():
		return nil
	case text(block, "credit_block_source") == "allocation" && t.granted(customer, block):
		return nil // the target grants it itself
	case amount.Sign() < 0:
		t.leave(kindCredits, named, "an overdraft of "+amount.Abs().String()+" "+unit)
		return nil
	}
	body := pick(block, "effective_date", "expiry_date", "per_unit_cost_basis", "metadata")
	body["entry_type"], body["amount"], body["currency"] = "increment", jsonNumber(amount), unit
	body["description"] = "Moved from " + t.Source.url
	if filters := objects(block, "filters"); len(filters) > 0 {
		body["filters"] = t.filters(filters)
	}
	_, _, err := t.create(ctx, kindCredits, named, "/customers/"+escaped(to)+"/credits/ledger_entry", body)
	return err
}

// granted reports whether a block of an allocation is of an open period: the subscription was moved
// with the allocation, and the target has granted it.
func (t *transfer) granted(customer, block object) bool {
	effective, ok, err := instant(block, "effective_date")
	if err != nil || !ok {
		return false
	}
	for _, s := range t.subs {
		if text(part(s.object, "customer"), "id") != text(customer, "id") || s.to == "" {
			continue
		}
		for _, o := range objects(s.object, "price_intervals") {
			begin, ok, err := instant(o, "current_billing_period_start_date")
			if err == nil && ok && part(part(o, "price"), "credit_allocation") != nil && !effective.Before(begin) {
				return true
			}
		}
	}
	return false
}

func (t *transfer) topUps(ctx context.Context) error {
	for _, c := range t.customers {
		to, _ := t.to(kindCustomer, text(c, "id"))
		all, err := t.Source.oldestFirst(ctx, "/customers/"+escaped(text(c, "id"))+"/credits/top_ups", nil)
		if err != nil {
			return err
		}
		for _, topUp := range all {
			body := pick(topUp, "currency", "threshold", "amount", "per_unit_cost_basis", "expires_after", "expires_after_unit")
			body["invoice_settings"] = pick(part(topUp, "invoice_settings"), "auto_collection", "net_terms", "memo", "require_successful_payment")
			if _, _, err := t.create(ctx, kindTopUp, topUp, "/customers/"+escaped(to)+"/credits/top_ups", body); err != nil {
				return err
			}
		}
	}
	return nil
}
