package main

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"time"
)

// redemption is a coupon that a subscription redeemed: a part of what the prices that it had then
// charge, or an amount off them together, from an instant on (semantics 15.1.3 and 15.1.7).
type redemption struct {
	code     string
	part     *big.Rat // from 0 to 1; nil: an amount
	amount   *big.Rat // of a whole cycle, in money
	from, to time.Time
	prices   []string // ids
	except   []string // keys of grants whose fee was issued before
}

// covers reports whether a service period gets the discount: in advance where it begins in that
// time, in arrears where it ends in it or at its end (6.3.7).
func (d redemption) covers(p piece) bool {
	if !slices.Contains(d.prices, p.price) || slices.Contains(d.except, p.key()) {
		return false
	}
	if p.spec.advance() {
		return !p.from.Before(d.from) && (d.to.IsZero() || p.from.Before(d.to))
	}
	return p.to.After(d.from) && (d.to.IsZero() || !p.to.After(d.to))
}

// amountCoupon reports whether a subscription has redeemed a coupon of an amount.
func (s *subscription) amountCoupon() bool {
	return slices.ContainsFunc(s.coupons, func(d redemption) bool { return d.part == nil })
}

// discount takes off an amount of a line what coupons of a part do, one after the other (15.1.8).
func (p piece) discount(amount *big.Rat) *big.Rat {
	for _, d := range p.sub.coupons {
		if d.part != nil && d.covers(p) {
			amount = sub(amount, cents(mul(amount, d.part)))
		}
	}
	return amount
}

// redeem makes a coupon and redeems it on a subscription.
func (r *run) redeem(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	z := sub.customer.zone
	coupon := object{"redemption_code": s.Name, "discount": object{"discount_type": "percentage", "percentage_discount": json.Number(s.Amount)}}
	d := redemption{code: s.Name, part: rat(s.Amount), from: r.w.now}
	if s.Currency != "" {
		if sub.grantsCredits() {
			return errSkipped
		}
		coupon["discount"] = object{"discount_type": "amount", "amount_discount": s.Amount}
		d.part, d.amount = nil, d.part
	}
	if s.Months > 0 {
		coupon["duration_in_months"] = s.Months
	}
	if _, err := r.post(ctx, "/v1/coupons", coupon); err != nil {
		return err
	}
	body := object{"coupon_redemption_code": s.Name, "change_option": s.Option}
	if d.from.Before(sub.from) {
		d.from = sub.from
	}
	switch s.Option {
	case "requested_date":
		body["change_date"], d.from = s.At, when(z, s.At)
	case "end_of_subscription_term":
		var ok bool
		if d.from, ok = sub.termEnd(r.w.now); !ok {
			return errSkipped
		}
	}
	for _, i := range sub.intervals {
		since := d.from
		if r.w.now.Before(since) {
			since = r.w.now
		}
		if i.spec.unit("USD") == "USD" && i.price != "" && (i.to.IsZero() || i.to.After(since)) {
			d.prices = append(d.prices, i.price)
		}
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/redeem_coupon", body); err != nil {
		return err
	}
	if s.Months > 0 {
		y, m, on := z.day(d.from).date()
		d.to = z.start(addMonths(y, m, on, s.Months)).Add(d.from.Sub(z.start(z.day(d.from))))
	}
	for _, g := range sub.grants {
		if r.feeOf(sub, g) != nil {
			d.except = append(d.except, g.piece.key())
		}
	}
	sub.coupons, sub.amountOff = append(sub.coupons, d), sub.amountOff || d.part == nil
	r.w.redeemed = true
	return nil
}

// redemptions compares how often coupons were redeemed. What was to begin at the end of a subscription, or
// later, is taken back as that is cancelled, and can be redeemed again.
func (r *run) redemptions(ctx context.Context) error {
	if !r.w.redeemed {
		return nil
	}
	want := map[string]int{}
	for _, s := range r.w.subs {
		for _, d := range s.coupons {
			want[d.code]++
		}
	}
	found, err := r.c.all(ctx, "/v1/coupons")
	if err != nil {
		return err
	}
	for _, n := range found {
		if code := n.str("redemption_code"); !same(n.num("times_redeemed"), num(want[code])) {
			return differ("%s was redeemed %s times, expected %d", code, show(n.num("times_redeemed")), want[code])
		}
	}
	return nil
}

// coupon is the redemption of one by a subscription whose end and plan are not to change: its
// prices are those that it has.
func (g *generator) coupon() (step, bool) {
	sub := g.sub()
	if !sub.to.IsZero() || len(sub.coupons) > 1 || slices.ContainsFunc(sub.changes, func(c planChange) bool { return c.at.After(g.w.now) }) {
		return step{}, false
	}
	s := step{Do: "redeem", Of: sub.name, Name: g.name("coupon"), Option: pick(g, "immediate", "requested_date", "requested_date", "end_of_subscription_term"),
		Amount: pick(g, "0.2", "0.125", "0.5"), Months: pick(g, 0, 1, 3)}
	if s.Option == "requested_date" {
		s.At = g.date(sub.customer, 0, 30)
	}
	if g.chance(35) && !sub.grantsCredits() { // what a grant gives back of a fee after a shared discount is left out
		s.Currency, s.Amount = "USD", pick(g, "5.00", "17.01", "60.00")
	}
	return s, true
}
