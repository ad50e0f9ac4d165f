package main

import (
	"fmt"
	"slices"
	"time"
)

// occasion is a situation that chance rarely makes: steps that follow each other, on the days on which rules meet.
// A wide history has one, which its seed chooses, among the steps that are drawn.
type occasion struct {
	prepare func(g *generator, plan *step)                                 // gives the first plans what it needs; nil: nothing
	fits    func(s *subscription, i *interval) bool                        // whether it can begin with a price that is in force and has no end
	steps   func(g *generator, s *subscription, i *interval, b day) []step // the next cycle of the price begins on day b
}

var occasions = []occasion{
	{prepare: (*generator).licensed, fits: licensePrice, steps: (*generator).belowZero},
	{prepare: (*generator).licensed, fits: licensePrice, steps: (*generator).licensePriceReplaced},
	{prepare: (*generator).partsTogether, fits: inParts, steps: (*generator).threeParts},
	{fits: inMoney, steps: (*generator).couponOfCycles},
	{prepare: (*generator).paidByCredits, fits: usage, steps: (*generator).blocksInOrder},
	{prepare: (*generator).paidInCredits, fits: usage, steps: (*generator).creditsBackAtTheEnd},
	{fits: recurring, steps: (*generator).planChangeAtBoundary},
	{fits: recurring, steps: (*generator).changesAtBoundary},
	{prepare: (*generator).modelInTurn, fits: usage, steps: (*generator).boundary},
	{prepare: (*generator).partsTogether, fits: inParts, steps: (*generator).adjustedAtBoundaries},
	{fits: usageInMoney, steps: (*generator).maximumsInARow},
	{fits: oneMonth, steps: (*generator).couponAndCancellation},
	{prepare: (*generator).phasesOfAMonth, fits: anyPrice, steps: (*generator).subscribedAtMonthsEnd},
}

func anyPrice(*subscription, *interval) bool { return true }

func licensePrice(_ *subscription, i *interval) bool { return i.spec.Seats != "" }
func inParts(_ *subscription, i *interval) bool      { return i.spec.Item == itemOfParts }
func usage(_ *subscription, i *interval) bool {
	return i.spec.Metric != "" && i.spec.Metric != composite
}

func inMoney(s *subscription, i *interval) bool {
	return i.spec.unit("USD") == "USD" && recurring(s, i) && len(s.coupons) < 2
}

func recurring(_ *subscription, i *interval) bool {
	return i.spec.Cycle != (cycle{}) && !i.spec.allocation() && i.spec.Metric != composite
}

// occur returns the steps of the occasion, nil as long as no price fits.
func (g *generator) occur() []step {
	for _, name := range g.w.order {
		s := g.w.subs[name]
		if s.from.After(g.w.now) || !s.to.IsZero() || s.trialEnd().After(g.w.now) || slices.ContainsFunc(s.changes, func(c planChange) bool { return c.at.After(g.w.now) }) {
			continue
		}
		z := s.customer.zone
		for _, i := range s.intervals {
			if i.price == "" || i.from.After(g.w.now) || !i.to.IsZero() || i.spec.Cycle == (cycle{}) || !g.occasion.fits(s, i) {
				continue
			}
			b := i.anchor.around(i.spec.Cycle, z.day(g.w.now)).to
			if b > z.day(g.w.now)+100 {
				continue // the rest of the history would stay within one cycle
			}
			return g.occasion.steps(g, s, i, b)
		}
	}
	return nil
}

// to moves the clock to an hour of a local day.
func (g *generator) to(s *subscription, d day, hour int) step {
	return step{Do: "clock", At: s.customer.zone.start(d).Add(time.Duration(hour) * time.Hour).UTC().Format(time.RFC3339)}
}

