package invoice

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// books are what was charged for a subscription, and what was taken back.
type books struct {
	drafts   []Invoice
	issued   []Invoice // and not void, by date
	partial  []Invoice // likewise; the others are not of a threshold
	void     []Invoice // and not replaced by another
	replaced []Invoice
	lines    map[string][]Line   // by invoice; none of drafts
	taken    map[string][]taking // by line
	notes    map[string]bool     // credit notes, by id: whether they hold
	ours     map[string]bool     // those of them that changes of the subscription made
	undone   map[string]bool     // lines that charge nothing any more, by id
	adjusted map[string]bool     // lines under other adjustments than they were charged with, by id
}

// openBooks reads the books of a subscription and keeps its invoices from changing,
// and drafts from being issued, until the transaction ends.
func openBooks(tx *store.Tx, subscriptionID string) (books, error) {
	return readBooks(tx, tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), subscriptionID)
}

func readBooks(tx *store.Tx, from *gorm.DB, subscriptionID string) (books, error) {
	var rows []Invoice
	err := from.Where("subscription_id = ? AND source IN ?", subscriptionID, []Source{SourceSubscription, SourcePartial}).Order("id").Find(&rows).Error
	if err != nil {
		return books{}, err
	}
	slices.SortStableFunc(rows, func(a, b Invoice) int {
		return cmp.Or(a.InvoiceDate.Compare(b.InvoiceDate), a.CreatedAt.Compare(b.CreatedAt))
	})
	b := newBooks()
	for _, row := range rows {
		switch {
		case row.Source == SourcePartial && row.Status == StatusVoid:
		case row.Source == SourcePartial:
			b.partial = append(b.partial, row)
		case row.Status == StatusDraft:
			b.drafts = append(b.drafts, row)
		case row.Status != StatusVoid:
			b.issued = append(b.issued, row)
		case row.Replaced:
			b.replaced = append(b.replaced, row)
		default:
			b.void = append(b.void, row)
		}
	}
	return b, b.read(tx, rows)
}

func newBooks() books {
	return books{
		taken: map[string][]taking{}, notes: map[string]bool{}, ours: map[string]bool{},
		undone: map[string]bool{}, adjusted: map[string]bool{},
	}
}

// read adds the lines of those of the invoices that are no drafts, and what was taken
// back of them.
func (b *books) read(tx *store.Tx, rows []Invoice) (err error) {
	issued := idsOf(rows, false)
	if b.lines, err = linesOf(tx, issued); err != nil {
		return err
	}
	notes, err := creditNotesOf(tx, issued)
	for _, ofInvoice := range notes {
		for _, note := range ofInvoice {
			b.notes[note.ID], b.ours[note.ID] = note.VoidedAt == nil, note.Automatic
		}
	}
	return errors.Join(err, b.readCredits(tx))
}

func (b *books) readCredits(tx *store.Tx) error {
	byID := map[string]Line{}
	var ids []string
	for _, inv := range slices.Concat(b.issued, b.partial) {
		for _, l := range b.lines[inv.ID] {
			byID[l.ID], ids = l, append(ids, l.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var worthless []string
	if err := tx.Model(&UndoneLine{}).Where("invoice_line_id IN ?", ids).Pluck("invoice_line_id", &worthless).Error; err != nil {
		return err
	}
	for _, id := range worthless {
		b.undone[id] = true
	}
	var rows []CreditNoteLine
	err := tx.Where("invoice_line_id IN ?", ids).Order("seq").Find(&rows).Error
	for _, row := range rows {
		if !b.notes[row.CreditNoteID] {
			continue
		}
		b.taken[row.InvoiceLineID] = append(b.taken[row.InvoiceLineID], taking{
			Line: byID[row.InvoiceLineID], Amount: row.Amount, Period: period.Period{Start: row.StartAt, End: row.EndAt},
			Automatic: b.ours[row.CreditNoteID], Undone: row.Undone,
		})
		b.undone[row.InvoiceLineID] = b.undone[row.InvoiceLineID] || row.Undone
	}
	return err
}

// has reports whether a service is charged already, or was on an invoice that
// somebody made void.
func (b books) has(s subscription.Service) bool {
	for _, invoices := range [][]Invoice{b.issued, b.void} {
		for _, inv := range invoices {
			for _, l := range b.lines[inv.ID] {
				if l.IntervalID != nil && *l.IntervalID == s.Interval.ID && l.BilledFrom.Equal(s.From) && !b.spent(s, l) {
					return true
				}
			}
		}
	}
	return false
}

// spent reports whether a line of a service's time charges nothing of it any more: it was
// undone, or is of another quantity and has nothing left.
func (b books) spent(s subscription.Service, l Line) bool {
	return b.undone[l.ID] || !s.Cycle.Empty() && b.left(l).IsZero() && !sameQuantity(s, l)
}

// linesInAdvance are the lines of an interval that were charged in advance, newest
// first.
func (b books) linesInAdvance(i subscription.PriceInterval, invoices []Invoice) (lines []Line) {
	for _, inv := range invoices {
		for _, l := range b.lines[inv.ID] {
			if l.IntervalID != nil && *l.IntervalID == i.ID && inAdvance(inv, l) && !b.undone[l.ID] {
				lines = append(lines, l)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return b.StartAt.Compare(a.StartAt) })
	return lines
}

// take enters what is taken back of a line.
func (b books) take(l Line, amount money.Decimal, of period.Period) taking {
	taken := taking{Line: l, Amount: amount, Period: of}
	b.taken[l.ID] = append(b.taken[l.ID], taken)
	return taken
}

// takenFrom is what was taken back of lines for a time that begins then.
func (b books) takenFrom(t subscription.Terms, lines []Line, start time.Time) (sum money.Decimal) {
	for _, l := range lines {
		var taken money.Decimal
		for _, part := range b.taken[l.ID] {
			if part.Period.Start.Equal(start) {
				taken = taken.Add(part.Amount)
			}
		}
		sum = sum.Add(b.stillGiven(t, l, taken))
	}
	return sum
}

// stillGiven is what counts of what a line gave: where nothing is left of it, and it serves
// fewer days now, no more than those are worth.
func (b books) stillGiven(t subscription.Terms, l Line, taken money.Decimal) money.Decimal {
	s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
	if !found || !b.left(l).IsZero() || !s.Period.End.Before(l.EndAt) {
		return taken
	}
	served := spread(l.Amount, period.Period{Start: l.StartAt, End: l.EndAt}, days(s.Period, t), t)
	return money.Min(taken, t.Currency.Round(served.WithoutTail()))
}

// left is how much of a line was not taken back.
func (b books) left(l Line) money.Decimal {
	left := l.Amount
	for _, taken := range b.taken[l.ID] {
		left = left.Sub(taken.Amount)
	}
	return left
}

// unused is the part of a line that its days in rest are of all its days, without what
// was taken back for those days, exactly (semantics 6.3.5).
func (b books) unused(l Line, rest period.Period, t subscription.Terms) money.Decimal {
	unused := spread(l.Amount, period.Period{Start: l.StartAt, End: l.EndAt}, rest, t)
	for _, taken := range b.taken[l.ID] {
		unused = unused.Sub(spread(taken.Amount, taken.Period, rest, t))
	}
	return unused
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
