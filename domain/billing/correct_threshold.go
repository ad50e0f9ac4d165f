package billing

import (
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// correctPartial adds the partial invoices that charged for a time that is not served any
// more. One that is not paid is void: what of it holds comes again with the next. Of one
// that is paid, lines are credited whole whose service is gone. Where the service ends
// earlier, the invoice of that end takes off what was charged, more than it charges
// (semantics 8.2.2).
func (c *corrections) correctPartial(t subscription.Terms, b history) {
	for _, inv := range b.Partial {
		beyond, gone := false, []invoice.Reversal{}
		for _, l := range b.Lines[inv.ID] {
			s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
			switch {
			case b.Reversed[l.ID]:
			case !found || !s.Period.Start.Equal(l.StartAt):
				beyond = true
				if left := b.Left(l); left.Sign() > 0 {
					whole := period.Period{Start: l.StartAt, End: l.EndAt}
					gone = append(gone, invoice.Reversal{Line: l, Amount: left, Period: whole, Undone: true})
				}
			case s.Period.End.Before(l.EndAt):
				beyond = true
			}
		}
		switch {
		case inv.Status != invoice.StatusIssued:
			c.Credits = append(c.Credits, gone...)
		case beyond:
			c.Replace = append(c.Replace, inv)
		}
	}
}