// used is usage at an hour of a local day, by a.
func (g *generator) used(s *subscription, d day, hour int, n string) step {
	e := eventSpec{Key: g.name("event"), Customer: s.customer.name, At: s.customer.zone.start(d).Add(time.Duration(hour) * time.Hour).UTC().Format(time.RFC3339), N: n, Who: "a"}
	return step{Do: "ingest", Events: []eventSpec{e}}
}

// usedNow is usage of the last hour, by a.
func (g *generator) usedNow(s *subscription, n string) step {
	return step{Do: "ingest", Events: []eventSpec{{Key: g.name("event"), Customer: s.customer.name, At: g.w.now.Add(-time.Hour).Format(time.RFC3339), N: n, Who: "a"}}}
}

// today is the local day of a subscription's customer.
func (g *generator) today(s *subscription) day { return s.customer.zone.day(g.w.now) }

// licensed gives both first plans a license price of a month and usage that draws on its licenses.
func (g *generator) licensed(plan *step) {
	plan.Phases = nil
	prices := g.seats(plan.Name)
	for n := range prices {
		prices[n].Cycle = cycle{Months: 1}
	}
	prices[0].Item, prices[1].Metric = "Item A", "sum"
	plan.Prices = append(slices.DeleteFunc(plan.Prices, func(p priceSpec) bool { return p.Seats != "" || p.Licensed || p.Phase > 0 }), prices...)
}

// belowZero lets a license use some credits, and takes more of it back than there was.
func (g *generator) belowZero(s *subscription, _ *interval, b day) []step {
	d := g.today(s)
	first, second := g.used(s, d+1, 9, pick(g, "5", "9", "30")), g.used(s, d+1, 11, pick(g, "2", "8"))
	return []step{
		{Do: "license", Of: s.name, Name: g.name("license"), Price: "a"},
		g.to(s, d+1, 12), first, second, g.to(s, d+2, 6),
		{Do: "amend", Name: first.Events[0].Key, Amount: pick(g, "-40", "-9", "-3")},
		g.to(s, d+2, 7), g.to(s, max(b, d+3), 3),
	}
}

// licensePriceReplaced changes the plan amid a period, so that another license price takes the place of the first.
func (g *generator) licensePriceReplaced(s *subscription, _ *interval, b day) []step {
	other := "plan1"
	if s.plan == other {
		other = "plan2"
	}
	d := g.today(s)
	at := min(d+3, max(b-1, d+1))
	return []step{
		{Do: "license", Of: s.name, Name: g.name("license"), Price: "a"},
		g.to(s, d+1, 12), g.used(s, d+1, 9, pick(g, "5", "20")),
		{Do: "plan change", Of: s.name, Plan: other, Option: "requested_date", At: max(at, d+1).String(), Filter: "unchanged"},
		g.to(s, at+1, 15), g.used(s, at+1, 9, pick(g, "5", "20", "45")), g.to(s, at+2, 6), g.to(s, max(b, at+3), 3),
	}
}

// itemOfParts is the item of prices with different parts.
const itemOfParts = "Item of parts"

// partsTogether gives the first plan prices of one cycle with different parts, under one adjustment: usage each month,
// usage and a fee each quarter, a fee in advance.
func (g *generator) partsTogether(plan *step) {
	if plan.Name != "plan1" {
		return
	}
	quarter, month := cycle{Months: 3}, cycle{Months: 1}
	price := func(metric string) priceSpec {
		return priceSpec{Name: plan.Name + "." + g.name("price"), Model: "unit", Metric: metric, Cycle: quarter, Amount: pick(g, "0.50", "2.10"), Item: itemOfParts}
	}
	monthly, quarterly, fee, ahead := price("sum"), price("sum"), price(""), price("")
	monthly.Invoiced = &month
	if fee.Quantity = "3"; g.chance(50) {
		fee.Invoiced = &month
	}
	ahead.Quantity, ahead.Advance = "2", true
	if g.chance(40) {
		monthly.Model, monthly.Bound, monthly.Above = "tiered", "5", "0.25"
	}
	all := []priceSpec{monthly, pick(g, quarterly, fee)}
	if g.chance(50) {
		all = append(all, ahead)
	}
	a := adjustment{Kind: pick(g, "minimum", "minimum", "minimum", "maximum", "amount_discount", "percentage_discount"), Amount: pick(g, "12.50", "40.01", "60.00"), Item: itemOfParts}
	if a.Kind == "percentage_discount" {
		a.Amount = "0.125"
	}
	for _, p := range all {
		a.Prices = append(a.Prices, p.Name)
	}
	plan.Phases = nil
	plan.Prices = append(slices.DeleteFunc(plan.Prices, func(p priceSpec) bool { return p.Phase > 0 }), all...)
	plan.Adjust = append(plan.Adjust, a)
}

