package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// A minimum, a maximum or a discount over several prices works once for each invoice, on
// the lines of that invoice (price models 6.2). Costs follow: a service is worth what its
// line comes to on its own invoice, beside the lines of that invoice and no others. So the
// costs of any time add up to the invoices of it, whatever the cycles of the prices are.
//
// Up to an instant, the usage of all lines is counted up to then, and fees count in full. A
// service shows its part from its start on. While the usage of one price grows, its share of
// a minimum may grow at the expense of another price; the sum of both does not fall.

// sharesAdjustments reports whether what a price of a subscription costs may depend on the
// other lines of its invoice.
func sharesAdjustments(t subscription.Terms, currency money.Currency) bool {
	return len(t.Adjustments) > 0 || slices.ContainsFunc(t.Intervals, func(i subscription.PriceInterval) bool {
		return i.Price.Currency == currency && i.Price.Model().Needs().Composite
	})
}

// sheet is the lines in one currency of one invoice. The first of them are shown; the
// others only have a part in what those come to.
type sheet struct {
	services []subscription.Service
	shown    int
}

// sheetsOf puts what is charged for a period on the invoices that charge it. A decrease of
// a fee is on none, but credited alone.
func sheetsOf(t subscription.Terms, currency money.Currency, whole period.Period) (sheets []sheet) {
	at := map[string]int{}
	for _, s := range t.ChargedIn(whole) {
		if s.Interval.Price.Currency != currency {
			continue
		}
		key := s.BilledOn.String() + s.Interval.PlanID
		k, known := at[key]
		if !known || s.Decrease() {
			k, sheets = len(sheets), append(sheets, sheet{})
		}
		if !s.Decrease() {
			at[key] = k
		}
		sheets[k].services = append(sheets[k].services, s)
		sheets[k].shown++
	}
	for k := range sheets {
		first := sheets[k].services[0]
		if first.Decrease() {
			continue
		}
		for _, s := range t.BilledOn(first.BilledOn) {
			same := func(o subscription.Service) bool { return o.Interval.ID == s.Interval.ID && o.From.Equal(s.From) }
			if s.Interval.Price.Currency == currency && s.Interval.PlanID == first.Interval.PlanID && !slices.ContainsFunc(sheets[k].services, same) {
				sheets[k].services = append(sheets[k].services, s)
			}
		}
	}
	return sheets
}

// worthOnInvoices works out the worth at instants, which rise, with one reading of all
// usage.
func worthOnInvoices(tx *store.Tx, t subscription.Terms, currency money.Currency, whole period.Period, edges []time.Time) (worth, error) {
	sheets := sheetsOf(t, currency, whole)
	var asked []measured
	var slots []map[int64]int // which answer holds at an edge; none before the start
	for _, sh := range sheets {
		for _, s := range sh.services {
			at, slot := within(s.Period, edges)
			if s.Interval.Price.Fixed() { // counts in full, whatever the instant
				at, slot = []time.Time{s.Period.End}, nil
			}
			asked, slots = append(asked, measured{s, at}), append(slots, slot)
		}
	}
	tallies, err := measureBegun(tx, t, asked)
	if err != nil {
		return worth{}, err
	}
	w := worth{whole, map[int64]map[string]priceWorth{}}
	for _, edge := range edges {
		upTo, from := map[string]priceWorth{}, 0
		for _, sh := range sheets {
			to := from + len(sh.services)
			together := make([]tally, 0, len(sh.services))
			for k := from; k < to; k++ {
				together = append(together, upToEdge(t, asked[k].Service, tallies[k], slots[k], edge))
			}
			for k, a := range charge(t, together)[:sh.shown] {
				if s := sh.services[k]; edge.After(s.From) && !overtaken(s, sheets, edge) {
					p := upTo[s.Interval.ID]
					upTo[s.Interval.ID] = priceWorth{p.quantity.Add(a.Quantity), p.subtotal.Add(a.Subtotal), p.total.Add(a.left())}
				}
			}
			from = to
		}
		w.upTo[edge.UnixMicro()] = upTo
	}
	return w, nil
}

// measureBegun is measure for services of which some begin after all of their instants:
// those have none, and are not asked about.
func measureBegun(tx *store.Tx, t subscription.Terms, services []measured) ([][]tally, error) {
	var begun []measured
	for _, s := range services {
		if len(s.until) > 0 {
			begun = append(begun, s)
		}
	}
	found, err := measure(tx, t, begun)
	if err != nil {
		return nil, err
	}
	all := make([][]tally, len(services))
	for k, s := range services {
		if len(s.until) > 0 {
			all[k], found = found[0], found[1:]
		}
	}
	return all, nil
}

// upToEdge is the tally of a service at an instant: without usage where it has not begun.
func upToEdge(t subscription.Terms, s subscription.Service, tallies []tally, slots map[int64]int, edge time.Time) tally {
	if s.Interval.Price.Fixed() {
		return tallies[0]
	}
	if at, begun := slots[edge.UnixMicro()]; begun {
		return tallies[at]
	}
	y := unmeasured(t, s)
	y.count(nil)
	return y
}

// overtaken reports whether a later invoice charges the same cycle of a price to date, and
// its part of the cycle has begun before an instant: that one says what the price is worth.
func overtaken(s subscription.Service, sheets []sheet, edge time.Time) bool {
	if s.Interval.Price.Fixed() {
		return false
	}
	return slices.ContainsFunc(sheets, func(sh sheet) bool {
		return slices.ContainsFunc(sh.services[:sh.shown], func(o subscription.Service) bool {
			return o.Interval.ID == s.Interval.ID && o.Period.Start.Equal(s.Period.Start) && o.From.After(s.From) && edge.After(o.From)
		})
	})
}
