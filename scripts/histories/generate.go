package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// generator thinks up the next step of a history from what the model knows.
type generator struct {
	*rand.Rand
	seed     uint64
	theme    theme
	r        *run
	w        *world
	names    map[string]int
	wide     bool          // see widen.go
	largest  time.Duration // by which the clock moves at once
	plot     []step        // that follow each other
	occasion *occasion     // that is still to come; nil: none
	withdrew bool          // whether withdrawn had its turn
	turn     uint64        // how many seeds below this one have the same occasion
	goals    []string      // kinds of steps that were not possible yet, the oldest first
	expired  time.Time     // the day on which a block of credits expires, when the clock has reached it: usage is sent next
}

func newGenerator(seed uint64, r *run) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 15)), seed: seed, theme: drawTheme(seed), r: r, w: r.w, names: map[string]int{}}
}

func (g *generator) name(kind string) string {
	g.names[kind]++
	return fmt.Sprint(kind, g.names[kind])
}

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// Zones with clock changes at midnight, in summer and winter, and at odd offsets.
var zones = []string{"UTC", "America/New_York", "Africa/Cairo", "Asia/Kolkata", "Australia/Lord_Howe", "America/Los_Angeles", "America/Santiago"}

// opening stops the clock and makes the first customers, plans and subscriptions.
func (g *generator) opening() []step {
	start := time.Date(2025, time.Month(1+g.IntN(12)), 1+g.IntN(28), g.IntN(24), 0, 0, 0, time.UTC)
	all := []step{{Do: "clock", At: start.Format(time.RFC3339)}}
	for range 1 + g.IntN(2) {
		all = append(all, step{Do: "customer", Name: g.name("customer"), Zone: pick(g, zones...)})
	}
	if g.wants("odd offset") {
		all[1].Zone = "Asia/Kolkata"
	}
	if g.chance(35) || g.wants("usage of children") { // a child, whose usage a subscription of its parent may count
		all = append(all, step{Do: "customer", Name: g.name("customer"), Zone: pick(g, zones...), Of: "customer1"})
	}
	for range 2 {
		all = append(all, g.plan())
	}
	return all
}

// next is the next step; made are the steps so far.
func (g *generator) next(made int) step {
	if len(g.w.subs) == 0 || (len(g.w.subs) < 3 && g.chance(9)) || (len(g.w.subs) < 5 && g.over() && g.chance(50)) {
		return g.subscribe()
	}
	if g.expired.Equal(g.w.now) {
		g.expired = time.Time{}
		s, _ := g.ingest()
		return s
	}
	if made >= 8 && g.seed%4 == 1 && !g.withdrew && len(g.plot) == 0 {
		g.plot, g.withdrew = g.withdrawn(), true
	}
	if g.occasion != nil && len(g.plot) == 0 {
		if g.plot = g.occur(); len(g.plot) > 0 {
			g.occasion = nil
		}
	}
	if len(g.plot) > 0 {
		s := g.plot[0]
		g.plot = g.plot[1:]
		return s
	}
	if g.chance(30) { // time and usage, without which nothing is billed
		s, _ := pick(g, g.clock, g.clock, g.ingest)()
		return s
	}
	for n, kind := range g.goals {
		if s, ok := g.of(kind); ok {
			g.goals = slices.Delete(g.goals, n, n+1)
			return s
		}
	}
	if g.chance(55) {
		if s, ok := g.themed(); ok {
			return s
		}
	}
	return g.any()
}

// back is how many days back a change of a subscription goes: not behind a migration, of which no rule
// says what a change before it leaves.
func (s *subscription) back(days int) int {
	if s.migrated.IsZero() {
		return days
	}
	return max(days, 1)
}

// over reports whether all subscriptions have ended.
func (g *generator) over() bool {
	for _, s := range g.w.subs {
		if s.to.IsZero() || s.to.After(g.w.now) {
			return false
		}
	}
	return true
}

// customer is one of all, that of the theme more often.
func (g *generator) customer() *customer {
	if g.chance(40) {
		return g.w.customers[focus]
	}
	return g.w.customers[fmt.Sprint("customer", 1+g.IntN(g.names["customer"]))]
}

func (g *generator) sub() *subscription { return g.w.subs[pick(g, g.w.order...)] }

func (g *generator) subscribe() step {
	c := g.customer()
	s := step{Do: "subscribe", Of: c.name, Plan: g.planName(), Flag: g.chance(40) || g.wants("cycles from the start date")}
	if len(g.w.subs) == 0 {
		c, s.Of, s.Plan = g.w.customers[focus], focus, "plan1"
	}
	s.Name = fmt.Sprint("sub", 1+len(g.w.subs))
	if g.chance(60) {
		s.At = g.date(c, -45, 20)
	}
	if g.wants("subscription ahead") && g.chance(60) {
		s.At = g.date(c, 3, 40)
	}
	if g.chance(35) || g.wants("trial") && g.chance(80) {
		s.Day = pick(g, 3, 10, 14, 40)
	}
	if g.chance(35) || g.wants("invoicing threshold") || g.wants("partial invoice") {
		s.Amount = pick(g, "5.00", "20.00", "60.00")
	}
	for _, child := range g.r.customers() {
		if child.parent == c.name && g.chance(70) {
			s.Who = []string{c.name, child.name}
		}
	}
	return s
}

