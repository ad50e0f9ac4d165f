package invoice

import (
	"cmp"
	"errors"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// History is what was charged for a subscription, and what was credited.
type History struct {
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
}

// books are a billing history with what a comparison with the terms found.
type books struct {
	History
	adjusted map[string]bool // lines under other adjustments than they were charged with, by id
	lacking  map[string]bool // lines that were credited more than the terms take back, by id
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
	b := books{History: newHistory(), adjusted: map[string]bool{}, lacking: map[string]bool{}}
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

func newHistory() History {
	return History{taken: map[string][]taking{}, notes: map[string]bool{}, ours: map[string]bool{}, undone: map[string]bool{}}
}

// read adds the lines of those of the invoices that are no drafts, and what was taken
// back of them.
func (b *History) read(tx *store.Tx, rows []Invoice) (err error) {
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

func (b *History) readCredits(tx *store.Tx) error {
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
func (b History) has(s subscription.Service) bool {
	for _, invoices := range [][]Invoice{b.issued, b.void} {
		for _, inv := range invoices {
			for _, l := range b.lines[inv.ID] {
				if l.IntervalID != nil && *l.IntervalID == s.Interval.ID && l.BilledFrom.Equal(s.From) && !b.undone[l.ID] {
					return true
				}
			}
		}
	}
	return false
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

// left is how much of a line was not taken back.
func (b History) left(l Line) money.Decimal {
	left := l.Amount
	for _, taken := range b.taken[l.ID] {
		left = left.Sub(taken.Amount)
	}
	return left
}

// worth is the part of a line that its days in part are of all its days, without what was
// credited of those on request, exactly (semantics 6.3.5).
func (b books) worth(l Line, part period.Period, t subscription.Terms) money.Decimal {
	worth := spread(l.Amount, period.Period{Start: l.StartAt, End: l.EndAt}, part, t)
	for _, taken := range b.taken[l.ID] {
		if !taken.Automatic {
			worth = worth.Sub(spread(taken.Amount, taken.Period, part, t))
		}
	}
	return money.Max(worth, money.Decimal{})
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
