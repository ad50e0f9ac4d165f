package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// A minimum, a maximum or a discount over several prices works once for each invoice, on
// the lines of that invoice (price models 6.2). Costs follow: the cost of a service is the
// amount of its line on its own invoice, beside the lines of that invoice and no others. So the
// costs of any time add up to the invoices of it, whatever the cycles of the prices are.
//
// A price that is charged to date has in them what it adds on each invoice, so the invoices of
// the earlier parts of its cycle are charged first.
//
// Where a change adds to a date whose invoice is issued, another invoice of that date charges
// what is new, and what works once for each invoice works on it again.
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

// Invoices says which invoice charges a line, where a date has several of one plan. A line that
// is not in it is on the one that is not issued.
type Invoices map[LineKey]string

// InvoicesOf finds what the issued invoices of a subscription charge on the dates that have several
// of one plan.
type InvoicesOf func(tx *store.Tx, subscriptionID string) (Invoices, error)

// LineKey tells the lines of a subscription apart.
type LineKey struct {
	IntervalID string
	From       int64 // from when on it is billed, in microseconds
}

// of names the invoice of a service: its date, its plan and where there are several of these
// which one.
func (in Invoices) of(s subscription.ServicePeriod) string {
	return s.BilledOn.String() + s.Interval.PlanID + in[LineKey{s.Interval.ID, s.From.UnixMicro()}]
}

// beside are the services in a currency on the same invoice as another.
func (in Invoices) beside(t subscription.Terms, s subscription.ServicePeriod) []subscription.ServicePeriod {
	return slices.DeleteFunc(t.BilledOn(s.BilledOn), func(o subscription.ServicePeriod) bool {
		return o.Interval.Price.Currency != s.Interval.Price.Currency || in.of(o) != in.of(s)
	})
}

// sheet is the lines in one currency of one invoice. The first of them are shown; the
// others only have a part in the amount of those.
type sheet struct {
	services []subscription.ServicePeriod
	shown    int
}

// sheetsOf puts what is charged for a period on the invoices that charge it. A decrease of
// a fee is on none, but credited alone.
func sheetsOf(t subscription.Terms, currency money.Currency, whole period.Period, in Invoices) (sheets []sheet) {
	at := map[string]int{}
	for _, s := range t.ChargedIn(whole) {
		if s.Interval.Price.Currency != currency {
			continue
		}
		key := in.of(s)
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
		for _, s := range in.beside(t, first) {
			same := func(o subscription.ServicePeriod) bool { return o.Interval.ID == s.Interval.ID && o.From.Equal(s.From) }
			if !slices.ContainsFunc(sheets[k].services, same) {
				sheets[k].services = append(sheets[k].services, s)
			}
		}
	}
	return sheets
}

// withEarlier adds the invoices of the earlier parts of what is charged to date, none of which is
// shown, and puts all in the order of their dates.
func withEarlier(t subscription.Terms, sheets []sheet, in Invoices) []sheet {
	known := map[string]bool{}
	for _, sh := range sheets {
		if first := sh.services[0]; !first.Decrease() {
			known[in.of(first)] = true
		}
	}
	for k := 0; k < len(sheets); k++ {
		for _, s := range sheets[k].services {
			if !IsContinuation(s) {
				continue
			}
			for _, earlier := range t.BilledOn(s.From) {
				if earlier.Interval.ID != s.Interval.ID || known[in.of(earlier)] {
					continue
				}
				known[in.of(earlier)] = true
				sheets = append(sheets, sheet{services: in.beside(t, earlier)})
			}
		}
	}
	slices.SortStableFunc(sheets, func(a, b sheet) int { return a.services[0].BilledOn.Compare(b.services[0].BilledOn) })
	return sheets
}

