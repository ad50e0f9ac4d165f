package main

import "slices"

// sell makes the invoice of credits that were sold: the amount times what a credit costs, of one
// line, issued at once (semantics 10.3.1 and 10.3.2). Where they are to be paid first, the block
// waits for that (10.3.3).
func (r *run) sell(c *customer, b *block, s step, made node) error {
	invoices := made.list("created_invoices")
	total := cents(mul(b.initial, b.basis))
	if len(invoices) != 1 {
		return differ("credits of %s were sold to %s with %d invoices", show(total), c.name, len(invoices))
	}
	c.oneOffs = append(c.oneOffs, &oneOff{id: invoices[0].str("id"), date: c.zone.start(b.from), total: total, issues: true, issued: true, block: b, currency: s.Currency})
	b.sold = true
	b.waits = s.Option == "unpaid" && invoices[0].str("status") != "paid"
	return nil
}

// settleSale does what the payment or the void of their invoice does to credits that were sold:
// those that waited pay from now on, and the block of those that are not paid for is deleted: what it paid of
// usage that is not on an issued invoice is billed again (8.1.14, 8.1.15).
func (r *run) settleSale(c *customer, v *oneOff, paid bool) {
	if v.block == nil {
		return
	}
	l := c.ledger(v.currency)
	switch {
	case paid:
		v.block.waits = false
		r.w.settleIn(c, v.currency)
	default:
		v.block.gone = true
		for _, one := range l.charges {
			if !r.w.frozen(one) {
				one.draws = slices.DeleteFunc(one.draws, func(d draw) bool { return d.block == v.block })
			}
		}
		r.w.settleIn(c, v.currency)
	}
}

// sold is a body for credits that are sold.
func (s step) sold() object {
	return object{"auto_collection": false, "net_terms": s.Terms, "require_successful_payment": s.Option == "unpaid"}
}

// sale is a sale of credits.
func (g *generator) sale() (step, bool) {
	c := g.customer()
	s := step{Do: "credit", Name: g.name("block"), Of: c.name, Currency: pick(g, "credits", "USD"), Amount: pick(g, "5", "20", "33.5"), Basis: pick(g, "0.333", "0.5", "1"),
		Option: pick(g, "sold", "unpaid"), Terms: pick(g, 0, 14)}
	if g.chance(40) {
		s.Until = g.date(c, 2, 50)
	}
	if g.chance(20) {
		s.Item = pick(g, "Item A", "Item B")
	}
	return s, true
}

// saleFeatures are those of credits that were sold to a customer.
func (c *customer) saleFeatures(see func(bool, string)) {
	for _, l := range c.ledgers {
		for _, b := range l.blocks {
			see(b.sold, "block that was sold")
			see(b.waits && !b.gone, "block that waits for payment")
		}
	}
}
