package invoice

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreditNoteType says which way the money of a credit note goes (semantics 9.2.1).
type CreditNoteType string

// The types of credit notes.
const (
	CreditNoteAdjustment CreditNoteType = "adjustment" // the invoice asks for less
	CreditNoteRefund     CreditNoteType = "refund"     // to the customer's balance
)

// CreditReason is why money is given back.
type CreditReason string

// The reasons of credit notes.
const (
	ReasonDuplicate             CreditReason = "duplicate"
	ReasonFraudulent            CreditReason = "fraudulent"
	ReasonOrderChange           CreditReason = "order_change"
	ReasonProductUnsatisfactory CreditReason = "product_unsatisfactory"
)

// CreditNote takes money of an issued invoice back. But for the mark that it is void
// it never changes.
type CreditNote struct {
	store.Record
	CustomerID  string
	InvoiceID   string
	Number      string // of the invoice, CN and a count from 1: JYEFHK-00001-CN-1
	Type        CreditNoteType
	Reason      *CreditReason
	Memo        *string
	Currency    money.Currency
	Total       money.Decimal // above 0, the sum of its lines
	Adjusted    money.Decimal // of that, what the invoice asks for less; the rest went to the balance
	Automatic   bool          // a change of the subscription made it
	Particulars *Particulars  `gorm:"serializer:json"` // nil: made before there were any
	VoidedAt    *time.Time

	Customer customer.Customer `gorm:"-"`
	Lines    []CreditNoteLine  `gorm:"-"`
	PDF      string            `gorm:"-"` // its address
}

// ToBalance is what the note gives to the customer's balance: what it credits beyond what the invoice asked for
// (semantics 9.2.1 and 9.2.2). At least 0.
func (n CreditNote) ToBalance() money.Decimal { return n.Total.Sub(n.Adjusted) }

// CreditNoteLine takes some of an invoice's line back.
type CreditNoteLine struct {
	store.Record
	CreditNoteID  string
	Position      int
	InvoiceLineID string
	ItemID        string
	Name          string        // of the invoice's line, like
	Quantity      money.Decimal // this
	StartAt       time.Time     // of the service that is credited, inclusive; a description
	EndAt         time.Time     // exclusive
	Amount        money.Decimal // above 0, in the minor unit of the currency
	Undone        bool          // the line charges nothing any more: what it was for may be charged again
}

// FindCreditNote returns the credit note with that id, or fault.Missing.
func FindCreditNote(tx *store.Tx, id string) (_ CreditNote, err error) {
	defer fault.Doing(&err, "find credit note %s", id)
	var note CreditNote
	if err := tx.Where("id = ?", id).Take(&note).Error; err != nil {
		return CreditNote{}, store.Found(err, "CreditNote", id)
	}
	notes := []CreditNote{note}
	err = Complete(tx, notes)
	return notes[0], err
}

// linesOfNote is how many lines a credit note has.
const linesOfNote = `(SELECT count(*) FROM credit_note_lines l WHERE l.account_id = credit_notes.account_id AND l.credit_note_id = credit_notes.id)`

// ListCreditNotes returns a page of credit notes, newest first.
func ListCreditNotes(tx *store.Tx, created store.Range, page store.Page) (notes []CreditNote, next string, err error) {
	defer fault.Doing(&err, "list credit notes")
	notes, next, err = store.List[CreditNote](store.Long(created.On(tx.DB, "created_at"), linesOfNote), page)
	if err != nil {
		return nil, "", err
	}
	return notes, next, Complete(tx, notes)
}

// Complete loads what belongs to credit notes: two questions whatever their number.
func Complete(tx *store.Tx, notes []CreditNote) error {
	var ids, customerIDs []string
	for _, n := range notes {
		ids, customerIDs = append(ids, n.ID), append(customerIDs, n.CustomerID)
	}
	buyers, err := customer.FindAll(tx, customerIDs)
	if err != nil || len(ids) == 0 {
		return err
	}
	var lines []CreditNoteLine
	if err := tx.Where("credit_note_id IN ?", ids).Order("credit_note_id, position").Find(&lines).Error; err != nil {
		return err
	}
	byNote := map[string][]CreditNoteLine{}
	for _, l := range lines {
		byNote[l.CreditNoteID] = append(byNote[l.CreditNoteID], l)
	}
	credited, err := rowsByID(tx, notes)
	if err != nil {
		return err
	}
	page, err := pages(tx, slices.Collect(maps.Values(credited)))
	if err != nil {
		return err
	}
	for k, n := range notes {
		notes[k].Customer, notes[k].Lines, notes[k].PDF = buyers[n.CustomerID], byNote[n.ID], *NotePDF(page(credited[n.InvoiceID]), n.ID)
	}
	return nil
}

// rowsByID returns the invoices of credit notes by id.
func rowsByID(tx *store.Tx, notes []CreditNote) (map[string]Invoice, error) {
	var ids []string
	for _, n := range notes {
		ids = append(ids, n.InvoiceID)
	}
	var rows []Invoice
	err := tx.Where("id IN ?", ids).Find(&rows).Error
	byID := make(map[string]Invoice, len(rows))
	for _, row := range rows {
		byID[row.ID] = row
	}
	return byID, err
}

// creditNotesOf returns the credit notes of invoices by invoice, the void ones too,
// oldest first, without their lines.
func creditNotesOf(tx *store.Tx, invoiceIDs []string) (map[string][]CreditNote, error) {
	byInvoice := map[string][]CreditNote{}
	if len(invoiceIDs) == 0 {
		return byInvoice, nil
	}
	var notes []CreditNote
	if err := tx.Where("invoice_id IN ?", invoiceIDs).Order("invoice_id, seq").Find(&notes).Error; err != nil {
		return nil, err
	}
	for _, n := range notes {
		byInvoice[n.InvoiceID] = append(byInvoice[n.InvoiceID], n)
	}
	return byInvoice, nil
}
