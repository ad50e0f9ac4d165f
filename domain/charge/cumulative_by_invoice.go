package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// What a price costs may depend on others: a minimum, a maximum or a discount works on all lines of its
// period, and a composite price charges for others (price models 6.7). So costs are those of the documents
// of the period, one after the other, as their invoices charge them, and add up to these.
//
// Up to an instant, the usage of all lines is counted up to then, and fees count in full. Services that have
// not begun by then do not count. Minimums show in full from the start of their period on: the last document
// of which something has begun settles them (price models 6.7.23). While the usage of one price
// grows, its share of a minimum may grow at the expense of another price; the sum of both does not fall.

// sharesAdjustments reports whether what a price of a subscription costs may depend on the
// other lines of its invoice.
func sharesAdjustments(t subscription.Terms, currency money.Currency) bool {
	return len(t.Adjustments) > 0 || slices.ContainsFunc(t.Intervals, func(i subscription.PriceInterval) bool {
		return i.Price.Currency == currency && i.Price.Model().Needs().Composite
	})
}

// Invoices are the issued invoices of a subscription as far as its terms do not tell them.
type Invoices struct {
	// Of says which invoice charges a line, where a date has several of one plan. A line that is not in it is
	// on the one that is not issued.
	Of map[LineKey]string

	Partial []Charged // lines of partial invoices that stand, by date
}

// InvoicesOf finds the issued invoices of a subscription that its terms do not tell.
type InvoicesOf func(tx *store.Tx, t subscription.Terms) (Invoices, error)

// LineKey tells the lines of a subscription apart.
type LineKey struct {
	IntervalID string
	From       int64 // from when on it is billed, in microseconds
}

// of names the invoice of a service: its date, its plan and where there are several of these
// which one.
func (in Invoices) of(s subscription.ServicePeriod) string {
	return s.BilledOn.String() + s.Interval.PlanID + in.Of[LineKey{s.Interval.ID, s.From.UnixMicro()}]
}

// until are the lines of partial invoices up to an instant. What those charged keeps the adjustments that it
// had (price models 6.7.18).
func (in Invoices) until(at time.Time) []Charged {
	after := func(c Charged) bool { return c.BilledOn.After(at) }
	if k := slices.IndexFunc(in.Partial, after); k >= 0 {
		return in.Partial[:k]
	}
	return in.Partial
}

// sheet is the lines in one currency of one document. Those that are not shown only have a part in the
// amounts of others.
type sheet struct {
	services []subscription.ServicePeriod
	shown    []bool
}

// sheetsOf are the documents that charge for a period, and those that bear on them, in the order of their
// dates. A decrease of a fee is on no invoice, but credited alone.
func sheetsOf(t subscription.Terms, currency money.Currency, whole period.Period, in Invoices) (sheets []sheet) {
	key := func(s subscription.ServicePeriod) string { return s.Interval.ID + s.From.String() }
	shown := map[string]bool{}
	for _, s := range t.ChargedIn(whole) {
		shown[key(s)] = true
	}
	at := map[string]int{}
	for _, s := range t.ChargedIn(span(t, currency, whole)) {
		if s.Interval.Price.Currency != currency {
			continue
		}
		k, known := at[in.of(s)]
		if !known || s.Decrease() {
			k, sheets = len(sheets), append(sheets, sheet{})
		}
		if !s.Decrease() {
			at[in.of(s)] = k
		}
		sheets[k].services = append(sheets[k].services, s)
		sheets[k].shown = append(sheets[k].shown, shown[key(s)])
	}
	slices.SortStableFunc(sheets, func(a, b sheet) int { return a.services[0].BilledOn.Compare(b.services[0].BilledOn) })
	return sheets
}

// span is a period with the time before it whose documents bear on it: from the start of all periods of
// adjustments and all cycles that have a part in it on. What bears on those in turn is looked for twice.
func span(t subscription.Terms, currency money.Currency, whole period.Period) period.Period {
	wider, periods := whole, t.PeriodsOfAll()
	for range 3 {
		before := wider
		include := func(p period.Period) {
			if p.Start.Before(wider.Start) {
				wider.Start = p.Start
			}
		}
		for _, s := range t.ChargedIn(before) {
			if s.Interval.Price.Currency != currency || !s.Period.End.After(before.Start) {
				continue
			}
			if !s.Interval.Price.Fixed() {
				include(s.Period)
			}
			for _, a := range periods {
				if in, belongs := a.For(s); belongs {
					include(in.Period)
				}
			}
		}
		if wider.Equal(before) {
			break
		}
	}
	return wider
}

// settling says which of the documents that have begun before an instant settles a minimum: the last one
// with a line in arrears of its period, else the last one with a line, and each one where all lines are in
// advance.
func settling(sheets []sheet, edge time.Time, this int) func(subscription.AdjustmentPeriods, subscription.AdjustmentPeriod) bool {
	return func(a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod) bool {
		if !edge.After(in.Start) {
			return false
		}
		if _, arrears := a.SettledOn(in); !arrears {
			return true
		}
		last, inArrears := -1, -1
		for k, sh := range sheets {
			for _, s := range sh.services {
				if own, belongs := a.For(s); !edge.After(s.From) || !belongs || own.Name() != in.Name() || !a.Counts(s, in) {
					continue
				}
				if last = k; !s.Interval.Price.InAdvance() {
					inArrears = k
				}
			}
		}
		if inArrears >= 0 {
			return this == inArrears
		}
		return this == last
	}
}

// worthOnInvoices works out the worth at instants, which rise, with one reading of all
// usage.
func worthOnInvoices(tx *store.Tx, t subscription.Terms, currency money.Currency, whole period.Period, edges []time.Time, in Invoices) (CumulativeCost, error) {
	sheets := sheetsOf(t, currency, whole, in)
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
	periods := t.PeriodsOfAll()
	for _, edge := range edges {
		upTo, from := map[string]pricePart{}, 0
		var earlier []Charged
		partial := in.until(edge)
		for n, sh := range sheets {
			for len(partial) > 0 && !partial[0].BilledOn.After(sh.services[0].BilledOn) {
				earlier, partial = append(earlier, partial[0]), partial[1:]
			}
			first := from
			from += len(sh.services)
			var together []Item
			var of []int
			for k, s := range sh.services {
				if edge.After(s.From) {
					together, of = append(together, upToEdge(t, s, items[first+k], slots[first+k], edge)), append(of, k)
				}
			}
			if len(together) == 0 {
				continue
			}
			d := Document{Date: sh.services[0].BilledOn, Earlier: earlier, Settles: settling(sheets, edge, n), Periods: periods}
			all := Calculate(t, d, together)
			earlier = append(earlier, ChargedBy(together, all)...)
			for k, a := range all {
				if s := together[k].ServicePeriod; sh.shown[of[k]] && !overtaken(s, sheets, edge) {
					p := upTo[s.Interval.ID]
					upTo[s.Interval.ID] = pricePart{p.quantity.Add(a.Quantity), p.subtotal.Add(a.Subtotal), p.total.Add(a.Left())}
				}
			}
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
		for k, o := range sh.services {
			if sh.shown[k] && o.Interval.ID == s.Interval.ID && o.Period.Start.Equal(s.Period.Start) && o.From.After(s.From) && edge.After(o.From) {
				return true
			}
		}
		return false
	})
}