// date is a local date of a customer, so many days from today.
func (g *generator) date(c *customer, from, to int) string {
	return (c.zone.day(g.w.now) + day(from+g.IntN(to-from+1))).String()
}

func (g *generator) clock() (step, bool) {
	var by time.Duration
	switch g.IntN(6) {
	case 0:
		by = time.Duration(1+g.IntN(12)) * time.Hour
	case 1, 2:
		by = time.Duration(1+g.IntN(4)) * 24 * time.Hour
	case 3:
		by = time.Duration(7*24+g.IntN(100)) * time.Hour
		if at, ahead := g.expiry(); ahead && at.Sub(g.w.now) < 60*24*time.Hour {
			by, g.expired = at.Sub(g.w.now), at
		}
	case 4:
		by = time.Duration(15*24+g.IntN(30*24)) * time.Hour
	default:
		by = time.Duration(g.IntN(60*24)) * time.Hour
	}
	if g.largest > 0 {
		by = min(by, g.largest)
	}
	return step{Do: "clock", At: g.w.now.Add(by).Format(time.RFC3339)}, true
}

// expiry is the morning of the next day on which a block of credits expires. Usage that follows
// is of the first hours that it does not pay for.
func (g *generator) expiry() (next time.Time, ahead bool) {
	for _, c := range g.r.customers() {
		for _, currency := range []string{"credits", "USD"} {
			if c.ledgers[currency] == nil {
				continue
			}
			for _, b := range c.ledgers[currency].blocks {
				at := c.zone.start(b.to).Add(10 * time.Hour)
				if b.to > c.zone.day(g.w.now) && (!ahead || at.Before(next)) {
					next, ahead = at, true
				}
			}
		}
	}
	return next, ahead
}

func (g *generator) cancel() (step, bool) {
	sub := g.sub()
	if !sub.to.IsZero() && !sub.to.After(g.w.now) {
		return step{}, false
	}
	s := step{Do: "cancel", Of: sub.name, Option: pick(g, "end_of_subscription_term", "requested_date", "requested_date", "requested_date", "immediate")}
	if s.Option == "immediate" && g.chance(40) {
		return step{}, false
	}
	if s.Option == "end_of_subscription_term" && len(sub.changes) > 0 {
		return step{}, false // no rule says whether a plan change that lies ahead ends the term
	}
	if s.Option == "requested_date" {
		s.At = g.date(sub.customer, sub.back(pick(g, -20, 0, 0)), 60)
	}
	return s, true
}

func (g *generator) unschedule() (step, bool) {
	sub := g.sub()
	return step{Do: "unschedule cancellation", Of: sub.name}, sub.canceled && sub.to.After(g.w.now)
}

func (g *generator) fee() (*subscription, *interval) {
	sub := g.sub()
	for _, k := range g.Perm(len(sub.intervals)) {
		i := sub.intervals[k]
		if i.spec.Metric == "" && !i.spec.allocation() && i.price != "" && (i.to.IsZero() || i.to.After(g.w.now)) {
			return sub, i
		}
	}
	return nil, nil
}

func (g *generator) quantity() (step, bool) {
	sub, i := g.fee()
	if sub == nil {
		return step{}, false
	}
	s := step{Do: "quantity", Of: sub.name, Price: i.spec.Name, Option: pick(g, "immediate", "effective_date", "effective_date", "upcoming_invoice"), Amount: fmt.Sprint(g.IntN(8))}
	if s.Option == "upcoming_invoice" && (i.from.After(g.w.now) || g.w.now.Before(sub.trialEnd())) {
		return step{}, false // no rule says which invoice of a price that lies ahead that is
	}
	if s.Option == "effective_date" {
		s.At = g.date(sub.customer, pick(g, -10, 0, 1), 40)
	}
	return s, true
}

func (g *generator) unscheduleQuantity() (step, bool) {
	sub, i := g.fee()
	if sub == nil || len(i.quantities) == 0 {
		return step{}, false
	}
	return step{Do: "unschedule quantity", Of: sub.name, Price: i.spec.Name}, true
}

