package invoice

import (
	"fmt"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreditedLine is what of an invoice's line is to be taken back.
type CreditedLine struct {
	LineID string
	Amount money.Decimal  // above 0, in the minor unit of the invoice's currency
	Period *period.Period // of the service that is credited; nil: the line's
	Undone bool           // see CreditNoteLine
}

// NewCreditNote is what a client asks for. Periods are local days, both inclusive,
// for all lines or for each (semantics 9.1).
type NewCreditNote struct {
	Lines  []NewCreditedLine // at least one
	Days   Days              // of all lines
	Reason *CreditReason
	Memo   *string
}

// NewCreditedLine is one line of it.
type NewCreditedLine struct {
	LineID string
	Amount money.Decimal
	Days   Days
}

// Days are local days from the first to the last, inclusive; nil where none are given.
type Days struct{ First, Last *period.Date }

func (d Days) given() bool { return d.First != nil || d.Last != nil }

// period is the time of the days, nil when none are given.
func (d Days) period(buyer customer.Customer) *period.Period {
	if !d.given() {
		return nil
	}
	loc := buyer.Location()
	return &period.Period{Start: d.First.In(loc), End: d.Last.AddDays(1).In(loc)}
}

// CreateCreditNote takes money of an issued or paid invoice back, on request.
func CreateCreditNote(tx *store.Tx, in NewCreditNote) (_ CreditNote, err error) {
	defer fault.Doing(&err, "create a credit note")
	if err := in.check(); err != nil {
		return CreditNote{}, err
	}
	first := in.Lines[0].LineID
	invoiceID, err := invoiceOfLine(tx, first)
	if err != nil {
		return CreditNote{}, err
	}
	inv, err := Lock(tx, invoiceID)
	if err != nil {
		return CreditNote{}, err
	}
	if err := inv.refuseCredit(); err != nil {
		return CreditNote{}, err
	}
	buyers, err := customer.FindAll(tx, []string{inv.CustomerID})
	if err != nil {
		return CreditNote{}, err
	}
	lines := make([]CreditedLine, len(in.Lines))
	for k, l := range in.Lines {
		days := l.Days
		if in.Days.given() {
			days = in.Days
		}
		lines[k] = CreditedLine{LineID: l.LineID, Amount: l.Amount, Period: days.period(buyers[inv.CustomerID])}
	}
	return takeBack(tx, inv, lines, CreditNote{Reason: in.Reason, Memo: in.Memo})
}

// check refuses what is wrong whatever the invoice.
func (in NewCreditNote) check() error {
	dated := 0
	faults := []error{in.Days.check("")}
	for k, l := range in.Lines {
		faults = append(faults, l.Days.check(LinePath(k)))
		if l.Days.given() {
			dated++
		}
	}
	switch {
	case dated > 0 && in.Days.given():
		faults = append(faults, fault.Bad("start_date, end_date", "must be given for the credit note or for each line, not for both"))
	case dated > 0 && dated < len(in.Lines):
		faults = append(faults, fault.Bad("line_items", "must all have a start_date and an end_date, or none of them"))
	}
	return fault.Join(faults...)
}

func (d Days) check(place string) error {
	switch {
	case d.given() && (d.First == nil || d.Last == nil):
		return fault.In(place, fault.Bad("start_date, end_date", "must be given together"))
	case d.given() && d.Last.Before(*d.First):
		return fault.In(place, fault.Bad("end_date", "must not be before start_date"))
	}
	return nil
}

// invoiceOfLine names the invoice that has a line, also if that is a draft of a
// subscription, whose lines are only worked out.
func invoiceOfLine(tx *store.Tx, lineID string) (string, error) {
	var ids []string
	err := tx.Model(&Line{}).Where("id = ?", lineID).Pluck("invoice_id", &ids).Error
	if err != nil || len(ids) > 0 {
		return append(ids, "")[0], err
	}
	if mark, ok := markOf(lineID); ok {
		err = tx.Model(&Invoice{}).Where("id LIKE ? AND status = ?", "inv\\_"+mark+"%", StatusDraft).Pluck("id", &ids).Error
		if err != nil || len(ids) > 0 {
			return append(ids, "")[0], err
		}
	}
	return "", fault.Missing("InvoiceLineItem", lineID)
}

// Credit takes back what an invoice charged for a service that is not rendered,
// because a subscription changes. It is a refund also for an invoice that another
// system collects (semantics 9.2.1). Drafts and void invoices have nothing to give.
func Credit(tx *store.Tx, invoiceID string, lines []CreditedLine) (_ CreditNote, err error) {
	defer fault.Doing(&err, "credit invoice %s", invoiceID)
	inv, err := Lock(tx, invoiceID)
	switch {
	case err != nil:
		return CreditNote{}, err
	case inv.Status == StatusDraft || inv.Status == StatusVoid:
		return CreditNote{}, fault.Refused("an invoice that is %s cannot be credited", inv.Status)
	}
	reason := ReasonOrderChange
	return takeBack(tx, inv, lines, CreditNote{Reason: &reason, Automatic: true})
}

// takeBack makes a note of the lines, which are of one invoice. The invoice is locked.
func takeBack(tx *store.Tx, inv Invoice, lines []CreditedLine, note CreditNote) (CreditNote, error) {
	note.Record = tx.Record("cn")
	note.CustomerID, note.InvoiceID, note.Currency = inv.CustomerID, inv.ID, inv.Currency
	var err error
	if note.Number, err = nextCreditNote(tx, inv); err != nil {
		return CreditNote{}, err
	}
	if note.Lines, err = creditLines(tx, inv, note, lines); err != nil {
		return CreditNote{}, err
	}
	for _, l := range note.Lines {
		note.Total = note.Total.Add(l.Amount)
	}
	note.Type = CreditNoteRefund
	if inv.Status == StatusIssued {
		note.Type, note.Adjusted = CreditNoteAdjustment, money.Min(note.Total, inv.Due())
	}
	particulars, err := inv.particularsOfNote(tx)
	if err != nil {
		return CreditNote{}, err
	}
	note.Particulars = &particulars
	if err := tx.Create(&note).Error; err != nil {
		return CreditNote{}, err
	}
	if err := tx.Create(&note.Lines).Error; err != nil {
		return CreditNote{}, err
	}
	if note.Type == CreditNoteAdjustment {
		if err := inv.lower(tx, note.Adjusted); err != nil {
			return CreditNote{}, err
		}
	}
	why := customer.Cause{Action: customer.ActionCreditNote, InvoiceID: &inv.ID, CreditNoteID: &note.ID}
	if note.Automatic {
		why.Action = customer.ActionProratedRefund
	}
	if err := customer.Move(tx, inv.CustomerID, note.ToBalance(), why); err != nil {
		return CreditNote{}, err
	}
	webhook.Announce(tx, webhook.CreditNoteIssued, note.ID, nil)
	return FindCreditNote(tx, note.ID)
}

// nextCreditNote is the number of the invoice's next credit note (semantics 9.2.6).
func nextCreditNote(tx *store.Tx, inv Invoice) (string, error) {
	var made int64
	err := tx.Model(&CreditNote{}).Where("invoice_id = ?", inv.ID).Count(&made).Error
	return fmt.Sprintf("%s-CN-%d", *inv.Number, made+1), err
}

// creditLines checks that the invoice's lines have so much left to give, and describes
// what they give.
func creditLines(tx *store.Tx, inv Invoice, note CreditNote, wanted []CreditedLine) ([]CreditNoteLine, error) {
	var ids []string
	for _, w := range wanted {
		ids = append(ids, w.LineID)
	}
	charged, left, err := creditable(tx, ids)
	if err != nil {
		return nil, err
	}
	prices, err := catalog.FindPrices(tx, PriceIDs(charged))
	if err != nil {
		return nil, err
	}
	sold, err := inv.soldBlock(tx)
	if err != nil {
		return nil, err
	}
	lines := make([]CreditNoteLine, len(wanted))
	for k, w := range wanted {
		at := slices.IndexFunc(charged, func(l Line) bool { return l.ID == w.LineID })
		if at < 0 {
			return nil, fault.Missing("InvoiceLineItem", w.LineID)
		}
		of := charged[at]
		switch {
		case of.InvoiceID != inv.ID:
			return nil, fault.Bad(LinePath(k)+".invoice_line_item_id", "must be a line of the same invoice as the first")
		case !note.Automatic && sold != "" && of.Position == 0: // lines by hand are behind the one that was sold
			return nil, fault.Refused("this line bought the credit block %s, which would stay; delete the block instead, which credits the line", sold)
		case !note.Automatic && prices[of.PriceID].Allocation != nil:
			return nil, fault.Refused("the fee of an allocation is credited as its price ends or is replaced, with the credits that are left")
		case w.Amount.Sign() <= 0:
			return nil, fault.Bad(LinePath(k)+".amount", "must be above 0")
		case !inv.Currency.Fits(w.Amount):
			return nil, fault.Bad(LinePath(k)+".amount", "must have at most the %d decimals of %s", inv.Currency.MinorUnits(), inv.Currency)
		case w.Amount.Cmp(left[of.ID]) > 0:
			return nil, fault.Refused("a line cannot be credited more than its amount; %s is left", inv.Currency.Format(money.Max(left[of.ID], money.Decimal{})))
		}
		left[of.ID] = left[of.ID].Sub(w.Amount)
		service := period.Period{Start: of.StartAt, End: of.EndAt}
		if w.Period != nil {
			service = *w.Period
		}
		lines[k] = CreditNoteLine{
			Record: tx.Record("cnl"), CreditNoteID: note.ID, Position: k, InvoiceLineID: of.ID,
			ItemID: prices[of.PriceID].ItemID, Name: of.Name, Quantity: of.Quantity,
			StartAt: service.Start, EndAt: service.End, Amount: w.Amount, Undone: w.Undone,
		}
	}
	return lines, nil
}

// Creditable tells how much of each of those lines of issued invoices no credit note
// has taken back yet. Their invoices are locked by the caller, if it is to stay so.
func Creditable(tx *store.Tx, lineIDs []string) (map[string]money.Decimal, error) {
	_, left, err := creditable(tx, lineIDs)
	return left, err
}

func creditable(tx *store.Tx, lineIDs []string) (charged []Line, left map[string]money.Decimal, err error) {
	if len(lineIDs) == 0 {
		return nil, nil, nil
	}
	if err := tx.Where("id IN ?", lineIDs).Find(&charged).Error; err != nil {
		return nil, nil, err
	}
	var taken []struct {
		InvoiceLineID string
		Amount        money.Decimal
	}
	err = tx.Model(&CreditNoteLine{}).
		Joins("JOIN credit_notes n ON n.account_id = credit_note_lines.account_id AND n.id = credit_note_lines.credit_note_id AND n.voided_at IS NULL").
		Where("invoice_line_id IN ?", lineIDs).Group("invoice_line_id").
		Select("invoice_line_id, sum(amount) AS amount").Scan(&taken).Error
	left = map[string]money.Decimal{}
	for _, l := range charged {
		left[l.ID] = l.Amount
	}
	for _, t := range taken {
		left[t.InvoiceLineID] = left[t.InvoiceLineID].Sub(t.Amount)
	}
	return charged, left, err
}

// lower makes an issued invoice ask for less. One that asks for nothing any more is
// paid (semantics 9.2.2).
func (i *Invoice) lower(tx *store.Tx, by money.Decimal) error {
	i.Credited = i.Credited.Add(by)
	if err := i.Save(tx, "credited"); err != nil || !i.Due().IsZero() {
		return err
	}
	return i.pay(tx, tx.Now)
}
