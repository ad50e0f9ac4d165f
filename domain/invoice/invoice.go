package invoice

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Status is where an invoice is in its life (semantics 8.1).
type Status string

// The states of an invoice. Paid and void are final.
const (
	StatusDraft  Status = "draft"
	StatusIssued Status = "issued"
	StatusPaid   Status = "paid"
	StatusSynced Status = "synced"
	StatusVoid   Status = "void"
)

// Source is the reason of an invoice.
type Source string

// The sources of invoices.
const (
	SourceSubscription Source = "subscription" // a billing date
	SourcePartial      Source = "partial"      // a threshold
	SourceOneOff       Source = "one_off"      // a request
)

// Invoice is a row. In a draft, the fields from Number on are nil. In an issued invoice, only the marks
// can change. [View] is an invoice as a reader sees it, draft or issued.
type Invoice struct {
	store.Record
	CustomerID     string
	SubscriptionID *string
	PlanID         *string
	Source         Source
	Status         Status
	Currency       money.Currency
	InvoiceDate    time.Time
	HasUsage       bool            // it is issued only after the grace period
	OfChange       bool            // it charges a change, beside the invoice of the same date
	Replaced       bool            // void: a change replaced it by another invoice
	Seen           *event.Snapshot // the events that a partial invoice counts; nil: all, or not known
	Metadata       store.Metadata

	// Settings of this invoice; nil: those of its subscription, else of the customer.
	Memo           *string
	AutoCollection *bool
	AutoIssues     *bool      // of a one-off invoice, which always has it
	NetTermsDays   *int       // days between issue and due date
	CustomDueAt    *time.Time // instead of net terms

	Number          *string
	IssuedAt        *time.Time
	DueAt           *time.Time        // local midnight, unless CustomDueAt is given
	BillingAddress  *customer.Address `gorm:"serializer:json"`
	ShippingAddress *customer.Address `gorm:"serializer:json"`
	TaxID           *customer.TaxID   `gorm:"serializer:json"`
	AutoIssued      *bool
	Revision        *int           // of the terms by which it was issued; nil: it has no subscription, or not known
	Subtotal        *money.Decimal // sum of the lines' subtotals
	Total           *money.Decimal // sum of the lines' amounts and taxes; may be negative
	AmountDue       *money.Decimal // at its issue, never negative
	Particulars     *Particulars   `gorm:"serializer:json"` // nil too where it was issued before there were any
	AdjustmentRule  int            // by which its lines were worked out when it was issued: see OverPeriods

	// Marks, which may still change.
	Credited         money.Decimal // the part of AmountDue that credit notes removed
	NextAttemptAt    *time.Time    // of an automatic payment; nil: none is planned
	PaidAt           *time.Time
	PaymentReference *string // of a payment that was marked by hand
	PaymentNotes     *string
	VoidedAt         *time.Time
	DateTold         bool // endpoints were told that its date has come
	LinksWithdrawn   int  // how often its links were withdrawn: part of the code of the next one

	ListsDays bool `gorm:"-"` // its lines are worked out with the usage of each day

	ListedAt time.Time `gorm:"->"` // issue instant, else invoice date: the order of lists
}

// The rules by which adjustments and composite prices are worked out.
const (
	ByDocument  = 0 // for each document by itself, as invoices had it before there were periods
	OverPeriods = 1 // price models 6.7
)

// View is an invoice as it is read: a draft with its lines as of now, an issued
// one as it was frozen.
type View struct {
	Invoice
	Customer customer.Customer
	Terms    subscription.Terms // of the subscription, if it has one
	Lines    []Line

	BalanceTransactions []customer.BalanceTransaction // what it and its credit notes moved; none while draft
	CreditNotes         []CreditNote                  // without their lines, oldest first; none while draft
	PaymentAttempts     []PaymentAttempt              // oldest first; none while draft

	Number         string // <PREFIX>-DRAFT while draft
	Memo           *string
	AutoCollection bool
	WillAutoIssue  bool
	EligibleAt     *time.Time // nil once issued
	Billing        *customer.Address
	Shipping       *customer.Address
	Tax            *customer.TaxID
	Subtotal       money.Decimal
	Total          money.Decimal
	AmountDue      money.Decimal // what is asked for now
	Overdue        bool          // at the time of the view

	Page string // address of the page that shows it to the customer; "" while draft

	letterhead *letterhead.Letterhead // for its issue, if it was read already
}

// ScheduledAt is when it will issue itself, nil if it will not or has.
func (v View) ScheduledAt() *time.Time {
	if !v.WillAutoIssue {
		return nil
	}
	return v.EligibleAt
}

// Due is what an issued invoice asks for now: what it asked for when it was issued,
// less what its credit notes took off that. Paying does not lower it.
func (i Invoice) Due() money.Decimal { return i.AmountDue.Sub(i.Credited) }

// AwaitsPayment reports whether an issued invoice has something left to pay.
func (i Invoice) AwaitsPayment() bool {
	return (i.Status == StatusIssued || i.Status == StatusSynced) && !i.Due().IsZero()
}

// FindRow returns the row of an issued invoice, for what needs neither lines nor terms, or fault.Missing.
func FindRow(tx *store.Tx, id string) (i Invoice, err error) {
	err = tx.Where("id = ?", id).Take(&i).Error
	return i, store.Found(err, "Invoice", id)
}

// Save writes those columns of the invoice.
func (i *Invoice) Save(tx *store.Tx, columns ...string) error {
	return tx.Model(i).Select(columns).Updates(i).Error
}

// Lock finds an invoice and keeps it, and what is credited of it, from changing.
func Lock(tx *store.Tx, id string) (inv Invoice, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&inv).Error
	return inv, store.Found(err, "Invoice", id)
}