// threeParts has usage in each part of a cycle, and something that changes in the second.
func (g *generator) threeParts(s *subscription, i *interval, b day) []step {
	d := g.today(s)
	steps := []step{g.usedNow(s, "9"), g.to(s, d+25, 8), g.used(s, d+25, 3, "30")}
	switch fee, n := g.feeOfParts(s), g.IntN(4); {
	case n == 0 && fee != nil:
		steps = append(steps, step{Do: "quantity", Of: s.name, Price: fee.spec.Name, Option: "effective_date", At: (d + 30).String(), Amount: pick(g, "0", "7")})
	case n == 1:
		steps = append(steps, step{Do: "cancel", Of: s.name, Option: "requested_date", At: pick(g, d+40, b, d+31).String()})
	default:
		steps = append(steps, g.endOfPart(s, i, d+40, b))
	}
	return append(steps, g.to(s, d+45, 8), g.used(s, d+45, 4, "14"), g.to(s, d+95, 8))
}

// endOfPart ends one of the prices in arrears of partsTogether: the others go on, and so do their documents.
func (g *generator) endOfPart(s *subscription, i *interval, days ...day) step {
	for _, o := range s.intervals {
		if o.spec.Item == itemOfParts && !o.spec.Advance && o.to.IsZero() && o.price != "" && g.chance(60) {
			i = o
		}
	}
	return step{Do: "end price", Of: s.name, Price: i.spec.Name, At: pick(g, days...).String()}
}

// feeOfParts is a fee of a plan of partsTogether.
func (g *generator) feeOfParts(s *subscription) *interval {
	for _, i := range s.intervals {
		if i.spec.Item == itemOfParts && i.spec.Metric == "" && i.to.IsZero() {
			return i
		}
	}
	return nil
}

// adjustedAtBoundaries adds an adjustment that begins and ends where parts or cycles do, or a day beside.
func (g *generator) adjustedAtBoundaries(s *subscription, i *interval, b day) []step {
	if i.spec.Metric == "" {
		return nil
	}
	part := i.anchor.around(i.spec.invoicing(), g.today(s)).to
	from := pick(g, part, b, part+1)
	a := adjustment{Kind: pick(g, "minimum", "maximum", "amount_discount", "percentage_discount"), Prices: []string{i.spec.Name}, Amount: pick(g, "5.00", "12.50")}
	if a.Kind == "percentage_discount" {
		a.Amount = "0.25"
	}
	add := step{Do: "add adjustment", Of: s.name, Name: g.name("adjustment"), Price: i.spec.Name, Adjust: []adjustment{a}, At: from.String()}
	if g.chance(60) {
		add.Until = i.anchor.around(pick(g, i.spec.invoicing(), i.spec.Cycle), from).to.String()
	}
	steps := []step{g.usedNow(s, "9"), add}
	if g.chance(40) {
		steps = append(steps, g.endOfPart(s, i, part+10, b-1, b))
	}
	return append(steps, g.to(s, part, 8), g.used(s, part, 3, "12"), g.to(s, b, 8), g.used(s, b, 3, "20"), g.to(s, b+35, 8))
}

