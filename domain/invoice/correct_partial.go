package invoice

import (
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// correctPartial adds the partial invoices that charged for a time that is not served any
// more. One that is not paid is void: what of it holds comes again with the next. Of one
// that is paid, lines are credited whole whose service is gone. Where the service ends
// earlier, the invoice of that end takes off what was charged, more than it comes to
// (semantics 8.2.2).
func (c *corrections) correctPartial(t subscription.Terms, b books) {
	for _, inv := range b.partial {
		beyond, gone := false, []taking{}
		for _, l := range b.lines[inv.ID] {
			s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
			switch {
			case b.undone[l.ID]:
			case !found || !s.Period.Start.Equal(l.StartAt):
				beyond = true
				if left := b.left(l); left.Sign() > 0 {
					whole := period.Period{Start: l.StartAt, End: l.EndAt}
					gone = append(gone, taking{Line: l, Amount: left, Period: whole, Undone: true})
				}
			case s.Period.End.Before(l.EndAt):
				beyond = true
			}
		}
		switch {
		case inv.Status != StatusIssued:
			c.Credits = append(c.Credits, gone...)
		case beyond:
			c.Replace = append(c.Replace, inv)
		}
	}
}