// worthOnInvoices works out the worth at instants, which rise, with one reading of all
// usage.
func worthOnInvoices(tx *store.Tx, t subscription.Terms, currency money.Currency, whole period.Period, edges []time.Time, in Invoices) (CumulativeCost, error) {
	sheets := withEarlier(t, sheetsOf(t, currency, whole, in), in)
	var asked []Measurement
	var slots []map[int64]int // which answer holds at an edge; none before the start
	for _, sh := range sheets {
		for _, s := range sh.services {
			at, slot := MeasurementPoints(s.Period, edges)
			if s.Interval.Price.Fixed() { // counts in full, whatever the instant
				at, slot = []time.Time{s.Period.End}, nil
			}
			asked, slots = append(asked, Measurement{ServicePeriod: s, Until: at}), append(slots, slot)
		}
	}
	items, err := measureBegun(tx, t, asked)
	if err != nil {
		return CumulativeCost{}, err
	}
	w := CumulativeCost{whole, map[int64]map[string]pricePart{}}
	for _, edge := range edges {
		upTo, from := map[string]pricePart{}, 0
		toDate := map[string]*rating.Earlier{} // the charge of each cycle of a price on the sheets before
		for _, sh := range sheets {
			to := from + len(sh.services)
			together := make([]Item, 0, len(sh.services))
			for k := from; k < to; k++ {
				y := upToEdge(t, asked[k].ServicePeriod, items[k], slots[k], edge)
				if IsContinuation(y.ServicePeriod) {
					y.ToDate = toDate[CycleKey(y.ServicePeriod)]
				}
				together = append(together, y)
			}
			for k, a := range Calculate(t, together) {
				if s := sh.services[k]; !s.Interval.Price.Fixed() {
					toDate[CycleKey(s)] = &rating.Earlier{Subtotal: a.Subtotal, Applied: a.Adjustments}
				}
				if k >= sh.shown {
					continue
				}
				if s := sh.services[k]; edge.After(s.From) && !overtaken(s, sheets, edge) {
					p := upTo[s.Interval.ID]
					upTo[s.Interval.ID] = pricePart{p.quantity.Add(a.Quantity), p.subtotal.Add(a.Subtotal), p.total.Add(a.Left())}
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
func measureBegun(tx *store.Tx, t subscription.Terms, services []Measurement) ([][]Item, error) {
	var begun []Measurement
	for _, s := range services {
		if len(s.Until) > 0 {
			begun = append(begun, s)
		}
	}
	found, err := Measure(tx, t, begun)
	if err != nil {
		return nil, err
	}
	all := make([][]Item, len(services))
	for k, s := range services {
		if len(s.Until) > 0 {
			all[k], found = found[0], found[1:]
		}
	}
	return all, nil
}

// upToEdge is the item of a service at an instant: without usage where it has not begun.
func upToEdge(t subscription.Terms, s subscription.ServicePeriod, items []Item, slots map[int64]int, edge time.Time) Item {
	if s.Interval.Price.Fixed() {
		return items[0]
	}
	if at, begun := slots[edge.UnixMicro()]; begun {
		return items[at]
	}
	y := NewItem(t, s)
	y.Count(nil)
	return y
}

// overtaken reports whether a later invoice charges the same cycle of a price to date, and
// its part of the cycle has begun before an instant: that one says what the price is worth.
func overtaken(s subscription.ServicePeriod, sheets []sheet, edge time.Time) bool {
	if s.Interval.Price.Fixed() {
		return false
	}
	return slices.ContainsFunc(sheets, func(sh sheet) bool {
		return slices.ContainsFunc(sh.services[:sh.shown], func(o subscription.ServicePeriod) bool {
			return o.Interval.ID == s.Interval.ID && o.Period.Start.Equal(s.Period.Start) && o.From.After(s.From) && edge.After(o.From)
		})
	})
}

// CycleKey names the billing cycle of the price of a service.
func CycleKey(s subscription.ServicePeriod) string { return s.Interval.ID + s.Period.Start.String() }

// IsContinuation reports whether the invoices of earlier parts of a billing cycle charged for a
// time that the service begins with.
func IsContinuation(s subscription.ServicePeriod) bool { return s.From.After(s.Period.Start) }
