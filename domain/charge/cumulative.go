package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// CumulativeCost is what the services of a billing period are worth up to certain
// instants. Those that depend on each other are charged with the others of their invoice:
// see cumulative_by_invoice.go.
type CumulativeCost struct {
	whole period.Period                  // the billing period
	upTo  map[int64]map[string]pricePart // by instant, in microseconds, and price interval
}

type pricePart struct{ quantity, subtotal, total money.Decimal }

// CumulativeCosts works out the worth at the edges of the days, with one reading of all usage.
// invoicesOf says on which of several invoices of a date a line is, and what partial ones charged.
func CumulativeCosts(tx *store.Tx, t subscription.Terms, currency money.Currency, days CostPeriod, invoicesOf InvoicesOf) (CumulativeCost, error) {
	edges := []time.Time{days.Whole.Start}
	for _, d := range days.Days {
		edges = append(edges, d.Start, d.End)
	}
	slices.SortFunc(edges, time.Time.Compare)
	edges = slices.CompactFunc(edges, time.Time.Equal)

	if sharesAdjustments(t, currency) {
		in, err := invoicesOf(tx, t)
		if err != nil {
			return CumulativeCost{}, err
		}
		return worthOnInvoices(tx, t, currency, days.Whole, edges, in)
	}
	var services []Measurement
	var shown []map[int64]int
	for _, s := range t.ServicePeriods(days.Whole) {
		if s.Interval.Price.Currency != currency {
			continue
		}
		at, show := MeasurementPoints(s.Period, edges)
		services, shown = append(services, Measurement{ServicePeriod: s, Until: at}), append(shown, show)
	}
	items, err := Measure(tx, t, services)
	if err != nil {
		return CumulativeCost{}, err
	}
	together := map[int64][]Item{}
	for k := range services {
		for edge, at := range shown[k] {
			if together[edge] == nil {
				together[edge] = make([]Item, 0, len(services))
			}
			together[edge] = append(together[edge], items[k][at])
		}
	}
	w := CumulativeCost{days.Whole, map[int64]map[string]pricePart{}}
	for edge, items := range together {
		upTo := make(map[string]pricePart, len(items))
		for k, a := range Calculate(t, Document{}, items) {
			id := items[k].Interval.ID
			p := upTo[id]
			upTo[id] = pricePart{p.quantity.Add(a.Quantity), p.subtotal.Add(a.Subtotal), p.total.Add(a.Left())}
		}
		w.upTo[edge] = upTo
	}
	return w, nil
}

// MeasurementPoints returns the instants at which a service is measured, and which of them
// shows what it is worth at an edge. Before its start it is worth nothing, after
// its end all of it.
func MeasurementPoints(service period.Period, edges []time.Time) (at []time.Time, shown map[int64]int) {
	shown = map[int64]int{}
	for _, edge := range edges {
		until := edge
		switch {
		case !edge.After(service.Start):
			continue
		case edge.After(service.End):
			until = service.End
		}
		if len(at) == 0 || !at[len(at)-1].Equal(until) {
			at = append(at, until)
		}
		shown[edge.UnixMicro()] = len(at) - 1
	}
	return at, shown
}

// Cost is what the window added.
func (w CumulativeCost) Cost(t subscription.Terms, currency money.Currency, window period.Period) Cost {
	c := Cost{Window: window, Currency: currency, Prices: make([]PriceCost, 0, len(t.Intervals))}
	before, after := w.upTo[window.Start.UnixMicro()], w.upTo[window.End.UnixMicro()]
	for _, i := range t.Intervals {
		from, to := before[i.ID], after[i.ID]
		if i.Price.Currency != currency || !i.Overlaps(w.whole) && to.total.Equal(from.total) && to.subtotal.Equal(from.subtotal) {
			continue
		}
		added := PriceCost{
			IntervalID: i.ID, Price: i.Price, Quantity: to.quantity.Sub(from.quantity),
			Subtotal: to.subtotal.Sub(from.subtotal), Total: to.total.Sub(from.total),
		}
		c.Prices = append(c.Prices, added)
		c.Subtotal = c.Subtotal.Add(added.Subtotal)
		c.Total = c.Total.Add(added.Total)
	}
	return c
}
