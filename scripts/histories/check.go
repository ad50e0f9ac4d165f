package main

import (
	"context"
	"fmt"
	"math/big"
	"sort"
	"time"
)

// check compares everything that the server says with the model.
func (r *run) check(ctx context.Context) error {
	if err := r.read(ctx); err != nil {
		return err
	}
	for _, name := range r.w.order {
		if err := r.intervals(ctx, r.w.subs[name]); err != nil {
			return err
		}
	}
	for _, c := range r.w.customers {
		r.w.settle(c)
	}
	for _, name := range r.w.order {
		if err := r.owed(r.w.subs[name]); err != nil {
			return err
		}
	}
	if err := r.documents(); err != nil {
		return err
	}
	for _, c := range r.customers() {
		if err := r.ledgers(ctx, c); err != nil {
			return err
		}
	}
	for _, name := range r.w.order {
		if err := r.costs(ctx, r.w.subs[name]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) customers() []*customer {
	var all []*customer
	for _, c := range r.w.customers {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// intervals compares the price intervals of a subscription, and learns their identifiers.
func (r *run) intervals(ctx context.Context, s *subscription) error {
	n, err := r.c.get(ctx, "/v1/subscriptions/"+s.id)
	if err != nil {
		return err
	}
	said, wanted := []string{}, []string{}
	shown := n.list("price_intervals")
	for _, p := range shown {
		said = append(said, fmt.Sprintf("%s from %s to %s", p.at("price").str("name"), clock(p.instant("start_date")), clock(p.instant("end_date"))))
	}
	for _, i := range s.intervals {
		text := fmt.Sprintf("%s from %s to %s", i.spec.Name, clock(i.from), clock(i.to))
		wanted = append(wanted, text)
		for k, p := range shown {
			if said[k] == text {
				i.id, i.price = p.str("id"), p.at("price").str("id")
			}
		}
	}
	sort.Strings(said)
	sort.Strings(wanted)
	if fmt.Sprint(said) != fmt.Sprint(wanted) {
		return differ("intervals of %s are %q, expected %q", s.name, said, wanted)
	}
	if got := n.instant("end_date"); !got.Equal(s.to) {
		return differ("%s ends %s, expected %s", s.name, clock(got), clock(s.to))
	}
	for _, i := range s.intervals {
		if i.spec.Metric != "" {
			continue
		}
		last := map[day]node{} // of the changes on a day
		for _, entry := range n.list("fixed_fee_quantity_schedule") {
			if at := entry.instant("start_date"); entry.str("price_id") == i.price && !at.Before(i.from) && (i.to.IsZero() || at.Before(i.to)) {
				d := s.customer.zone.day(at)
				if before, ok := last[d]; !ok || before.instant("start_date").Before(at) {
					last[d] = entry
				}
			}
		}
		for d, entry := range last {
			if !i.to.IsZero() && d == s.customer.zone.day(i.to) {
				continue // the day of the end is not billed
			}
			if got, want := entry.num("quantity"), i.quantity(d); got.Cmp(want) != 0 {
				return differ("quantity of %s of %s from %s is %s, expected %s: %s", i.spec.Name, s.name, d, show(got), show(want), n.at("fixed_fee_quantity_schedule"))
			}
		}
	}
	return nil
}

func clock(at time.Time) string {
	if at.IsZero() {
		return "open"
	}
	return at.Format("2006-01-02T15:04:05.999999Z")
}

// half is how far rounding a line may move it.
var half = big.NewRat(1, 200)

// owed compares what documents charge for each service period with what is owed for it.
func (r *run) owed(s *subscription) error {
	for _, i := range s.intervals {
		covered := 0
		for _, p := range s.pieces(i, r.w.now.AddDate(2, 0, 0)) {
			lines := r.books.of(s.id, i.price, p.from, p.to)
			covered += len(lines)
			if err := r.piece(p, lines); err != nil {
				return fmt.Errorf("%w%s", err, r.books.print(s.id))
			}
		}
		_ = covered
	}
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		if v.sub != s.id || v.status == "void" {
			continue
		}
		for _, l := range v.lines {
			if !s.explains(l, r.w.now) {
				return fmt.Errorf("%w%s", differ("%s has a line that no price of it explains: %s", s.name, l), r.books.print(s.id))
			}
		}
	}
	return nil
}

// explains reports whether a line lies in a service period of the subscription.
func (s *subscription) explains(l *line, now time.Time) bool {
	gone := true
	for _, i := range s.intervals {
		if i.price != l.price {
			continue
		}
		gone = false
		for _, p := range s.pieces(i, now.AddDate(2, 0, 0)) {
			if !l.from.Before(p.from) && l.from.Before(p.to) {
				return true
			}
		}
	}
	_ = gone
	return l.amount.Sign() == 0 || s.noted(l)
}

// noted lines were charged before the price was taken away; credit notes gave the money back.
func (s *subscription) noted(l *line) bool { return l.status != "draft" }

func (r *run) piece(p piece, lines []*line) error {
	if r.w.voided[p.key()] {
		return nil
	}
	at := fmt.Sprintf("%s of %s in [%s, %s)", p.spec.Name, p.sub.name, clock(p.from), clock(p.to))
	if p.spec.Metric != "" {
		return r.usage(p, lines, at)
	}
	billed := p.from
	if !p.spec.Advance {
		billed = p.to
	}
	// What lies ahead, an end or a quantity, is on documents that are dated then. So until
	// its service period is over a fee may be billed with or without that.
	seen := r.w.now
	if p.from.After(seen) {
		seen = p.from
	}
	due, all, rounds := new(big.Rat), new(big.Rat), 0
	for _, l := range lines {
		amounts := []*big.Rat{l.subtotal}
		for _, n := range r.books.notes {
			if n.invoice == l.invoice.id && n.name == l.name && len(l.adjustments) == 0 {
				amounts = append(amounts, new(big.Rat).Neg(n.amount))
			}
		}
		for _, amount := range amounts {
			rounds++
			all.Add(all, amount)
			if !p.spec.Advance || !l.date.After(seen) {
				due.Add(due, amount)
			}
		}
	}
	exact := p.fee()
	if len(lines) == 0 && (billed.After(r.w.now) || exact.Sign() == 0) {
		return nil
	}
	matches := func(billed, owed *big.Rat) bool {
		if rounds == 1 {
			return billed.Cmp(cents(owed)) == 0
		}
		return new(big.Rat).Abs(sub(billed, owed)).Cmp(mul(half, num(rounds))) <= 0
	}
	if matches(all, exact) {
		if len(lines) == 1 && !p.spec.Advance {
			return r.paid(p, lines[0], at)
		}
		return nil
	}
	if p.spec.Advance && p.to.After(r.w.now) {
		if len(p.quantities) > 0 && !p.interval.to.IsZero() {
			return nil // quantities for the days before the end, on what was billed beyond it
		}
		if matches(due, p.quantitiesBy(r.w.now).fee()) || matches(due, p.feeBy(r.w.now)) {
			return nil
		}
		for _, end := range p.sub.former {
			short := p.quantitiesBy(r.w.now)
			if short.days.to = p.sub.customer.zone.day(end); end.After(r.w.now) && end.After(p.from) && end.Before(p.to) && (matches(due, short.fee()) || len(p.quantities) > 0) {
				return nil // the rest is billed from the end that was taken back
			}
		}
	}
	return differ("%s is billed at %s in %d documents, expected %s", at, show(all), rounds, show(cents(exact)))
}

func (r *run) usage(p piece, lines []*line, at string) error {
	var main []*line
	for _, l := range lines {
		if l.source == "subscription" {
			main = append(main, l)
		}
	}
	switch {
	case len(main) == 0 && p.to.After(r.w.now):
		return nil
	case len(main) != 1:
		return differ("%s is on %d invoices, expected one", at, len(main))
	}
	l := main[0]
	currency := p.spec.unit("USD")
	if !l.from.Equal(p.from) || !l.to.Equal(p.to) {
		return differ("%s is billed as [%s, %s)", at, clock(l.from), clock(l.to))
	}
	if !l.invoice.date.Equal(p.to) {
		return differ("%s is billed on %s", at, clock(l.invoice.date))
	}
	if _, done := r.books.issued[l.invoice.id]; done {
		return nil // what was found right as it was issued stays
	}
	quantity := r.w.measure(p.spec.Metric, p.whose(), p.from, p.to)
	if !same(quantity, l.quantity) {
		return differ("%s has quantity %s, expected %s", at, show(l.quantity), show(quantity))
	}
	subtotal := rounded(r.w.used(p, p.to), currency)
	if !same(subtotal, l.subtotal) {
		return differ("%s has subtotal %s, expected %s", at, show(l.subtotal), show(subtotal))
	}
	if shared := r.shared(p); !shared {
		if worth := r.w.worth(p, p.to); !same(worth, l.adjusted) {
			return differ("%s has adjusted_subtotal %s, expected %s", at, show(l.adjusted), show(worth))
		}
	}
	return r.paid(p, l, at)
}

// paid compares what credits paid of a line.
func (r *run) paid(p piece, l *line, at string) error {
	currency := p.spec.unit("USD")
	if _, done := r.books.issued[l.invoice.id]; done || l.source != "subscription" {
		return nil
	}
	if currency == "USD" && r.sharing(p.sub.customer) {
		return nil
	}
	ledger := p.sub.customer.ledger(currency)
	drawn := ledger.drawn(p, p.sub.customer.zone)
	if l.status != "draft" {
		if surplus := sub(drawn, greatest(l.adjusted, new(big.Rat))); surplus.Sign() > 0 {
			ledger.giveBack(p, surplus)
			drawn = ledger.drawn(p, p.sub.customer.zone)
		}
	} else {
		drawn = least(drawn, greatest(l.adjusted, new(big.Rat)))
	}
	if !same(drawn, l.credits) {
		return differ("%s has credits_applied %s, expected %s", at, show(l.credits), show(drawn))
	}
	return nil
}

// shared reports whether an adjustment of several prices applies.
func (r *run) shared(p piece) bool {
	for _, a := range r.w.adjusting(p) {
		if len(a.Prices) > 1 {
			return true
		}
	}
	return false
}

// sharing reports whether a customer has adjustments of several prices. How much of one counts
// for a price on a day, before its period ends, no rule says: credits that pay in the same
// currency are not compared then.
func (r *run) sharing(c *customer) bool {
	for _, s := range r.w.subs {
		if s.customer != c {
			continue
		}
		plans := []string{s.plan}
		for _, change := range s.changes {
			plans = append(plans, change.plan)
		}
		for _, name := range plans {
			for _, a := range r.w.plans[name].adjust {
				if len(a.Prices) > 1 {
					return true
				}
			}
		}
	}
	return false
}

// documents checks the sums of each invoice, and that issued ones stay as they are.
func (r *run) documents() error {
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		total := new(big.Rat)
		for _, l := range v.lines {
			rest := sub(l.adjusted, l.credits)
			if l.currency == "credits" {
				rest = cents(mul(rest, r.conversion(l)))
			}
			if want := sub(rest, l.partially); !same(want, l.amount) {
				return differ("a line does not add up, expected amount %s: %s", show(want), l)
			}
			total.Add(total, l.amount)
		}
		if total.Cmp(v.total) != 0 {
			return differ("the lines do not add up to the total %s: %s", show(v.total), v)
		}
		if _, before := r.books.issued[id]; !before && v.status != "void" && v.source == "subscription" {
			if err := r.adjusted(v); err != nil {
				return fmt.Errorf("%w\n    %s", err, v)
			}
		}
		if v.status == "draft" {
			continue
		}
		text := v.frozenText()
		if before, ok := r.books.issued[id]; ok && before != text {
			return differ("an issued invoice changed\n    from %s\n    to %s", before, text)
		}
		r.books.issued[id] = text
	}
	return nil
}

func (r *run) conversion(l *line) *big.Rat {
	for _, s := range r.w.subs {
		for _, i := range s.intervals {
			if i.price == l.price && i.spec.Conversion != "" {
				return rat(i.spec.Conversion)
			}
		}
	}
	return num(1)
}

// ledgers compares blocks and deductions.
func (r *run) ledgers(ctx context.Context, c *customer) error {
	for currency, l := range c.ledgers {
		if len(l.blocks) == 0 || currency == "USD" && r.sharing(c) {
			continue
		}
		blocks, err := r.c.all(ctx, "/v1/customers/"+c.id+"/credits?include_all_blocks=true&currency="+currency)
		if err != nil {
			return err
		}
		entries, err := r.c.all(ctx, "/v1/customers/"+c.id+"/credits/ledger?currency="+currency)
		if err != nil {
			return err
		}
		if err := r.compare(c, currency, l, blocks, entries); err != nil {
			return fmt.Errorf("%w%s", err, printLedger(c, l, entries))
		}
	}
	return nil
}

func printLedger(c *customer, l *ledger, entries []node) string {
	text := "\n    blocks:"
	for _, b := range l.blocks {
		text += fmt.Sprintf("\n      %s %s: %s from %s to %s", b.name, b.id, show(b.initial), b.from, b.to)
	}
	text += "\n    entries:"
	for k := len(entries) - 1; k >= 0; k-- {
		e := entries[k]
		text += fmt.Sprintf("\n      %s %s %s %s block %s price %s %s to %s", e.str("created_at"), e.str("entry_type"), show(e.num("amount")), e.str("entry_status"), e.at("credit_block").str("id"), e.str("price_id"), show(e.num("starting_balance")), show(e.num("ending_balance")))
	}
	text += "\n    expected:"
	for _, one := range l.charges {
		if one.amount.Sign() == 0 {
			continue
		}
		text += fmt.Sprintf("\n      %s %s of %s costs %s", one.day, one.price, one.sub, show(one.amount))
		for _, d := range one.draws {
			text += fmt.Sprintf(", %s of %s", show(d.amount), d.block.name)
		}
	}
	return text
}

func (r *run) compare(c *customer, currency string, l *ledger, blocks, entries []node) error {
	today := c.zone.day(r.w.now)
	said := map[string]*big.Rat{}
	for _, b := range blocks {
		said[b.str("id")] = b.num("balance")
	}
	for _, b := range l.blocks {
		want := l.left(b)
		if b.gone || (b.to != 0 && b.to <= today) {
			want = new(big.Rat)
		}
		got := said[b.id]
		if got == nil {
			return differ("block %s of %s is not listed", b.name, c.name)
		}
		if !same(got, want) {
			return differ("block %s of %s holds %s, expected %s", b.name, c.name, show(got), show(want))
		}
	}
	if without[1] {
		return nil
	}
	// A deduction belongs to a price, a day and a block.
	took, wanted := map[string]*big.Rat{}, map[string]*big.Rat{}
	sum := func(m map[string]*big.Rat, key string, amount *big.Rat) {
		if m[key] == nil {
			m[key] = new(big.Rat)
		}
		m[key].Add(m[key], amount)
	}
	for _, e := range entries {
		if e.str("entry_type") == "decrement" && e.str("price_id") != "" {
			sum(took, fmt.Sprint(e.str("price_id"), " ", e.at("credit_block").str("id")), e.num("amount"))
		}
	}
	for _, one := range l.charges {
		for _, d := range one.draws {
			sum(wanted, fmt.Sprint(one.interval.price, " ", d.block.id), d.amount)
		}
	}
	for key, want := range wanted {
		if got := took[key]; want.Sign() != 0 && (got == nil || !same(got, want)) {
			return differ("the deduction %s is %v, expected %s", key, got, show(want))
		}
	}
	for key, got := range took {
		if want := wanted[key]; got.Sign() != 0 && want == nil {
			return differ("the deduction %s is %s, expected none", key, show(got))
		}
	}
	return nil
}

// costs compares the costs of the subscription's whole life with what its service periods
// are worth to date.
func (r *run) costs(ctx context.Context, s *subscription) error {
	if s.from.After(r.w.now) || (!s.to.IsZero() && !s.to.After(s.from)) {
		return nil
	}
	z := s.customer.zone
	end := z.start(z.day(r.w.now) + 1)
	if !s.to.IsZero() && s.to.Before(end) {
		end = s.to
	}
	currencies := map[string]bool{}
	for _, i := range s.intervals {
		currencies[i.spec.unit("USD")] = true
	}
	for currency := range currencies {
		n, err := r.c.get(ctx, fmt.Sprintf("/v1/subscriptions/%s/costs?view_mode=periodic&currency=%s&timeframe_start=%s&timeframe_end=%s", s.id, currency,
			s.from.Format("2006-01-02T15:04:05Z"), end.Format("2006-01-02T15:04:05Z")))
		if err != nil {
			return err
		}
		got := map[string]*big.Rat{}
		for _, d := range n.list("data") {
			for _, p := range d.list("per_price_costs") {
				if got[p.str("price_id")] == nil {
					got[p.str("price_id")] = new(big.Rat)
				}
				got[p.str("price_id")].Add(got[p.str("price_id")], p.num("subtotal"))
			}
		}
		want := map[string]*big.Rat{}
		rounds := map[string]int{}
		for _, i := range s.intervals {
			if i.spec.unit("USD") != currency || !i.from.Before(end) {
				continue
			}
			if want[i.price] == nil {
				want[i.price] = new(big.Rat)
			}
			for _, p := range s.pieces(i, r.w.now) {
				if !p.from.Before(end) {
					continue
				}
				switch {
				case i.spec.Metric != "":
					want[i.price].Add(want[i.price], rounded(r.w.used(p, end), currency))
				case p.to.After(r.w.now) && (len(i.quantities) > 0 || s.troubled):
					rounds[i.price] += 1 << 20 // no rule says which of the quantities that lie ahead count
				default:
					want[i.price].Add(want[i.price], cents(p.quantitiesBy(r.w.now).fee()))
					rounds[i.price] += 2 * len(i.quantities)
				}
			}
		}
		for id, w := range want {
			g := got[id]
			if g == nil {
				g = new(big.Rat)
			}
			if !same(g, w) && new(big.Rat).Abs(sub(g, w)).Cmp(mul(half, num(2*rounds[id]))) > 0 {
				name := ""
				for _, i := range s.intervals {
					if i.price == id {
						name = i.spec.Name
					}
				}
				return differ("costs of %s of %s until %s are %s, expected %s", name, s.name, clock(end), show(g), show(w))
			}
		}
	}
	return nil
}
