package main

import (
	"context"
	"fmt"
	"math/big"
	"time"
)

// balance compares the moves of a customer's balance, and what invoices ask for, with what the
// rules make of them (semantics 8.2 and 9.2).
func (r *run) balance(ctx context.Context, c *customer) error {
	if unchanged := r.known.same(r.known.balances, c.name, r.documentsText(c)); unchanged && r.known.untouched(c.name) {
		return nil
	}
	found, err := r.c.all(ctx, "/v1/customers/"+c.id+"/balance_transactions")
	if err != nil {
		return err
	}
	b := balances{run: r, applied: amounts{}, noted: amounts{}, returned: map[string]bool{}, hand: c.manual, sum: new(big.Rat)}
	for k := len(found) - 1; k >= 0; k-- {
		if err := b.move(found[k]); err != nil {
			return fmt.Errorf("%w%s", err, nodes(found))
		}
	}
	if len(b.hand) > 0 {
		return differ("a move of the balance of %s by hand, %s, is not listed%s", c.name, show(b.hand[0].amount), nodes(found))
	}
	shown, err := r.c.get(ctx, "/v1/customers/"+c.id)
	if err != nil {
		return err
	}
	if got := shown.num("balance"); !same(got, b.sum) {
		return differ("the balance of %s is %s, expected %s%s", c.name, show(got), show(b.sum), nodes(found))
	}
	for _, id := range r.books.order {
		if v := r.books.invoices[id]; v.customer == c.id && v.status != "draft" {
			if err := b.due(v); err != nil {
				return fmt.Errorf("%w%s", err, nodes(found))
			}
		}
	}
	return nil
}

// balances follows a customer's balance, oldest move first.
type balances struct {
	*run
	applied  amounts         // to invoices: what they were paid with, below 0 what was added to them
	noted    amounts         // what credit notes gave back, by invoice
	returned map[string]bool // invoices whose part was undone
	hand     []manual        // that are still to come
	sum      *big.Rat
	states   []state
}

// amounts are in money, by the ids of invoices.
type amounts map[string]*big.Rat

// state is what a balance was from an instant on.
type state struct {
	at  time.Time
	sum *big.Rat
}

func (b *balances) move(n node) error {
	amount := n.num("amount")
	if amount.Sign() <= 0 || !same(n.num("starting_balance"), b.sum) {
		return differ("the balance is %s before %s", show(b.sum), n)
	}
	if n.str("type") == "decrement" {
		amount = amount.Neg(amount)
	}
	id := n.at("invoice").str("id")
	v := b.books.invoices[id]
	var want *big.Rat
	switch action := n.str("action"); action {
	case "manual_adjustment":
		if len(b.hand) == 0 {
			return differ("no move by hand is %s", n)
		}
		want, b.hand = b.hand[0].amount, b.hand[1:]
	case "applied_to_invoice":
		if v == nil || b.applied[id] != nil {
			return differ("no invoice takes %s", n)
		}
		paid := least(b.sum, v.total) // a debt is added to what is due
		if v.total.Sign() < 0 {
			paid = v.total
			if b.sum.Sign() < 0 {
				return differ("no rule says what a debt does to an invoice below 0: %s", n)
			}
		}
		b.applied[id], want = paid, new(big.Rat).Neg(paid)
	case "return_from_voiding":
		if v == nil || v.status != "void" || b.applied[id] == nil || b.returned[id] {
			return differ("no void invoice returns %s", n)
		}
		b.returned[id], want = true, b.applied[id]
	case "credit_note_applied", "prorated_refund", "credit_note_voided", "revert_prorated_refund": // due compares their sum
		if v == nil {
			v = b.books.invoices[b.noteOf(n)]
		}
		gives := action == "credit_note_applied" || action == "prorated_refund"
		if v == nil || gives != (amount.Sign() > 0) {
			return differ("no credit note gives %s", n)
		}
		if b.noted[v.id] == nil {
			b.noted[v.id] = new(big.Rat)
		}
		b.noted[v.id].Add(b.noted[v.id], amount)
		want = amount
	default:
		return differ("no rule makes %s", n)
	}
	if !same(amount, want) {
		return differ("the balance moves by %s, expected %s: %s", show(amount), show(want), n)
	}
	b.sum = add(b.sum, amount)
	if !same(n.num("ending_balance"), b.sum) {
		return differ("the balance is %s after %s", show(b.sum), n)
	}
	b.states = append(b.states, state{n.instant("created_at"), b.sum})
	return nil
}

// noteOf is the invoice of the credit note that a move is for.
func (b *balances) noteOf(n node) string { return b.books.noteInvoices[n.at("credit_note").str("id")] }

// due compares what an invoice asks for: its total less what the balance paid and what notes took
// off while it was not paid.
func (b *balances) due(v *invoice) error {
	paid := b.applied[v.id]
	if paid == nil {
		paid = new(big.Rat)
		if v.total.Sign() != 0 && !b.empty(v.issued) {
			return differ("the balance was not applied to %s", v)
		}
	}
	if v.status == "void" && paid.Sign() != 0 && !b.returned[v.id] {
		return differ("what the balance paid of %s, %s, was not returned", v, show(paid))
	}
	asked := greatest(sub(v.total, paid), new(big.Rat))
	off, back := new(big.Rat), new(big.Rat)
	for _, n := range b.books.totals {
		if n.invoice == v.id && n.refund {
			back.Add(back, n.amount)
		} else if n.invoice == v.id {
			off.Add(off, n.amount)
		}
	}
	want := sub(asked, off)
	if want.Sign() < 0 { // the excess went to the balance
		back, want = sub(back, want), new(big.Rat)
	}
	if v.status != "void" && !same(v.due, want) {
		return differ("%s is due, expected %s, of %s", show(v.due), show(want), v)
	}
	if v.status == "issued" && want.Sign() == 0 {
		return differ("nothing is due, and it is not paid: %s", v)
	}
	given := b.noted[v.id]
	if given == nil {
		given = new(big.Rat)
	}
	if v.status != "void" && !same(given, back) {
		return differ("credit notes gave %s to the balance, expected %s, of %s", show(given), show(back), v)
	}
	return nil
}

// empty reports whether there was nothing in the balance at some time of an instant.
func (b *balances) empty(at time.Time) bool {
	last := new(big.Rat)
	for _, s := range b.states {
		if s.at.Before(at) {
			last = s.sum
		} else if s.at.Equal(at) && s.sum.Sign() == 0 {
			return true
		}
	}
	return last.Sign() == 0
}
