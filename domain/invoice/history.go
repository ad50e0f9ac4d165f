package invoice

import (
	"errors"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// History is what was charged for a subscription, and what was credited.
type History struct {
	Drafts    []Invoice
	Issued    []Invoice // and not void, by date
	Partial   []Invoice // likewise; the others are not of a threshold
	Void      []Invoice // and not replaced by another
	Replaced  []Invoice
	Lines     map[string][]Line     // by invoice; none of drafts
	Credits   map[string][]Reversal // by line
	Notes     map[string]bool       // credit notes, by id: whether they hold
	Automatic map[string]bool       // those of them that changes of the subscription made
	Reversed  map[string]bool       // lines that charge nothing any more, by id
}

// NewHistory returns a history of nothing.
func NewHistory() History {
	return History{Credits: map[string][]Reversal{}, Notes: map[string]bool{}, Automatic: map[string]bool{}, Reversed: map[string]bool{}}
}

// Read adds the lines of those of the invoices that are no drafts, and what was taken
// back of them.
func (b *History) Read(tx *store.Tx, rows []Invoice) (err error) {
	issued := IdsOf(rows, false)
	if b.Lines, err = LinesOf(tx, issued); err != nil {
		return err
	}
	notes, err := creditNotesOf(tx, issued)
	for _, ofInvoice := range notes {
		for _, note := range ofInvoice {
			b.Notes[note.ID], b.Automatic[note.ID] = note.VoidedAt == nil, note.Automatic
		}
	}
	return errors.Join(err, b.readCredits(tx))
}

func (b *History) readCredits(tx *store.Tx) error {
	byID := map[string]Line{}
	var ids []string
	for _, inv := range slices.Concat(b.Issued, b.Partial) {
		for _, l := range b.Lines[inv.ID] {
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
		b.Reversed[id] = true
	}
	var rows []CreditNoteLine
	err := tx.Where("invoice_line_id IN ?", ids).Order("seq").Find(&rows).Error
	for _, row := range rows {
		if !b.Notes[row.CreditNoteID] {
			continue
		}
		b.Credits[row.InvoiceLineID] = append(b.Credits[row.InvoiceLineID], Reversal{
			Line: byID[row.InvoiceLineID], Amount: row.Amount, Period: period.Period{Start: row.StartAt, End: row.EndAt},
			Automatic: b.Automatic[row.CreditNoteID], Undone: row.Undone,
		})
		b.Reversed[row.InvoiceLineID] = b.Reversed[row.InvoiceLineID] || row.Undone
	}
	return err
}

// Has reports whether a service is charged already, or was on an invoice that
// a request made void.
func (b History) Has(s subscription.ServicePeriod) bool { return b.Charges(s.Interval.ID, s.From) }

// Charges is Has for the service of a price interval that is billed from an instant on.
func (b History) Charges(intervalID string, from time.Time) bool {
	for _, invoices := range [][]Invoice{b.Issued, b.Void} {
		for _, inv := range invoices {
			for _, l := range b.Lines[inv.ID] {
				if l.IntervalID != nil && *l.IntervalID == intervalID && l.BilledFrom.Equal(from) && !b.Reversed[l.ID] {
					return true
				}
			}
		}
	}
	return false
}

// Left is how much of a line was not taken back.
func (b History) Left(l Line) money.Decimal {
	left := l.Amount
	for _, taken := range b.Credits[l.ID] {
		left = left.Sub(taken.Amount)
	}
	return left
}

// Reversal is what is taken back of a line.
type Reversal struct {
	Line   Line
	Amount money.Decimal // in the currency of the invoice, above 0 once it is settled
	Period period.Period // whole local days that are not served

	Automatic bool // a change of the subscription took it
	Undone    bool // the line charges nothing any more
	Ended     bool // it is for the days after an end
}

// InAdvance reports whether a line was charged at the beginning of its time.
func InAdvance(inv Invoice, l Line) bool { return l.EndAt.After(inv.InvoiceDate) }

// UndoneLine marks a line of an issued invoice that charges nothing any more, like one that
// a credit note undoes, where nothing was left to credit: what it was for is charged again.
type UndoneLine struct {
	store.Record
	InvoiceLineID string
}
