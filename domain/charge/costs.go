package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CostQuery asks for the costs of local days.
type CostQuery struct {
	Start, End *time.Time     // inclusive, exclusive; nil as semantics 7.1.5 says
	Periodic   bool           // each day alone instead of cumulative since the period's start
	Currency   money.Currency // "": the subscription's invoicing currency

	InvoicesOf InvoicesOf // invoice.InvoicesBeside
}

// Cost is what usage is worth over a window: from the start of the billing
// period to the end of a local day, or that day alone.
type Cost struct {
	Window   period.Period
	Currency money.Currency
	Subtotal money.Decimal // before discounts and minimums
	Total    money.Decimal // after them, without what licenses cover
	Prices   []PriceCost   // in the order of the plan
}

// PriceCost is the part of one price.
type PriceCost struct {
	IntervalID string
	Price      catalog.Price
	Quantity   money.Decimal
	Subtotal   money.Decimal
	Total      money.Decimal
}

// CustomerCosts adds up the costs of a customer's subscriptions that are
// active in the timeframe. Without one, it is the active subscription's, else
// that of the most recently active (semantics 7.1.5).
func CustomerCosts(tx *store.Tx, buyer customer.Customer, q CostQuery) (_ []Cost, err error) {
	defer fault.Doing(&err, "find the costs of customer %s", buyer.ID)
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
func Costs(tx *store.Tx, t subscription.Terms, q CostQuery) (_ []Cost, err error) {
	defer fault.Doing(&err, "find the costs of subscription %s", t.ID)
	frame, ok, err := timeframe(t, q, tx.Now)
	if err != nil || !ok {
		return []Cost{}, err
	}
	currency := q.Currency
	if currency == "" {
		currency = t.Currency
	}
	costs := []Cost{}
	for _, days := range costDays(t, frame, tx.Now) {
		worth, err := CumulativeCosts(tx, t, currency, days, q.InvoicesOf)
		if err != nil {
			return nil, err
		}
		for _, d := range days.Days {
			window := period.Period{Start: days.Whole.Start, End: d.End}
			if q.Periodic {
				window = d
			}
			costs = append(costs, worth.Cost(t, currency, window))
		}
	}
	return costs, nil
}

// CostPeriod is local days of one billing period.
type CostPeriod struct {
	Whole period.Period
	Days  []period.Period
}

// costDays lists the local days of the subscription's life that the timeframe
// touches and that are not in the future, by billing period.
func costDays(t subscription.Terms, frame period.Period, now time.Time) []CostPeriod {
	loc := t.Customer.Location()
	end := period.DateOf(now, loc).AddDays(1).In(loc) // the end of today
	if frame.End.Before(end) {
		end = frame.End
	}
	at := frame.Start
	if at.Before(t.StartAt) {
		at = t.StartAt
	}
	var periods []CostPeriod
	for at.Before(end) {
		whole, ok := t.BillingPeriod(at)
		if !ok {
			break
		}
		p := CostPeriod{Whole: whole}
		for _, day := range whole.LocalDays(loc) {
			if day.End.After(at) && day.Start.Before(end) {
				p.Days = append(p.Days, day)
			}
		}
		periods = append(periods, p)
		at = whole.End
	}
	return periods
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
