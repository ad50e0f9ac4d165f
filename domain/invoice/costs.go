package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// CostQuery asks for the costs of local days.
type CostQuery struct {
	Start, End *time.Time     // inclusive, exclusive; nil as semantics 7.1.5 says
	Periodic   bool           // each day alone instead of cumulative since the period's start
	Currency   money.Currency // "": the subscription's invoicing currency
}

// Cost is what usage is worth over a window: from the start of the billing
// period to the end of a local day, or that day alone.
type Cost struct {
	Window   period.Period
	Currency money.Currency
	Subtotal money.Decimal // before discounts and minimums
	Total    money.Decimal // after them
	Prices   []PriceCost   // in the order of the plan
}

// PriceCost is the part of one price.
type PriceCost struct {
	Price    catalog.Price
	Quantity money.Decimal
	Subtotal money.Decimal
	Total    money.Decimal
}

// CustomerCosts adds up the costs of a customer's subscriptions that are
// active in the timeframe. Without one, it is the active subscription's, else
// that of the most recently active (semantics 7.1.5).
func CustomerCosts(tx *store.Tx, buyer customer.Customer, q CostQuery) ([]Cost, error) {
	subs, err := subscription.OfCustomer(tx, buyer.ID)
	if err != nil {
		return nil, err
	}
	if q.Start == nil && q.End == nil {
		subs = mostRecent(subs, tx.Now)
	}
	all := []Cost{}
	for _, terms := range subs {
		part, err := Costs(tx, terms, q)
		if err != nil {
			return nil, err
		}
		all = merge(all, part)
	}
	return all, nil
}

// mostRecent keeps the subscriptions that are active, else the one that ended
// last.
func mostRecent(subs []subscription.Terms, now time.Time) []subscription.Terms {
	var active, ended []subscription.Terms
	for _, t := range subs {
		switch t.Status(now) {
		case subscription.StatusActive:
			active = append(active, t)
		case subscription.StatusEnded:
			if len(ended) == 0 || t.EndAt.After(*ended[0].EndAt) {
				ended = []subscription.Terms{t}
			}
		}
	}
	if len(active) > 0 {
		return active
	}
	return ended
}

// merge adds costs of equal windows together and keeps the order of days.
func merge(into, more []Cost) []Cost {
	for _, c := range more {
		same := func(o Cost) bool { return o.Window.Equal(c.Window) && o.Currency == c.Currency }
		if k := slices.IndexFunc(into, same); k >= 0 {
			into[k].Subtotal = into[k].Subtotal.Add(c.Subtotal)
			into[k].Total = into[k].Total.Add(c.Total)
			into[k].Prices = append(into[k].Prices, c.Prices...)
			continue
		}
		into = append(into, c)
	}
	slices.SortStableFunc(into, func(a, b Cost) int {
		if byEnd := a.Window.End.Compare(b.Window.End); byEnd != 0 {
			return byEnd
		}
		return a.Window.Start.Compare(b.Window.Start)
	})
	return into
}

// Costs returns the costs of a subscription day by day, oldest first. It is
// the calculation of its invoices, not saved (semantics 7.1).
func Costs(tx *store.Tx, t subscription.Terms, q CostQuery) ([]Cost, error) {
	frame, ok, err := timeframe(t, q, tx.Now)
	if err != nil || !ok {
		return []Cost{}, err
	}
	days := costDays(t, frame, tx.Now)
	if len(days) == 0 {
		return []Cost{}, nil
	}
	currency := q.Currency
	if currency == "" {
		currency = t.Currency
	}
	out := make([]Cost, len(days))
	for k, d := range days {
		out[k] = Cost{Window: d.cumulative, Currency: currency, Prices: []PriceCost{}}
		if q.Periodic {
			out[k].Window = d.day
		}
	}
	services := map[string][]subscription.Service{} // by price interval
	for _, s := range t.Services(period.Period{Start: days[0].cumulative.Start, End: days[len(days)-1].day.End}) {
		services[s.Interval.ID] = append(services[s.Interval.ID], s)
	}
	for _, i := range t.Intervals {
		if i.Price.Currency != currency {
			continue
		}
		worth, err := accrual(tx, t, services[i.ID], days)
		if err != nil {
			return nil, err
		}
		for k, d := range days {
			from := d.cumulative.Start
			if q.Periodic {
				from = d.day.Start
			}
			cost := worth.between(from, d.day.End)
			cost.Price = i.Price
			out[k].Prices = append(out[k].Prices, cost)
			out[k].Subtotal = out[k].Subtotal.Add(cost.Subtotal)
			out[k].Total = out[k].Total.Add(cost.Total)
		}
	}
	return out, nil
}

// costDay is one local day of a billing period, and the period up to its end.
type costDay struct{ day, cumulative period.Period }

// costDays lists the local days of the subscription's life that the timeframe
// touches and that are not in the future.
func costDays(t subscription.Terms, frame period.Period, now time.Time) []costDay {
	loc := t.Customer.Location()
	end := period.DateOf(now, loc).AddDays(1).In(loc) // the end of today
	if frame.End.Before(end) {
		end = frame.End
	}
	at := frame.Start
	if at.Before(t.StartAt) {
		at = t.StartAt
	}
	var days []costDay
	for at.Before(end) {
		whole, ok := t.BillingPeriod(at)
		if !ok {
			break
		}
		for _, day := range whole.LocalDays(loc) {
			if day.End.After(at) && day.Start.Before(end) {
				days = append(days, costDay{day, period.Period{Start: whole.Start, End: day.End}})
			}
		}
		at = whole.End
	}
	return days
}

// timeframe is what the query asks for, with the defaults of semantics 7.1.5;
// false when there is nothing to show.
func timeframe(t subscription.Terms, q CostQuery, now time.Time) (period.Period, bool, error) {
	if q.Start != nil && q.End != nil && !q.Start.Before(*q.End) {
		return period.Period{}, false, fault.Bad("timeframe_end", "must be after timeframe_start")
	}
	at := now
	switch t.Status(now) {
	case subscription.StatusUpcoming:
		return period.Period{}, false, nil
	case subscription.StatusEnded:
		at = t.EndAt.Add(-time.Microsecond)
	}
	current, _ := t.BillingPeriod(at)
	frame := current
	switch {
	case q.Start != nil && q.End != nil:
		frame = period.Period{Start: *q.Start, End: *q.End}
	case q.Start != nil:
		loc := t.Customer.Location()
		frame = period.Period{Start: *q.Start, End: period.DateOf(now, loc).AddDays(1).In(loc)}
	case q.End != nil:
		frame = period.Period{Start: current.Start, End: *q.End}
	}
	return frame, !frame.Empty(), nil
}
