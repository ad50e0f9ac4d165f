package main

// Occasions of what goes over several months.

// oneMonth has cycles of at most a month, in money: what goes over months spans several of them.
func oneMonth(s *subscription, i *interval) bool { return i.spec.Cycle.Months <= 1 && inMoney(s, i) }

func usageInMoney(s *subscription, i *interval) bool { return usage(s, i) && inMoney(s, i) }

// maximumsInARow has a maximum of a price follow another one amid a cycle (price-models.md 6.7.12).
func (g *generator) maximumsInARow(s *subscription, i *interval, b day) []step {
	d := g.today(s)
	if b < d+5 {
		return nil
	}
	at := d + 2 + day(g.IntN(int(b-d)-3))
	first := step{Do: "add adjustment", Of: s.name, Name: g.name("adjustment"), Price: i.spec.Name, At: d.String(), Until: at.String(),
		Adjust: []adjustment{{Kind: "maximum", Amount: pick(g, "5.00", "2.50"), Prices: []string{i.spec.Name}}}}
	second := step{Do: "add adjustment", Of: s.name, Name: g.name("adjustment"), Price: i.spec.Name, At: at.String(),
		Adjust: []adjustment{{Kind: "maximum", Amount: pick(g, "5.00", "12.50"), Prices: []string{i.spec.Name}}}}
	return []step{first, second, g.to(s, d+1, 20), g.used(s, d+1, 9, "400"), g.to(s, b-1, 20), g.used(s, b-1, 9, "300"), g.to(s, b, 9), g.to(s, b+13, 9)}
}

// couponAndCancellation plans an end within the months of a coupon, and takes it back: the coupon ends as it would have.
func (g *generator) couponAndCancellation(s *subscription, i *interval, b day) []step {
	d := g.today(s)
	redeem := step{Do: "redeem", Of: s.name, Name: g.name("coupon"), Option: "requested_date", At: max(b, d+1).String(), Amount: pick(g, "0.2", "0.125"), Months: 2}
	end := b + day(pick(g, 20, 35, 45))
	return []step{
		redeem, g.to(s, max(b, d+1), 9), {Do: "cancel", Of: s.name, Option: "requested_date", At: end.String()}, g.used(s, max(b, d+1), 4, "12"),
		g.to(s, b+3, 9), {Do: "unschedule cancellation", Of: s.name}, g.to(s, b+36, 9), g.used(s, b+36, 4, "6"),
		g.to(s, b+70, 9), g.used(s, b+70, 4, "8"), g.to(s, b+110, 9),
	}
}

// phasesOfAMonth gives the first plan phases of a month each.
func (g *generator) phasesOfAMonth(plan *step) {
	if plan.Name != "plan1" {
		return
	}
	plan.Phases = []phase{{Months: 1}, {Months: 1}, {Months: 1}, {}}
	g.pricesInPhases(plan)
}

// subscribedAtMonthsEnd subscribes on the last days of a long month, before a shorter one (semantics 1.1.6).
func (g *generator) subscribedAtMonthsEnd(s *subscription, _ *interval, _ day) []step {
	start := g.today(s)
	for _, m, d := start.date(); d != 31 || m == 7 || m == 12; _, m, d = start.date() { // before a month of as many days
		start++
	}
	start -= day(pick(g, 0, 0, 0, 1))
	return []step{
		{Do: "subscribe", Name: g.name("month end sub"), Of: s.customer.name, Plan: "plan1", At: start.String(), Flag: g.chance(50)},
		g.to(s, start+1, 9), g.used(s, start+1, 4, "9"), g.to(s, start+33, 9), g.used(s, start+33, 4, "9"),
		g.to(s, start+64, 9), g.used(s, start+64, 4, "9"), g.to(s, start+96, 9), g.to(s, start+127, 9),
	}
}
