package invoice

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Line is a line item: one service of one price. Amounts are in the price's
// currency and rounded to its minor unit, if it is money.
type Line struct {
	store.Record
	InvoiceID  string
	Position   int
	PriceID    string
	IntervalID *string // the price interval that it charges; nil: none
	Name       string
	ItemName   string    // of the price's item, when the line was issued; "" of drafts
	StartAt    time.Time // of the service, inclusive
	EndAt      time.Time // exclusive
	BilledFrom time.Time // start of the time for which no earlier invoice charged; StartAt but where several charge to date
	Quantity   money.Decimal

	Subtotal                money.Decimal // before adjustments
	AdjustedSubtotal        money.Decimal // after them
	LicenseCredits          money.Decimal // of that, what licenses covered: see amounts
	CreditsApplied          money.Decimal // of the rest, what prepaid credits paid
	PartiallyInvoicedAmount money.Decimal
	Amount                  money.Decimal // what is left to pay, in the currency of the invoice

	Exact       money.Decimal    // the subtotal before it was rounded
	Parts       []rating.Part    `gorm:"serializer:json"` // how it was rated: they sum to Exact
	Fraction    period.Fraction  `gorm:"serializer:json"` // that the service is of its billing cycle, in days
	Prorated    bool             // Exact is that fraction of the rated amount
	Groups      []rating.Part    `gorm:"serializer:json"` // Subtotal by the property the invoice shows the price by
	Adjustments []rating.Applied `gorm:"serializer:json"` // in the order in which they worked
	Conversion  []rating.Part    `gorm:"serializer:json"` // of a price in a custom unit

	Days []UsageDay `gorm:"serializer:json"` // of usage, where the invoice lists it: they sum to Quantity; read by [DaysOf]

	subscription.Scope // of the price interval when it was issued

	invoiced money.Decimal // Subtotal in the currency of the invoice; of drafts only, like
	itemID   string        // this
}

// keepItems writes down what the items of lines are called, which are to be issued, where that is not known yet.
func keepItems(tx *store.Tx, lines []Line) error {
	var ids []string
	for _, l := range lines {
		if l.ItemName == "" {
			ids = append(ids, l.itemID)
		}
	}
	names, err := catalog.Names(tx, ids)
	for k := range lines {
		if lines[k].ItemName == "" {
			lines[k].ItemName = names[lines[k].itemID]
		}
	}
	return err
}

// TableName is the table of lines.
func (Line) TableName() string { return "invoice_lines" }

// SubLines are the parts that are shown under the line, which is in that currency:
// the groups that its price asks for, else those of its model that stand for
// themselves, rounded. They sum to Subtotal (price models 1.6).
func (l Line) SubLines(currency money.Currency) []rating.Part {
	if len(l.Groups) > 0 {
		return l.Groups
	}
	shown := []rating.Part{}
	for _, part := range charge.RoundParts(l.Parts, l.Subtotal, currency) {
		if part.Kind != rating.PartWorking {
			shown = append(shown, part)
		}
	}
	return shown
}

// left is what credits were asked to pay.
func (l Line) left() money.Decimal { return l.AdjustedSubtotal.Sub(l.LicenseCredits) }

// draftAdditions is what a draft has beside the services of its subscription.
type draftAdditions struct {
	Lines     []AddedLine
	Discounts []catalog.Adjustment // of those lines
}

// lines works out what an invoice charges, as of now. What credits pay of it is read by credits.
func lines(tx *store.Tx, t subscription.Terms, inv Invoice, more draftAdditions, credits creditReader) ([]Line, error) {
	billed, err := Charged(tx, t, inv)
	if err != nil {
		return nil, err
	}
	return linesOfServices(tx, t, inv, billed, more, credits)
}

// linesOfServices is lines for services that are known: see [Charged].
func linesOfServices(tx *store.Tx, t subscription.Terms, inv Invoice, billed []subscription.ServicePeriod, more draftAdditions, credits creditReader) ([]Line, error) {
	was, err := PriorCharges(tx, t, inv, billed)
	if err != nil {
		return nil, err
	}
	paid, err := credits(tx, t, inv, billed)
	if err != nil {
		return nil, err
	}
	return LinesOn(tx, t, inv, billed, was, paid, more)
}

// LinesOn is lines for services that are known, and what earlier invoices charged and
// credits pay of them.
func LinesOn(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod, was Prior,
	paid map[string]money.Decimal, more draftAdditions) ([]Line, error) {
	out, err := LinesPaid(tx, t, inv, services, was, paid)
	if err != nil {
		return nil, err
	}
	added := make([]charge.Item, len(more.Lines))
	for k, l := range more.Lines {
		added[k] = l.item(t.Customer.Location())
	}
	for k, a := range charge.Calculate(inv.ownTerms(t, more.Discounts), charge.Document{ByHand: true}, added) {
		out = append(out, newLine(tx, inv, len(out), more.Lines[k].ID, added[k], a))
	}
	return out, nil
}

