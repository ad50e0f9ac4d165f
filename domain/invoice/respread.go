package invoice

import (
	"slices"

	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// respread notes the fees of paid invoices that come to something else, since another one
// does not stand that had a part in an adjustment with them: that works on the lines that
// are left (price models 6.2). Usage that is paid stays as it is, and so do fees that had
// a part in an adjustment with it.
func (b books) respread(t subscription.Terms) {
	for _, inv := range b.issued {
		if inv.Status == StatusIssued {
			continue // it is replaced as a whole
		}
		fees, apart := b.sharing(inv)
		var left []Line
		for _, l := range fees {
			if b.holds(t, l) {
				left = append(left, l)
			}
		}
		if apart && len(left) < len(fees) && !comesTo(t, fees, left) {
			for _, l := range left {
				b.adjusted[l.ID] = true
			}
		}
	}
}

// sharing are the fees in advance of an invoice that an adjustment worked on together with
// others, and whether it did on nothing else.
func (b books) sharing(inv Invoice) (fees []Line, apart bool) {
	for _, l := range b.lines[inv.ID] {
		switch {
		case l.IntervalID == nil || b.undone[l.ID] || !slices.ContainsFunc(l.Adjustments, shared):
		case !inAdvance(inv, l):
			return nil, false
		default:
			fees = append(fees, l)
		}
	}
	return fees, true
}

// shared reports whether what an adjustment did to a line depends on other lines.
func shared(a rating.Applied) bool {
	return a.Lines > 1 && a.Kind != rating.UsageDiscount && a.Kind != rating.PercentageDiscount
}

// comesTo reports whether some of the fees of an invoice still come to what they charged,
// where all of those that the terms have are charged together.
func comesTo(t subscription.Terms, fees, some []Line) bool {
	var of []Line
	var together []tally
	for _, l := range fees {
		s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
		if !found {
			continue
		}
		s.Period.End = l.EndAt // days after another end are credited
		y := unmeasured(t, s)
		y.count(nil)
		of, together = append(of, l), append(together, y)
	}
	charged := charge(t, together)
	return !slices.ContainsFunc(some, func(l Line) bool {
		k := slices.IndexFunc(of, func(other Line) bool { return other.ID == l.ID })
		return !charged[k].Amount.Equal(l.Amount)
	})
}
