package document

import (
	"slices"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Loader reads documents for a medium.
type Loader struct {
	// Shows reports whether the medium can show the words of a language; nil: of any. English words
	// stand for those that it cannot.
	Shows func(Words) bool
}

// OfInvoice returns the document of an invoice for a medium that shows all languages; that of a
// draft as it would be issued now (semantics 19.1.5).
func OfInvoice(tx *store.Tx, id string) (Document, error) { return Loader{}.Invoice(tx, id) }

// OfView is OfInvoice for an invoice that was read.
func OfView(tx *store.Tx, v invoice.View) (Document, error) { return Loader{}.View(tx, v) }

// OfCreditNote returns the document of a credit note (semantics 19.1.6).
func OfCreditNote(tx *store.Tx, id string) (Document, error) { return Loader{}.CreditNote(tx, id) }

// Invoice is OfInvoice for the medium.
func (in Loader) Invoice(tx *store.Tx, id string) (_ Document, err error) {
	defer fault.Doing(&err, "show the document of invoice %s", id)
	v, err := invoice.Find(tx, id)
	if err != nil {
		return Document{}, err
	}
	return in.View(tx, v)
}

// View is OfView for the medium.
func (in Loader) View(tx *store.Tx, v invoice.View) (Document, error) {
	d, err := in.begin(tx, KindInvoice, v, v.Particulars)
	if err != nil {
		return Document{}, err
	}
	d.Draft, d.Void = v.Status == invoice.StatusDraft, v.Status == invoice.StatusVoid
	d.Billing, d.Shipping, d.TaxID = v.Billing, v.Shipping, v.Tax
	if v.IssuedAt != nil {
		d.Issued = period.DateOf(*v.IssuedAt, d.Zone)
	}
	if v.DueAt != nil {
		d.Due = period.DateOf(*v.DueAt, d.Zone)
	}
	if v.Memo != nil {
		d.Memo = *v.Memo
	}
	d.Subtotal, d.Total, d.Payable = v.Subtotal, v.Total, v.AmountDue
	if v.Invoice.AmountDue != nil { // without later credit notes
		d.Payable = *v.Invoice.AmountDue
	}
	if err := d.addLines(tx, v); err != nil {
		return Document{}, err
	}
	d.addTotals(v)
	return d, nil
}

// begin fills in what all documents of an invoice have.
func (in Loader) begin(tx *store.Tx, kind Kind, v invoice.View, fixed *invoice.Particulars) (d Document, err error) {
	p, head, err := particulars(tx, v, fixed)
	if err != nil {
		return d, err
	}
	words := In(p.Language)
	if in.Shows != nil && !in.Shows(words) {
		words = In(letterhead.English)
	}
	d = Document{
		Kind: kind, ID: v.ID, Number: v.Number, Words: words, Zone: v.Customer.Location(),
		Seller: p.Seller, Letterhead: head, Buyer: onOneLine(p.Buyer),
		Currency: v.Currency, Plan: p.Plan, Fields: p.Fields, Page: v.Page,
	}
	if head.Content.Name != "" {
		d.Seller = head.Content.Name
	}
	d.InvoiceDate = period.DateOf(v.InvoiceDate, d.Zone)
	return d, nil
}

// particulars returns those of a document and their letterhead: the present ones where none were
// fixed.
func particulars(tx *store.Tx, v invoice.View, fixed *invoice.Particulars) (invoice.Particulars, letterhead.Letterhead, error) {
	if fixed != nil {
		heads, err := letterhead.FindAll(tx, []string{fixed.LetterheadID})
		return *fixed, heads[fixed.LetterheadID], err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return invoice.Particulars{}, letterhead.Letterhead{}, err
	}
	head, err := letterhead.CurrentText(tx)
	return invoice.PresentParticulars(settings, head, v), head, err
}

// addLines shows the lines of an invoice (semantics 19.1.2).
func (d *Document) addLines(tx *store.Tx, v invoice.View) error {
	prices, err := catalog.FindPrices(tx, invoice.PriceIDs(v.Lines))
	if err != nil {
		return err
	}
	var items []string
	for _, price := range prices {
		items = append(items, price.ItemID)
	}
	names, err := catalog.Names(tx, items)
	if err != nil {
		return err
	}
	adjustments, err := invoice.AdjustmentsOf(tx, v.Lines...)
	if err != nil {
		return err
	}
	if !d.Draft {
		days, err := invoice.DaysOf(tx, v.ID)
		if err != nil {
			return err
		}
		for k, l := range v.Lines {
			v.Lines[k].Days = days[l.ID]
		}
	}
	listed := slices.ContainsFunc(v.Lines, func(l invoice.Line) bool { return l.Days != nil })
	for _, l := range v.Lines {
		price := prices[l.PriceID]
		if listed && l.Days == nil && price.Type == catalog.PriceUsage {
			d.DaysLeftOut++
		}
		shown := Line{
			ID: l.ID, Name: l.Name, Item: l.ItemName, Service: period.Period{Start: l.StartAt, End: l.EndAt},
			Quantity: l.Quantity, Currency: price.Currency, Subtotal: l.Subtotal, Shown: l.Subtotal, Amount: l.Amount, Days: l.Days,
		}
		if shown.Item == "" {
			shown.Item = names[price.ItemID]
		}
		if shown.Converted(*d) {
			shown.Shown = l.Amount
		}
		for _, part := range l.SubLines(price.Currency) {
			shown.Parts = append(shown.Parts, Part{Name: partName(part), Quantity: part.Quantity, Rate: part.Rate, Amount: part.Amount})
		}
		for _, part := range l.Parts {
			shown.Work = append(shown.Work, Part{Name: partName(part), Quantity: part.Quantity, Rate: part.Rate, Amount: part.Amount})
		}
		shown.Rate = wholeRate(l.Parts)
		if len(charged(l.Parts)) == 1 && len(shown.Parts) == 1 && shown.Parts[0].Name == "" { // it says what the line does
			shown.Parts = nil
		}
		for _, a := range l.Adjustments {
			if !a.Amount.IsZero() {
				shown.Adjusted = append(shown.Adjusted, Adjustment{d.Words.adjustment(a, adjustments[a.AdjustmentID]), a.Amount})
			}
		}
		d.Lines = append(d.Lines, shown)
	}
	return nil
}

// wholeRate is the one rate of a line, "" where it has several: that of its only sub-line, or of a model that
// has one rate for all units and no sub-lines.
func wholeRate(parts []rating.Part) string {
	of := charged(parts)
	if len(of) == 0 {
		for _, p := range parts {
			if p.Rate != "" {
				of = append(of, p)
			}
		}
	}
	if len(of) != 1 {
		return ""
	}
	return of[0].Rate
}

// charged are the parts of a line that are sub-lines.
func charged(parts []rating.Part) (rated []rating.Part) {
	for _, p := range parts {
		if p.Kind != rating.PartWorking {
			rated = append(rated, p)
		}
	}
	return rated
}

// partName is what a sub-line is called; that of a group has the name of the property, too.
func partName(p rating.Part) string {
	if p.Group != nil && p.Group.Key != "" && p.Name == p.Group.Name() {
		return p.Group.Key + ": " + p.Name
	}
	return p.Name
}

// addTotals shows how the total comes from the subtotal, and what is to pay from the total. The
// steps are sums of the columns of lines; both ends are the invoice's own (semantics 19.1.4).
func (d *Document) addTotals(v invoice.View) {
	left := v.Total.Sub(v.Subtotal) // what steps have to explain
	steps := []Total{}
	at := map[string]int{}
	step := func(label string, amount money.Decimal) {
		if amount.IsZero() {
			return
		}
		left = left.Sub(amount)
		if k, known := at[label]; known {
			steps[k].Amount = steps[k].Amount.Add(amount)
			return
		}
		at[label] = len(steps)
		steps = append(steps, Total{Label: label, Amount: amount})
	}
	w := d.Words
	for _, l := range d.Lines {
		for _, a := range l.Adjusted {
			if !l.Converted(*d) {
				step(a.Label, a.Amount)
			}
		}
	}
	for k, l := range v.Lines {
		if !d.Lines[k].Converted(*d) {
			step(w.LicenseCredits, l.LicenseCredits.Neg())
		}
	}
	for k, l := range v.Lines {
		if !d.Lines[k].Converted(*d) {
			step(w.CreditsApplied, l.CreditsApplied.Neg())
		}
	}
	for _, l := range v.Lines {
		step(w.InvoicedBefore, l.PartiallyInvoicedAmount.Neg())
	}
	step(w.OtherAdjustments, left) // of lines in other units, and of lines that are not shown
	balance := d.Payable.Sub(d.Total)
	if len(steps) > 0 {
		d.Totals = append(d.Totals, Total{Label: w.Subtotal, Amount: d.Subtotal})
		d.Totals = append(d.Totals, steps...)
	}
	if !balance.IsZero() || len(steps) > 0 {
		d.Totals = append(d.Totals, Total{Label: w.Total, Amount: d.Total})
	}
	if balance.Sign() < 0 {
		d.Totals = append(d.Totals, Total{Label: w.FromBalance, Amount: balance})
	} else if balance.Sign() > 0 {
		d.Totals = append(d.Totals, Total{Label: w.ToBalance, Amount: balance})
	}
	d.Totals = append(d.Totals, Total{Label: w.ToPay, Amount: d.Payable, Grand: true})
}
