package billing

import (
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// correctPartial adds the partial invoices that charged for time that is no longer billed in this
// way. An unpaid invoice is voided; the next invoice charges what is still owed. Of a paid
// invoice, lines without a service period are credited in full. If the service period of a line
// now ends earlier, the invoice of that end subtracts what was charged, even if the result is
// negative (semantics 8.2.2).
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
