package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// sellVaried makes customers that differ, and subscribes each from the beginning of the month: in turns with nothing
// more, a block of credits, credits that the plan grants, an invoicing threshold, and a license with credits of its
// own.
func (b *billed) sellVaried(ctx context.Context, customers int) error {
	kinds, err := b.variedPlans(ctx)
	if err != nil {
		return err
	}
	for n := range customers {
		if err := kinds[n%len(kinds)](fmt.Sprint("customer-", n)); err != nil {
			return err
		}
	}
	return nil
}

// variedPlans makes the plans, and returns what subscribes a customer with an alias in each way.
func (b *billed) variedPlans(ctx context.Context) (kinds []func(alias string) error, err error) {
	p := b.server
	item, err := p.Create(ctx, "/v1/items", object{"name": "Credits"})
	if err != nil {
		return nil, err
	}
	seat, err := p.Create(ctx, "/v1/license_types", object{"name": "Seat", "grouping_key": "seat_id"})
	if err != nil {
		return nil, err
	}
	plain, err := p.offer(ctx, "Plain", mixed)
	if err != nil {
		return nil, err
	}
	inCredits := func(more object) price {
		model := object{"model_type": "unit", "unit_config": object{"unit_amount": "1"}, "currency": "credits", "conversion_rate": 1}
		for name, value := range more {
			model[name] = value
		}
		return price{sql: "SELECT COUNT(*) FROM events", model: model}
	}
	granting, err := p.offer(ctx, "Granting", slices.Concat(mixed, []price{inCredits(nil)}), object{"allocation_price": object{
		"item_id": item, "amount": "5", "currency": "credits", "cadence": "monthly", "expires_at_end_of_cadence": true, "per_unit_cost_basis": "0.05",
	}})
	if err != nil {
		return nil, err
	}
	licensed, err := p.offer(ctx, "Licensed", slices.Concat(mixed, []price{inCredits(object{"license_type_id": seat})}), object{"license_allocation_price": object{
		"name": "Seats", "item_id": item, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "10.00"},
		"license_type_id": seat, "fixed_price_quantity": 1, "license_allocations": []object{{"amount": "5", "currency": "credits"}},
	}})
	if err != nil {
		return nil, err
	}
	first := b.month.Format(time.DateOnly)
	sell := func(alias, plan string, more object) (subscription string, err error) {
		id, err := p.Create(ctx, "/v1/customers", object{"name": alias, "email": "v@example.com", "external_customer_id": alias, "currency": "USD"})
		if err != nil {
			return "", err
		}
		terms := object{"customer_id": id, "plan_id": plan, "start_date": first}
		for name, value := range more {
			terms[name] = value
		}
		return p.Create(ctx, "/v1/subscriptions", terms)
	}
	return []func(alias string) error{
		func(alias string) error {
			_, err := sell(alias, plain, nil)
			return err
		},
		func(alias string) error {
			if _, err := sell(alias, plain, nil); err != nil {
				return err
			}
			_, err := p.Create(ctx, "/v1/customers/external_customer_id/"+alias+"/credits/ledger_entry", object{
				"entry_type": "increment", "amount": json.Number(blockOf), "currency": "USD", "effective_date": first,
			})
			return err
		},
		func(alias string) error {
			_, err := sell(alias, granting, nil)
			return err
		},
		func(alias string) error {
			_, err := sell(alias, plain, object{"invoicing_threshold": "100000.00"})
			return err
		},
		func(alias string) error {
			subscription, err := sell(alias, licensed, nil)
			if err != nil {
				return err
			}
			_, err = p.Create(ctx, "/v1/licenses", object{
				"subscription_id": subscription, "license_type_id": seat, "external_license_id": "seat", "start_date": first,
			})
			return err
		},
	}, nil
}