// couponOfCycles redeems a coupon where a cycle begins, which ends where one does.
func (g *generator) couponOfCycles(s *subscription, i *interval, b day) []step {
	redeem := step{Do: "redeem", Of: s.name, Name: g.name("coupon"), Option: "requested_date", At: pick(g, b, b, b+1, b-1).String(), Amount: pick(g, "0.2", "0.125"), Months: max(i.spec.Cycle.Months, 1)}
	if parseDay(redeem.At) <= g.today(s) {
		redeem.At = b.String()
	}
	if g.chance(40) && !s.grantsCredits() {
		redeem.Currency, redeem.Amount = "USD", pick(g, "5.00", "17.01")
	}
	after := i.anchor.around(i.spec.Cycle, b).to
	return []step{redeem, g.to(s, b, 9), g.used(s, b, 4, "12"), g.to(s, after-1, 9), g.used(s, after-1, 3, "6"), g.to(s, after, 9), g.used(s, after, 3, "8"), g.to(s, after+8, 9)}
}

// paidByCredits gives a plan usage that credits pay, in a unit of credits or in money.
func (g *generator) paidByCredits(plan *step) {
	p := priceSpec{Name: plan.Name + "." + g.name("price"), Model: "unit", Metric: "sum", Cycle: cycle{Months: 1}, Amount: pick(g, "1", "0.35"), Item: pick(g, "Item A", "Item B")}
	if g.chance(60) {
		p.Currency, p.Conversion = "credits", pick(g, "1", "0.05")
	}
	plan.Phases = nil
	plan.Prices = append([]priceSpec{p}, slices.DeleteFunc(plan.Prices, func(p priceSpec) bool { return p.Phase > 0 })...)
}

// paidInCredits is the same in a unit of credits: what credits in money paid is often left out.
func (g *generator) paidInCredits(plan *step) {
	g.paidByCredits(plan)
	plan.Prices[0].Currency, plan.Prices[0].Conversion = "credits", pick(g, "1", "0.05")
}

// blocksInOrder adds blocks that differ in one thing by which they are drawn on, and draws on them by usage and by hand.
func (g *generator) blocksInOrder(s *subscription, i *interval, b day) []step {
	d := g.today(s)
	block := step{Do: "credit", Of: s.customer.name, Currency: i.spec.unit("USD"), Amount: pick(g, "5", "8"), Basis: "0.5", Until: (d + 40).String()}
	var all []step
	for n := range 3 {
		one := block
		switch g.IntN(5) {
		case 0:
			one.Until = (d + 40 + day(n) - 1).String()
		case 1:
			one.Basis = pick(g, "0", "1", "")
		case 2:
			one.At = (d - day(n)).String()
		case 3:
			one.Item = i.spec.Item
		case 4:
			one.Until = ""
		}
		one.Name = g.name("block")
		all = append(all, one)
	}
	g.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	by := step{Do: "decrement", Of: s.customer.name, Currency: block.Currency, Amount: pick(g, "1", "6")}
	if g.chance(30) {
		by = step{Do: "void credits", Of: s.customer.name, Name: all[0].Name, Amount: "1"}
	}
	return append(all, g.to(s, d+1, 12), g.used(s, d+1, 9, pick(g, "4", "13")), by, g.to(s, d+2, 12), g.used(s, d+2, 9, "7"), g.to(s, max(b, d+3), 5), g.to(s, max(b, d+3)+12, 5))
}

