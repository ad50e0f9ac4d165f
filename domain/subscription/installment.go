package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// Installment is the part of a fee that one of several invoices of its billing cycle
// charges.
type Installment struct {
	Cycle  period.Period // the full invoicing cycle that the service is all or part of
	Number int           // of it in the billing cycle, from 0
	Of     int           // how many there are
}

// charged are what invoices charge of a piece of a price's life, in the order of their
// dates. A price that is invoiced several times in a billing cycle has a part for each:
// a fee the next installment, all else what has been used from the start of the piece on,
// of which the earlier invoices have some (semantics 6.2.9).
func (t Terms) charged(piece ServicePeriod) (services []ServicePeriod) {
	price := piece.Interval.Price
	length := price.InvoicingLength()
	if length == price.Length() || piece.TrialOf != "" {
		services = piece.byQuantity()
		if a, grants := t.AllowanceAt(piece.Interval, piece.Period.Start); grants && len(services) > 0 {
			services[0].Quantity = t.Granted(a)
		}
		return services
	}
	a := t.anchorOf(piece.Interval, piece.Period.Start)
	loc := t.Customer.Location()
	grid := period.NewCycle(length, a.Anchor, period.DateOf(a.origin, loc), loc)
	for at := piece.Period.Start; at.Before(piece.Period.End); {
		whole := grid.At(at)
		part, _ := whole.Intersect(piece.Period)
		s := t.deferIfAllowed(service(piece.Interval, part, piece.Cycle), whole)
		if price.Type == catalog.PriceFixed {
			s.Instalment = &Installment{Cycle: whole, Number: number(grid, piece.Cycle.Start, whole.Start), Of: price.Length().Count(length)}
		} else {
			s.Period.Start = piece.Period.Start
		}
		services = append(services, s.byQuantity()...)
		at = part.End
	}
	return services
}

// number counts the cycles between two instants.
func number(grid period.Cycle, from, to time.Time) (n int) {
	for at := grid.At(from); at.Start.Before(to); at = grid.At(at.End) {
		n++
	}
	return n
}

// Days are those of the service in its billing cycle, in local days. Of the installments
// of a fee each is as long as the others (price models 5.6).
func (s ServicePeriod) Days(loc *time.Location) rating.Days {
	cycle, part := s.Cycle, s.Instalment
	if part == nil {
		part = &Installment{Of: 1}
	} else {
		cycle = part.Cycle
	}
	f := period.FractionOf(s.Period, cycle, loc)
	from := part.Number*f.Whole + period.Days(period.Period{Start: cycle.Start, End: s.Period.Start}, loc)
	return rating.Days{From: from, To: from + f.Part, Of: part.Of * f.Whole}
}
