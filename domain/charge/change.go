package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// CalculateAlone is what a fee in advance, or a change of its quantity, costs where it is billed by itself,
// in the currency of the invoice: below 0 for a decrease.
func CalculateAlone(t subscription.Terms, s subscription.ServicePeriod) money.Decimal {
	return Change(t, s).Amount
}

// Change is what a change of a fee in advance costs after adjustments: the difference to what the fees in
// advance of its period, those before it, come to (price models 6.7.15).
func Change(t subscription.Terms, s subscription.ServicePeriod) Amounts {
	var earlier []Charged
	for _, together := range inOrder(t, s) {
		items := make([]Item, len(together))
		for k, of := range together {
			items[k] = NewItem(t, of)
			items[k].Count(nil)
		}
		all := Calculate(t, Document{Date: together[0].BilledOn, Earlier: earlier}, items)
		if k := slices.IndexFunc(together, func(of subscription.ServicePeriod) bool { return sameService(of, s) }); k >= 0 {
			return all[k]
		}
		earlier = append(earlier, ChargedBy(items, all)...)
	}
	y := NewItem(t, s)
	y.Count(nil)
	return Calculate(t, Document{Date: s.BilledOn, Earlier: earlier}, []Item{y})[0]
}

// AsCharged returns the terms for what a charge that began at an instant gives back as its fee changes
// later: with the adjustments of that charge, and no others. A coupon that came since does not lower what
// is given back, and one that has ended still does.
func AsCharged(t subscription.Terms, change subscription.ServicePeriod, start time.Time) subscription.Terms {
	charged := change
	charged.Period.Start, charged.Charged = start, start
	all := t.Adjustments
	t.Adjustments = nil
	for _, a := range all {
		switch {
		case a.Adjustment.Kind == rating.Minimum: // by its days in force (price models 6.7.12)
			t.Adjustments = append(t.Adjustments, a)
		case a.Covers(charged):
			a.EndAt = nil
			t.Adjustments = append(t.Adjustments, a)
		}
	}
	return t
}

func sameService(a, b subscription.ServicePeriod) bool {
	return a.Interval.ID == b.Interval.ID && a.From.Equal(b.From)
}

// inOrder are the documents of fees in advance that share a period of an adjustment with a service, up to
// the one with the service, each with its services. Decreases have a document of their own.
func inOrder(t subscription.Terms, s subscription.ServicePeriod) (documents [][]subscription.ServicePeriod) {
	var found []subscription.ServicePeriod
	for _, interval := range t.Adjustments {
		if interval.Adjustment.Kind == rating.UsageDiscount {
			continue
		}
		a := t.PeriodsOf(interval)
		in, belongs := a.For(s)
		if !belongs {
			continue
		}
		for _, o := range t.ChargedIn(in.Period) {
			own, also := a.For(o)
			before := o.BilledOn.Before(s.BilledOn) || o.BilledOn.Equal(s.BilledOn) && (!o.Decrease() || o.Period.Start.Before(s.Period.Start))
			if also && own.Name() == in.Name() && o.Interval.Price.InAdvance() && before &&
				!slices.ContainsFunc(found, func(f subscription.ServicePeriod) bool { return sameService(f, o) }) {
				found = append(found, o)
			}
		}
	}
	found = slices.DeleteFunc(found, func(o subscription.ServicePeriod) bool { return sameService(o, s) && s.Decrease() })
	slices.SortStableFunc(found, func(a, b subscription.ServicePeriod) int { return a.BilledOn.Compare(b.BilledOn) })
	for _, o := range found {
		last := len(documents) - 1
		if last < 0 || o.Decrease() || documents[last][0].Decrease() || !documents[last][0].BilledOn.Equal(o.BilledOn) {
			documents = append(documents, nil)
			last++
		}
		documents[last] = append(documents[last], o)
	}
	return documents
}