// creditsBackAtTheEnd voids an invoice that a block paid, on the last day of the block, or the day before or after.
func (g *generator) creditsBackAtTheEnd(s *subscription, i *interval, b day) []step {
	z, d := s.customer.zone, g.today(s)
	if b < d+2 {
		return nil
	}
	end := b + day(2+g.IntN(6))
	credit := step{Do: "credit", Of: s.customer.name, Name: g.name("block"), Currency: i.spec.unit("USD"), Amount: pick(g, "5", "3"), Basis: pick(g, "0", "0.5"), Until: end.String()}
	later := credit
	later.Name, later.Until = g.name("block"), (end + 30).String()
	steps := []step{credit}
	if g.chance(50) {
		steps = append(steps, later)
	}
	last := pick(g, end-1, end, end, end, end+1)
	return append(steps, g.to(s, d+1, 12), g.used(s, d+1, 9, "11"), g.to(s, b+1, 9), g.used(s, b+1, 3, "6"), g.to(s, max(last, b+2), 20),
		step{Do: "void invoice", Of: s.name, At: clock(z.start(b))}, g.used(s, max(last, b+2), 12, "3"), g.to(s, end+1, 9), g.to(s, end+33, 9))
}

// planChangeAtBoundary changes the plan where a cycle begins, or a day beside.
func (g *generator) planChangeAtBoundary(s *subscription, _ *interval, b day) []step {
	d := g.today(s)
	change := step{Do: "plan change", Of: s.name, Plan: g.planName(), Option: "requested_date", At: max(pick(g, b, b, b, b-1, b+1), d+1).String(),
		Filter: pick(g, "", "unchanged", "plan_change_date", "start_of_month")}
	if change.Plan == s.plan {
		return nil
	}
	steps := []step{change}
	if g.chance(25) {
		steps = append(steps, step{Do: "unschedule plan change", Of: s.name}, change)
	}
	return append(steps, g.to(s, max(b, d+1), 10), g.used(s, max(b, d+1), 4, "12"), g.to(s, b+4, 10), g.used(s, b+3, 4, "5"), g.to(s, b+40, 10))
}

// changesAtBoundary cancels, ends or adds a price or changes a quantity where a cycle begins.
func (g *generator) changesAtBoundary(s *subscription, i *interval, b day) []step {
	at := b.String()
	var steps []step
	if i.spec.Metric == "" {
		steps = append(steps, step{Do: "quantity", Of: s.name, Price: i.spec.Name, Option: "effective_date", At: at, Amount: fmt.Sprint(g.IntN(6))})
	}
	switch g.IntN(4) {
	case 0:
		steps = append(steps, step{Do: "cancel", Of: s.name, Option: "requested_date", At: at})
		if g.chance(40) {
			steps = append(steps, step{Do: "unschedule cancellation", Of: s.name})
		}
	case 1:
		steps = append(steps, step{Do: "end price", Of: s.name, Price: i.spec.Name, At: at})
	case 2:
		if add, ok := g.addPrice(); ok {
			add.Of, add.At, add.Until = s.name, at, ""
			steps = append(steps, add)
		}
	}
	return append(steps, g.boundary(s, i, b)...)
}

// boundary has usage on both sides of the instant at which a cycle begins.
func (g *generator) boundary(s *subscription, i *interval, b day) []step {
	before, after := g.used(s, b-1, 20, "13"), g.used(s, b, 0, "6")
	next := i.anchor.around(i.spec.Cycle, b).to
	return []step{g.to(s, b, 1), before, after, g.to(s, b+2, 1), g.used(s, b+1, 1, "9"), g.to(s, min(next, b+62), 2)}
}

// modelInTurn gives the first price of the first plan each model in its turn.
func (g *generator) modelInTurn(plan *step) {
	if plan.Name != "plan1" {
		return
	}
	all := append(slices.Clone(wideModels), usageModels...)
	p := g.priceThat(plan.Name, func(p priceSpec) bool { return p.Metric != "" && p.Config == nil })
	if p.Model = all[g.turn%uint64(len(all))]; wideConfigs[p.Model] != "" {
		if p.Config, p.Prorated = compact(wideConfigs[p.Model]), false; p.Model == "event_output" {
			p.Metric = "sum"
		}
	} else {
		p = g.priceThat(plan.Name, func(one priceSpec) bool { return one.Metric != "" && one.Model == p.Model })
	}
	p.Phase = plan.Prices[0].Phase
	plan.Prices[0] = p
}