func (g *generator) credit() (step, bool) {
	c := g.customer()
	s := step{Do: "credit", Name: g.name("block"), Of: c.name, Currency: pick(g, "credits", "USD"), Amount: pick(g, "5", "20", "33.5", "100"), Basis: pick(g, "", "0", "0.5", "1")}
	today := 0
	if g.chance(40) {
		today = pick(g, -20, -3, 3, 10, 25)
		s.At = g.date(c, today, today)
	}
	if g.chance(60) {
		s.Until = g.date(c, max(today, 0)+1, max(today, 0)+50)
	}
	if g.chance(20) {
		s.Item = pick(g, "Item A", "Item B")
	}
	if g.wants("block of credits that came back") { // it is to have expired as the invoice that it paid a part of is voided
		s.At, s.Item, s.Until, s.Amount = "", "", g.date(c, 2, 12), "5"
	}
	if l := c.ledgers[s.Currency]; l != nil && len(l.blocks) > 0 && g.seed%3 == 1 { // its cost alone tells it from the last one
		last := l.blocks[len(l.blocks)-1]
		if s.Item = last.item; last.to == 0 {
			s.Until = ""
		} else if last.to > c.zone.day(g.w.now)+11 {
			s.Until = last.to.String()
		}
	}
	return s, true
}

func (g *generator) decrement() (step, bool) {
	c := g.customer()
	for _, currency := range []string{"credits", "USD"} {
		l := c.ledgers[currency]
		if l == nil {
			continue
		}
		if balance := l.balance(c.zone, g.w.now); balance.Sign() > 0 && currency != "" {
			return step{Do: "decrement", Of: c.name, Currency: currency, Amount: pick(g, "1", "4", "10")}, true
		}
	}
	return step{}, false
}

func (g *generator) planChange() (step, bool) {
	sub := g.sub()
	if !sub.to.IsZero() && !sub.to.After(g.w.now) {
		return step{}, false
	}
	s := step{Do: "plan change", Of: sub.name, Plan: g.planName(), Option: pick(g, "immediate", "requested_date", "requested_date", "end_of_subscription_term"),
		Filter: pick(g, "", "", "unchanged", "plan_change_date", "start_of_month")}
	ahead := slices.ContainsFunc(sub.changes, func(c planChange) bool { return c.at.After(g.w.now) })
	if s.Option == "end_of_subscription_term" && ahead {
		return step{}, false // no rule says whether a plan change that lies ahead ends the term
	}
	if s.Plan == sub.plan || len(sub.changes) > 0 && sub.changes[len(sub.changes)-1].plan == s.Plan {
		return step{}, false
	}
	if s.Option == "requested_date" {
		s.At = g.date(sub.customer, sub.back(pick(g, -8, 0, 1)), 40)
	}
	return s, true
}

func (g *generator) unschedulePlanChange() (step, bool) {
	sub := g.sub()
	n := len(sub.changes)
	return step{Do: "unschedule plan change", Of: sub.name}, n > 0 && sub.changes[n-1].at.After(g.w.now)
}

func (g *generator) addPrice() (step, bool) {
	sub := g.sub()
	if !sub.to.IsZero() && !sub.to.After(g.w.now) || sub.from.After(g.w.now) || len(sub.intervals) > 6 ||
		slices.ContainsFunc(sub.phases, func(p placed) bool { return p.anchor != nil }) { // its cycles would begin again within it
		return step{}, false
	}
	s := step{Do: "add price", Of: sub.name, Prices: []priceSpec{g.price(sub.name)}, At: g.date(sub.customer, 0, 20)}
	if g.chance(40) {
		s.Until = g.date(sub.customer, 21, 90)
		s.Flag = !s.Prices[0].advance() && g.chance(35)
	}
	return s, true
}

func (g *generator) endPrice() (step, bool) {
	sub := g.sub()
	if len(sub.intervals) == 0 {
		return step{}, false
	}
	i := pick(g, sub.intervals...)
	if !i.to.IsZero() || i.from.After(g.w.now) {
		return step{}, false
	}
	return step{Do: "end price", Of: sub.name, Price: i.spec.Name, At: g.date(sub.customer, 0, 40), Flag: !i.spec.advance() && g.chance(35)}, true
}

// document is something that is done to an issued invoice.
func (g *generator) document() (step, bool) {
	var all []*invoice
	sub := g.sub()
	for _, id := range g.r.books.order {
		if v := g.r.books.invoices[id]; v.sub == sub.id && v.status == "issued" && v.source == "subscription" {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return step{}, false
	}
	v := pick(g, all...)
	s := step{Of: sub.name, At: clock(v.date)}
	for _, l := range v.lines {
		if slices.ContainsFunc(sub.intervals, func(i *interval) bool { return i.price == l.price && i.spec.Invoiced != nil }) {
			return step{}, false // no rule says what the invoices after it charge then
		}
	}
	of := g.IntN(5)
	if g.chance(60) && slices.ContainsFunc(g.r.books.notes, func(n note) bool { return n.invoice == v.id }) {
		of = 2 // its credit notes are void with it
	}
	switch of {
	case 0, 1:
		s.Do, s.Until = "mark paid", g.w.now.Format(time.DateOnly)
	case 2:
		s.Do = "void invoice"
	default:
		s.Amount = pick(g, "0.01", "1.00")
		for _, l := range v.lines {
			for _, i := range sub.intervals {
				if i.price == l.price && i.spec.Metric != "" && l.amount.Cmp(rat(s.Amount)) >= 0 {
					s.Do, s.Price = "credit note", l.name
				}
			}
		}
	}
	return s, s.Do != ""
}
