package main

import (
	"context"
	"encoding/json"
	"math/big"
)

func (r *run) credit(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	body := object{"entry_type": "increment", "amount": json.Number(s.Amount), "currency": s.Currency}
	today := buyer.zone.day(r.w.now)
	b := &block{name: s.Name, from: today, initial: rat(s.Amount), basis: new(big.Rat)}
	if s.At != "" {
		body["effective_date"], b.from = s.At, parseDay(s.At)
	}
	if s.Until != "" {
		body["expiry_date"], b.to = s.Until, parseDay(s.Until)
	}
	if s.Basis != "" {
		body["per_unit_cost_basis"], b.basis = s.Basis, rat(s.Basis)
	}
	if s.Item != "" {
		item, err := r.item(ctx, s.Item)
		if err != nil {
			return err
		}
		body["filters"], b.item = []object{{"field": "item_id", "operator": "includes", "values": []string{item}}}, s.Item
	}
	if s.Option != "" {
		body["invoice_settings"] = s.sold()
	}
	made, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry", body)
	if err != nil {
		return err
	}
	b.id = made.at("credit_block").str("id")
	l := buyer.ledger(s.Currency)
	if len(l.blocks) == 0 {
		r.w.settleIn(buyer, s.Currency)
	}
	l.blocks = append(l.blocks, b)
	if s.Option != "" {
		if err := r.sell(buyer, b, s, made); err != nil {
			return err
		}
	}
	r.w.settleIn(buyer, s.Currency)
	return nil
}

func (r *run) decrement(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	l := buyer.ledger(s.Currency)
	if l.balance(buyer.zone, r.w.now).Cmp(rat(s.Amount)) < 0 {
		return errSkipped // the model knows no overdraw
	}
	if _, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry",
		object{"entry_type": "decrement", "amount": json.Number(s.Amount), "currency": s.Currency}); err != nil {
		return err
	}
	l.byHand(buyer.zone, r.w.now, rat(s.Amount))
	return nil
}
