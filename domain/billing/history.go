package billing

import (
	"cmp"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// history are a billing history with what a comparison with the terms found.
type history struct {
	invoice.History
	adjusted     map[string]bool // lines under other adjustments than they were charged with, by id
	overCredited map[string]bool // lines that were credited more than the terms take back, by id

	lapsed map[string]allocation.Grant // whose period the terms do not have any more, by line
}

// lockHistory reads the billing history of a subscription and keeps its invoices from changing,
// and drafts from being issued, until the transaction ends.
func lockHistory(tx *store.Tx, subscriptionID string) (history, error) {
	return readHistory(tx, tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), subscriptionID)
}

func readHistory(tx *store.Tx, from *gorm.DB, subscriptionID string) (history, error) {
	var rows []invoice.Invoice
	err := from.Where("subscription_id = ? AND source IN ?", subscriptionID, []invoice.Source{invoice.SourceSubscription, invoice.SourcePartial}).Order("id").Find(&rows).Error
	if err != nil {
		return history{}, err
	}
	slices.SortStableFunc(rows, func(a, b invoice.Invoice) int {
		return cmp.Or(a.InvoiceDate.Compare(b.InvoiceDate), a.CreatedAt.Compare(b.CreatedAt))
	})
	b := history{History: invoice.NewHistory(), adjusted: map[string]bool{}, overCredited: map[string]bool{}, lapsed: map[string]allocation.Grant{}}
	for _, row := range rows {
		switch {
		case row.Source == invoice.SourcePartial && row.Status == invoice.StatusVoid:
		case row.Source == invoice.SourcePartial:
			b.Partial = append(b.Partial, row)
		case row.Status == invoice.StatusDraft:
			b.Drafts = append(b.Drafts, row)
		case row.Status != invoice.StatusVoid:
			b.Issued = append(b.Issued, row)
		case row.Replaced:
			b.Replaced = append(b.Replaced, row)
		default:
			b.Void = append(b.Void, row)
		}
	}
	return b, b.Read(tx, rows)
}

// linesInAdvance are the lines of an interval that were charged in advance, newest
// first.
func (b history) linesInAdvance(i subscription.PriceInterval, invoices []invoice.Invoice) (lines []invoice.Line) {
	for _, inv := range invoices {
		for _, l := range b.Lines[inv.ID] {
			if l.IntervalID != nil && *l.IntervalID == i.ID && invoice.InAdvance(inv, l) && !b.Reversed[l.ID] {
				lines = append(lines, l)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b invoice.Line) int { return b.StartAt.Compare(a.StartAt) })
	return lines
}

// worth is the part of a line that its days in part are of all its days, without what was
// credited of those on request, exactly (semantics 6.3.5).
func (b history) worth(l invoice.Line, part period.Period, t subscription.Terms) money.Decimal {
	worth := spread(l.Amount, period.Period{Start: l.StartAt, End: l.EndAt}, part, t)
	for _, taken := range b.Credits[l.ID] {
		if !taken.Automatic {
			worth = worth.Sub(spread(taken.Amount, taken.Period, part, t))
		}
	}
	return money.Max(worth, money.Decimal{})
}

// uncreditedByClients returns what clients left of a line: its amount less what they credited of it, at
// least 0. What changes of the subscription took back does not count.
func (b history) uncreditedByClients(l invoice.Line) money.Decimal {
	held := l.Amount
	for _, taken := range b.Credits[l.ID] {
		if !taken.Automatic {
			held = held.Sub(taken.Amount)
		}
	}
	return money.Max(held, money.Decimal{})
}

// spread is the part of an amount for the days of whole that its days in part are.
func spread(amount money.Decimal, whole, part period.Period, t subscription.Terms) money.Decimal {
	shared, overlap := days(whole, t).Intersect(part)
	if !overlap {
		return money.Decimal{}
	}
	f := period.FractionOf(shared, whole, t.Customer.Location())
	if f.IsWhole() {
		return amount
	}
	return amount.Mul(money.FromInt(int64(f.Part))).Quo(money.FromInt(int64(f.Whole)))
}