// LinesPaid are the lines of services, of which credits pay what is known, by line.
func LinesPaid(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod, was Prior,
	paid map[string]money.Decimal) (out []Line, err error) {
	asked, days := inv.measurements(t, services)
	items, err := charge.Measure(tx, t, asked)
	if err != nil {
		return nil, err
	}
	together := make([]charge.Item, len(services))
	for k, upTo := range items {
		together[k] = upTo[len(upTo)-1]
	}
	for k, y := range together {
		together[k].Earlier, together[k].Paid = was.Of[k].Amount, was.Of[k].Credits.Add(paid[LineID(inv.ID, y.ServicePeriod)])
	}
	document := charge.Document{Date: inv.InvoiceDate, Earlier: was.Earlier}
	if inv.Source == SourcePartial {
		document.Settles = charge.SettledAtOpening
	}
	for k, a := range charge.Calculate(t, document, together) {
		line := newLine(tx, inv, k, LineID(inv.ID, together[k].ServicePeriod), together[k], a)
		line.IntervalID = &together[k].Interval.ID
		line.Days = usageDays(days[k], items[k])
		out = append(out, line)
	}
	return out, nil
}

// BilledBy are the services of the invoice's plan that are billed on its date.
func BilledBy(t subscription.Terms, inv Invoice) []subscription.ServicePeriod {
	return slices.DeleteFunc(t.BilledOn(inv.InvoiceDate), func(s subscription.ServicePeriod) bool { return s.Interval.PlanID != *inv.PlanID })
}

// Charged are the services that an invoice is for: those billed on its date that no other
// invoice of the date has. Usually it comes first and has them all; an invoice of a change
// has the rest, and so has one that is made again after such a change was invoiced.
func Charged(tx *store.Tx, t subscription.Terms, inv Invoice) ([]subscription.ServicePeriod, error) {
	services := BilledBy(t, inv)
	var others []Invoice
	err := tx.Where("subscription_id = ? AND source = ? AND invoice_date = ?", t.ID, SourceSubscription, inv.InvoiceDate).
		Where("status <> ? AND NOT replaced", StatusDraft).Find(&others).Error
	if err != nil || len(others) == 0 {
		return services, err
	}
	b := NewHistory()
	b.Issued = others
	err = b.Read(tx, others)
	return slices.DeleteFunc(services, b.Has), err
}

func newLine(tx *store.Tx, inv Invoice, position int, id string, y charge.Item, a charge.Amounts) Line {
	s := y.ServicePeriod
	return Line{
		Record:    store.Record{AccountID: tx.AccountID, ID: id, CreatedAt: tx.Now},
		InvoiceID: inv.ID, Position: position, PriceID: s.Interval.PriceID, Name: s.Interval.Price.Name,
		StartAt: s.Period.Start, EndAt: s.Period.End, BilledFrom: s.From,
		Quantity: a.Quantity, Subtotal: a.Subtotal, AdjustedSubtotal: a.Adjusted,
		LicenseCredits: a.Covered, CreditsApplied: a.Credits, PartiallyInvoicedAmount: y.Earlier, Amount: a.Amount,
		Exact: a.Exact, Parts: a.Parts, Fraction: y.Usage.Fraction, Prorated: a.Prorated,
		Groups: a.Groups, Adjustments: a.Adjustments, Conversion: a.Conversion, Days: []UsageDay{}, Scope: s.Interval.ScopeIn(s.Period, inv.CustomerID),
		invoiced: a.Invoiced, itemID: s.Interval.Price.ItemID,
	}
}

// LineID names the line of a service on an invoice, always the same. It bears a mark of
// the invoice, so that one that is only worked out can be found by it.
func LineID(invoiceID string, s subscription.ServicePeriod) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", invoiceID, s.Interval.ID, s.From.UnixMicro()))
	return linePrefix + mark(invoiceID) + base64.RawURLEncoding.EncodeToString(sum[:9])
}

// mark is the part of an invoice's id that the ids of its lines have.
func mark(invoiceID string) string { return strings.TrimPrefix(invoiceID, "inv_")[:markLength] }

const (
	linePrefix = "line_"
	markLength = 8 // of the 20 random characters of the invoice's id
)

// markOf is the mark that the id of a line bears.
func markOf(lineID string) (mark string, ok bool) {
	rest, ok := strings.CutPrefix(lineID, linePrefix)
	if !ok || len(rest) < markLength {
		return "", false
	}
	return rest[:markLength], !strings.ContainsAny(rest[:markLength], `%_\`)
}

// PriceIDs returns the prices of lines, by id.
func PriceIDs(lines []Line) (ids []string) {
	for _, l := range lines {
		ids = append(ids, l.PriceID)
	}
	return ids
}

// LinePath is the path of a line in a request.
func LinePath(k int) string { return fmt.Sprintf("line_items[%d]", k) }
