package invoice

import (
	"encoding/json"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewOneOff is an invoice that a client asks for. Exactly one of the customer's
// identifiers is given.
type NewOneOff struct {
	CustomerID, ExternalCustomerID *string

	Currency       money.Currency // the customer's, or theirs from now on
	Date           string         // date or date-time, in the customer's zone; at most a year ahead
	Lines          []NewOneOffLine
	Discount       *catalog.NewInvoiceDiscount
	AutoCollection *bool   // nil: as the customer
	AutoIssues     bool    // on its date, at once if that has come
	DueDate        *string // as Date; instead of net terms
	NetTermsDays   *int
	Memo           *string
	Metadata       map[string]*string
}

// NewOneOffLine is so many units at one rate.
type NewOneOffLine struct {
	Name       string
	ItemID     string
	Quantity   money.Decimal   // not negative
	Config     json.RawMessage // of the model unit
	Start, End period.Date
}

// mostYearsAhead bounds how far ahead an invoice can be dated (semantics 8.1.12).
const mostYearsAhead = 1

var errTooFarAhead = fault.Bad("invoice_date", "must be at most a year ahead")

// CreateOneOff makes an invoice of those lines, which is of no subscription. With
// AutoIssues it is issued at once if its date has come.
func CreateOneOff(tx *store.Tx, in NewOneOff) (_ View, err error) {
	defer fault.Doing(&err, "create a one-off invoice")
	inv, err := DraftOneOff(tx, in)
	if err != nil {
		return View{}, err
	}
	if err := inv.IssueIfDue(tx); err != nil {
		return View{}, err
	}
	return Find(tx, inv.ID)
}

// DraftOneOff is CreateOneOff without the issue.
func DraftOneOff(tx *store.Tx, in NewOneOff) (Invoice, error) {
	if err := in.check(); err != nil {
		return Invoice{}, err
	}
	buyer, err := in.customer(tx)
	if err != nil {
		return Invoice{}, err
	}
	date, due, err := in.dates(tx, buyer)
	if err != nil {
		return Invoice{}, err
	}
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err != nil {
		return Invoice{}, err
	}
	if err := customer.TakeCurrency(tx, &buyer, in.Currency); err != nil {
		return Invoice{}, err
	}
	inv := Invoice{
		Record: tx.Record("inv"), CustomerID: buyer.ID, Source: SourceOneOff, Status: StatusDraft, Currency: in.Currency,
		InvoiceDate: date, Metadata: metadata, Memo: in.Memo, AutoCollection: in.AutoCollection, AutoIssues: &in.AutoIssues,
		NetTermsDays: in.NetTermsDays, CustomDueAt: due,
	}
	if err := tx.Create(&inv).Error; err != nil {
		return Invoice{}, err
	}
	return inv, in.fill(tx, inv, buyer)
}

// IssueIfDue issues a draft that issues itself, of no subscription, if its date has come.
func (i Invoice) IssueIfDue(tx *store.Tx) error {
	if !*i.AutoIssues || i.InvoiceDate.After(tx.Now) {
		return nil
	}
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	v, err := ViewToIssue(tx, settings, i)
	if err != nil {
		return err
	}
	return Finalize(tx, settings, v)
}

func (in NewOneOff) check() error {
	var faults []error
	if (in.CustomerID == nil) == (in.ExternalCustomerID == nil) {
		faults = append(faults, fault.Bad("customer_id, external_customer_id", "exactly one must be specified"))
	}
	if !in.Currency.Valid() {
		faults = append(faults, fault.Bad("currency", "must be an ISO 4217 code"))
	}
	if in.DueDate != nil && in.NetTermsDays != nil {
		faults = append(faults, fault.Bad("due_date, net_terms", "at most one must be specified"))
	}
	for k, l := range in.Lines {
		if l.Quantity.Sign() < 0 {
			faults = append(faults, fault.Bad(LinePath(k)+".quantity", "must not be negative"))
		}
		faults = append(faults, fault.In(LinePath(k), checkOrder(l.Start, l.End)))
	}
	return fault.Join(faults...)
}

// customer locks the customer, who may take the invoice's currency.
func (in NewOneOff) customer(tx *store.Tx) (customer.Customer, error) {
	if in.CustomerID != nil {
		return customer.Lock(tx, *in.CustomerID)
	}
	found, err := customer.FindByExternalID(tx, *in.ExternalCustomerID)
	if err != nil {
		return found, err
	}
	return customer.Lock(tx, found.ID)
}

func (in NewOneOff) dates(tx *store.Tx, buyer customer.Customer) (date time.Time, due *time.Time, err error) {
	date, dateErr := DateIn(buyer, "invoice_date", in.Date)
	if dateErr == nil && date.After(tx.Now.AddDate(mostYearsAhead, 0, 0)) {
		dateErr = errTooFarAhead
	}
	var dueErr error
	if in.DueDate != nil {
		at, err := DateIn(buyer, "due_date", *in.DueDate)
		due, dueErr = &at, err
	}
	return date, due, fault.Join(dateErr, dueErr)
}

// DateIn reads a date or date-time of a request in a customer's time zone.
func DateIn(buyer customer.Customer, field, text string) (time.Time, error) {
	at, err := period.ParseInstant(text, buyer.Location())
	if err != nil {
		return at, fault.Bad(field, "%s", err)
	}
	return at, nil
}

// fill puts the lines and the discount on the draft.
func (in NewOneOff) fill(tx *store.Tx, inv Invoice, buyer customer.Customer) error {
	var ids []string
	for _, l := range in.Lines {
		ids = append(ids, l.ItemID)
	}
	items, err := catalog.FindItems(tx, ids)
	if err != nil {
		return err
	}
	for k, l := range in.Lines {
		item, found := items[l.ItemID]
		if !found {
			return fault.Missing("Item", l.ItemID)
		}
		if err := item.Sellable(); err != nil {
			return err
		}
		err := inv.add(tx, buyer, l.Start, l.End, catalog.NewLinePrice{
			Name: l.Name, ItemID: l.ItemID, Currency: inv.Currency, Quantity: l.Quantity, Config: l.Config,
		})
		if err != nil {
			return fault.In(LinePath(k), err)
		}
	}
	if in.Discount == nil {
		return nil
	}
	_, err = catalog.CreateInvoiceDiscount(tx, inv.ID, *in.Discount)
	return fault.In("discount", err)
}
