package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"tollkeeper/domain/reference"
)

// oneOff is an invoice of one customer that the model knows whole from its request.
type oneOff struct {
	id      string
	date    time.Time
	total   *big.Rat
	issues  bool // by itself, on its date
	issued  bool
	settled bool // paid or voided by hand

	block    *block // of the credits that it sells
	currency string // of the block
}

// manual is a move of a customer's balance by hand, in money.
type manual struct{ amount *big.Rat }

// invoice makes a one-off invoice of two lines: so many units, and one of a fixed amount
// (semantics 8.1.12), perhaps with a discount (price-models.md 6.4).
func (r *run) invoice(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	item, err := r.item(ctx, s.Item)
	if err != nil {
		return err
	}
	other, err := r.item(ctx, "Item C")
	if err != nil {
		return err
	}
	line := func(item, quantity, amount string) object {
		return object{"name": "Work", "item_id": item, "model_type": "unit", "quantity": json.Number(quantity), "unit_config": object{"unit_amount": amount},
			"start_date": s.At, "end_date": s.At}
	}
	body := object{"customer_id": buyer.id, "currency": "USD", "invoice_date": s.At, "net_terms": s.Terms, "will_auto_issue": s.Flag,
		"line_items": []object{line(item, fmt.Sprint(s.Months), s.Amount), line(other, "1", "3.33")}}
	first, second := cents(mul(num(s.Months), rat(s.Amount))), rat("3.33")
	switch s.Option {
	case "percentage":
		body["discount"] = object{"discount_type": "percentage", "percentage_discount": json.Number(s.Basis)}
		first, second = sub(first, cents(mul(first, rat(s.Basis)))), sub(second, cents(mul(second, rat(s.Basis))))
	case "amount":
		body["discount"] = object{"discount_type": "amount", "amount_discount": s.Basis}
		off := least(rat(s.Basis), add(first, second))
		parts := reference.Split(off, []*big.Rat{first, second}, 2)
		first, second = sub(first, parts[0]), sub(second, parts[1])
	}
	made, err := r.post(ctx, "/v1/invoices", body)
	if err != nil {
		return err
	}
	v := &oneOff{id: made.str("id"), date: when(buyer.zone, s.At), total: add(first, second), issues: s.Flag}
	buyer.oneOffs = append(buyer.oneOffs, v)
	for n, l := range made.list("line_items") {
		if want := []*big.Rat{first, second}[n]; !same(l.num("amount"), want) {
			return differ("a line of a one-off invoice comes to %s, expected %s: %s", show(l.num("amount")), show(want), made)
		}
	}
	return nil
}

// issueInvoice issues a one-off invoice by hand.
func (r *run) issueInvoice(ctx context.Context, s step) error {
	v, err := r.oneOffOf(s)
	if err != nil {
		return err
	}
	if _, err := r.post(ctx, "/v1/invoices/"+v.id+"/issue", nil); err != nil {
		return err
	}
	v.issued = true
	return nil
}

// settleInvoice marks a one-off invoice as paid, or voids it.
func (r *run) settleInvoice(ctx context.Context, s step) error {
	v, err := r.oneOffOf(s)
	if err != nil {
		return err
	}
	if s.Option == "void" {
		_, err = r.post(ctx, "/v1/invoices/"+v.id+"/void", nil)
	} else {
		_, err = r.post(ctx, "/v1/invoices/"+v.id+"/mark_paid", object{"payment_received_date": s.Until})
	}
	if err == nil {
		v.settled = true
		r.settleSale(r.w.customers[s.Of], v, s.Option != "void")
	}
	return err
}

func (r *run) oneOffOf(s step) (*oneOff, error) {
	buyer := r.w.customers[s.Of]
	if buyer == nil || s.Day >= len(buyer.oneOffs) {
		return nil, errSkipped
	}
	return buyer.oneOffs[s.Day], nil
}

// moveBalance moves the balance of a customer by hand (semantics 8.2.2).
func (r *run) moveBalance(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/customers/"+buyer.id+"/balance_transactions", object{"type": s.Option, "amount": s.Amount}); err != nil {
		return err
	}
	amount := rat(s.Amount)
	if s.Option == "decrement" {
		amount = new(big.Rat).Neg(amount)
	}
	buyer.manual = append(buyer.manual, manual{amount})
	return nil
}

// oneOffs compares the one-off invoices of a customer with what was asked for.
func (r *run) oneOffs(c *customer) error {
	for _, one := range c.oneOffs {
		v := r.books.invoices[one.id]
		if v == nil {
			return differ("a one-off invoice of %s is not listed", c.name)
		}
		if one.issues && !one.date.After(r.w.now) {
			one.issued = true
		}
		if !same(v.total, one.total) || !v.date.Equal(one.date) || (v.status != "draft") != one.issued {
			return differ("a one-off invoice of %s, issued %t, total %s, is %s", clock(one.date), one.issued, show(one.total), v)
		}
	}
	return r.invoicesOfTopUps(c)
}

func (g *generator) invoice() (step, bool) {
	c := g.customer()
	s := step{Do: "invoice", Of: c.name, Item: pick(g, "Item A", "Item B"), At: g.date(c, pick(g, -10, 0, 0), 10), Months: 1 + g.IntN(4), Amount: pick(g, "19.99", "0.005", "7", "100.10"),
		Option: pick(g, "", "percentage", "amount"), Flag: g.chance(60), Terms: pick(g, 0, 30)}
	switch s.Option {
	case "percentage":
		s.Basis = pick(g, "0.1", "0.333", "1")
	case "amount":
		s.Basis = pick(g, "5", "0.01", "500")
	}
	if slices.Contains(g.theme.kinds, "issue invoice") { // it waits for that
		s.At, s.Flag = g.date(c, -3, 0), false
	}
	return s, true
}

func (g *generator) issueInvoice() (step, bool) {
	c := g.customer()
	for n, v := range c.oneOffs {
		if !v.issued && !v.issues && !v.date.After(g.w.now) && g.chance(50) {
			return step{Do: "issue invoice", Of: c.name, Day: n}, true
		}
	}
	return step{}, false
}

func (g *generator) settleInvoice() (step, bool) {
	c := g.customer()
	if len(c.oneOffs) == 0 {
		return step{}, false
	}
	n := g.IntN(len(c.oneOffs))
	return step{Do: "settle invoice", Of: c.name, Day: n, Option: pick(g, "pay", "void"), Until: g.date(c, 0, 0)}, c.oneOffs[n].issued && !c.oneOffs[n].settled
}

func (g *generator) moveBalance() (step, bool) {
	return step{Do: "move balance", Of: g.customer().name, Option: pick(g, "increment", "increment", "decrement"), Amount: pick(g, "0.01", "5.00", "12.34", "80.00")}, true
}
