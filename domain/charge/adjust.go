package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// adjust works out what the adjustments of the subscription do to the lines of a document: over their
// periods, less what they did on earlier documents (price models 6.7). was is what those charged of each
// line, parts what they added.
func adjust(t subscription.Terms, d Document, together []Item, all []Amounts, was []*rating.Earlier, parts []Charged) {
	lines := make([]rating.Line, len(together))
	for k, y := range together {
		lines[k] = rating.Line{
			Row: y.Interval.ID, Price: y.Interval.Price.Priced(), Model: y.Model, Usage: y.Usage, Subtotal: all[k].Subtotal, Earlier: was[k],
		}
	}
	var adjusted []rating.Adjusted
	if d.ByHand {
		adjustments := make([]rating.Adjustment, len(t.Adjustments))
		for k, a := range t.Adjustments {
			adjustments[k] = a.Adjustment.Rating()
		}
		adjusted = rating.Adjust(lines, adjustments, nil)
	} else {
		earlier := make([]rating.EarlierLine, len(parts))
		for k, part := range parts {
			earlier[k] = rating.EarlierLine{Row: part.Interval.ID, Quantity: part.Quantity, Subtotal: part.Subtotal, Applied: part.Applied}
		}
		adjusted = rating.AdjustPeriods(lines, earlier, Works(t, d, servicesOf(together), parts))
	}
	for k := range together {
		if of := together[k].TrialOf; of != "" {
			adjusted[k] = rating.Trial(of, lines[k])
		}
		all[k].Adjustments = append([]rating.Applied{}, adjusted[k].Applied...)
		all[k].Adjusted = adjusted[k].Subtotal
	}
}

// Works are the adjustments of a subscription with the lines that they work on together, for each of
// their periods: those of the document, and parts of earlier ones.
func Works(t subscription.Terms, d Document, services []subscription.ServicePeriod, parts []Charged) (works []rating.Work) {
	services = cutAt(d.Date, services)
	all := d.Periods
	if all == nil {
		all = t.PeriodsOfAll()
	}
	for _, a := range all {
		adjustment := a.Adjustment.Rating()
		adjustment.ID = a.AdjustmentID
		var periods []subscription.AdjustmentPeriod
		of := map[string]*rating.Work{}
		for k, s := range services {
			price := s.Interval.Price
			in, belongs := a.For(s)
			if !belongs || !adjustment.WorksOn(rating.Line{Price: price.Priced(), Model: price.Model()}) {
				continue
			}
			name := in.Name()
			w := of[name]
			if w == nil {
				if w = newWork(d, a, in, adjustment, services, k); w == nil {
					continue
				}
				of[name], periods = w, append(periods, in)
			}
			if counts(a.Chain(in), s, in) && (len(w.Lines) == 0 || services[w.Lines[0]].Interval.Price.Currency == price.Currency) {
				w.Lines = append(w.Lines, k)
			}
		}
		for _, w := range of {
			if adjustment.Kind == rating.UsageDiscount {
				w.Instead = a.Instead()
				w.Replaced = replacedBy(a, w.Lines, services, parts)
			}
		}
		for _, in := range periods {
			w := of[in.Name()]
			if len(w.Lines) == 0 {
				continue
			}
			for k, part := range parts {
				if own, belongs := a.For(part.ServicePeriod); belongs && own.Name() == in.Name() && counts(a.Chain(in), part.ServicePeriod, in) &&
					part.Interval.Price.Currency == services[w.Lines[0]].Interval.Price.Currency {
					w.Earlier = append(w.Earlier, k)
				}
			}
			works = append(works, *w)
		}
	}
	return works
}

// cutAt are services as a document of a date charges them: the service of a partial invoice ends with it, so what
// begins later does not reach it, and what ends later does (semantics 6.2.9 and 6.3.7).
func cutAt(date time.Time, services []subscription.ServicePeriod) []subscription.ServicePeriod {
	cut := slices.Clone(services)
	for k, s := range cut {
		if !date.IsZero() && !s.Interval.Price.InAdvance() && s.Period.End.After(date) {
			cut[k].Period.End = date
		}
	}
	return cut
}

// newWork is an adjustment at work in a period, still without lines, of which the first is known. It is nil where
// it has nothing to do: a minimum that another document settles, or one that another goes on from.
func newWork(d Document, a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod, adjustment rating.Adjustment,
	services []subscription.ServicePeriod, first int) *rating.Work {
	w := rating.Work{Adjustment: adjustment, Period: in.Name(), Fraction: a.Fraction(in)}
	if f, spread := a.Spread(in, services[first]); spread {
		w.Fraction = f
	}
	chain := a.Chain(in)
	if adjustment.Kind == rating.Minimum && !d.settles(a, in) || shownOf(chain, in, services).ID != a.ID {
		return nil
	}
	if len(chain) > 1 {
		amount := subscription.AmountOf(chain, in)
		w.Amount = &amount
		for _, other := range chain {
			if other.ID != a.ID {
				w.Also = append(w.Also, other.AdjustmentID)
			}
		}
	}
	return &w
}

// shownOf is the one of a chain of adjustments that a document shows: the last one of minimums, and of maximums the
// last one that its dates give the document (semantics 6.3.7).
func shownOf(chain []subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod, services []subscription.ServicePeriod) subscription.AdjustmentPeriods {
	last := chain[len(chain)-1]
	if last.Adjustment.Kind == rating.Minimum {
		return last
	}
	for _, a := range slices.Backward(chain) {
		if slices.ContainsFunc(services, func(s subscription.ServicePeriod) bool {
			own, belongs := a.For(s)
			return belongs && own.Name() == in.Name() && a.Counts(s, in)
		}) {
			return a
		}
	}
	return last
}

// counts reports whether one of a chain of adjustments works on a service of the period.
func counts(chain []subscription.AdjustmentPeriods, s subscription.ServicePeriod, in subscription.AdjustmentPeriod) bool {
	return slices.ContainsFunc(chain, func(a subscription.AdjustmentPeriods) bool { return a.Counts(s, in) })
}

// replacedBy are the lines whose prices those of some lines took the place of, by line.
func replacedBy(a subscription.AdjustmentPeriods, lines []int, services []subscription.ServicePeriod, parts []Charged) []rating.Replaced {
	all := make([]rating.Replaced, len(lines))
	for n, k := range lines {
		for _, old := range a.Replaced(services[k]) {
			is := func(s subscription.ServicePeriod) bool { return CycleKey(s) == CycleKey(old) }
			if at := slices.IndexFunc(services, is); at >= 0 {
				all[n].Lines = append(all[n].Lines, at)
				continue
			}
			for e, part := range slices.Backward(parts) {
				if is(part.ServicePeriod) {
					all[n].Earlier = append(all[n].Earlier, e)
					break
				}
			}
		}
	}
	return all
}

func servicesOf(items []Item) []subscription.ServicePeriod {
	services := make([]subscription.ServicePeriod, len(items))
	for k, y := range items {
		services[k] = y.ServicePeriod
	}
	return services
}
