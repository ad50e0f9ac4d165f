package account

import (
	"context"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Mode says whether an account is for real.
type Mode string

// A live account's clock is real. A test account's can be set.
const (
	ModeLive Mode = "live"
	ModeTest Mode = "test"
)

// Bases of due dates.
const (
	DueFromIssue   = "issue_date"
	DueFromInvoice = "invoice_date"
)

// Gateways that charge customers.
const (
	GatewayManual = "manual" // none: payments are marked by hand
	GatewayTest   = "test"   // pretends to
)

// Account is a tenant with its settings (semantics 0.1).
type Account struct {
	ID        string `gorm:"primaryKey"`
	Seq       int64  `gorm:"->"`
	CreatedAt time.Time
	Name      string
	Mode      Mode
	Timezone  string     // IANA name; that of customers who name none
	ClockNow  *time.Time // nil: the clock is real; otherwise it is set to this

	GracePeriodSeconds       int    // how old an event may be, and how long its invoice waits
	FutureBoundSeconds       int    // how far ahead an event may be
	AutoIssuance             bool   // unless subscription or customer say otherwise
	IssueBufferSeconds       int    // a further wait before issuing
	DueDateBasis             string // issue_date or invoice_date
	NumberPrefixScope        string // customer or account
	NumberPrefix             string // six letters A to Z
	LastNumber               int64  // of the invoices numbered under that prefix
	HideZeroLines            bool   // leave line items of quantity zero out of what is shown
	UsageByDay               bool   // list the usage of each day on documents
	SubscriptionsPerCustomer int
	ChildrenPerCustomer      int
	CorrectionsPerCustomer   int    // of events, amended and deprecated ones each, in 100 days
	LargestIngestBytes       *int64 // after decompression; nil: no bound
	RequestsPerSecond        *int   // of each key, but for ingestion; nil: any number
	IngestRequestsPerSecond  *int   // of each key, of ingestion
	BackfillLengthSeconds    int    // how long the timeframe of a backfill may be

	PortalLinks bool // customers have a permanent address of their portal, beside sessions

	PaymentGateway   string        // manual or test
	PaymentRetryDays string        // days after the first failure at which a charge is tried again: 1,4,9
	SmallestCharge   money.Decimal // what is due of less is not charged for but carried to the next invoice

	WebhookRetries string // how long after an attempt the next one is made: 1m,5m,30m
	WebhookLogDays int    // how long messages can be looked up and sent again

	MailFrom     *string // whose mails they are, such as Acme <billing@acme.example>; nil: none is sent
	MailInTest   bool    // a test account sends mail, too
	MailLogDays  int     // how long mails can be looked up and sent again
	ReminderDays string  // after the due date, before it if negative: -3,1,7
	AlertEmails  string  // addresses that alerts are mailed to, separated by commas
}

// Test reports whether it is a test account.
func (a Account) Test() bool { return a.Mode == ModeTest }

// GracePeriod is how old an event may be, inclusive.
func (a Account) GracePeriod() time.Duration {
	return time.Duration(a.GracePeriodSeconds) * time.Second
}

// FutureBound is how far ahead of the clock an event may be, inclusive.
func (a Account) FutureBound() time.Duration {
	return time.Duration(a.FutureBoundSeconds) * time.Second
}

// BackfillLength is how long the timeframe of a backfill may be, inclusive.
func (a Account) BackfillLength() time.Duration {
	return time.Duration(a.BackfillLengthSeconds) * time.Second
}

// IssueDelay is how long after its date an invoice with usage can be issued.
func (a Account) IssueDelay() time.Duration {
	return a.GracePeriod() + time.Duration(a.IssueBufferSeconds)*time.Second
}

// DueFromInvoiceDate reports whether net terms count from the invoice date
// instead of the issue date.
func (a Account) DueFromInvoiceDate() bool { return a.DueDateBasis == DueFromInvoice }

// Retries are the days after the first failure at which a charge is tried again.
func (a Account) Retries() (days []int) {
	for _, text := range strings.FieldsFunc(a.PaymentRetryDays, func(r rune) bool { return r == ',' }) {
		n, _ := strconv.Atoi(text) // the table has nothing else
		days = append(days, n)
	}
	return days
}

// Reminders are the days after the due date on which unpaid invoices are reminded of; negative before it.
func (a Account) Reminders() (days []int) {
	for _, text := range strings.FieldsFunc(a.ReminderDays, func(r rune) bool { return r == ',' }) {
		n, _ := strconv.Atoi(text) // the table has nothing else
		days = append(days, n)
	}
	return days
}

// AlertRecipients are the addresses that alerts are mailed to.
func (a Account) AlertRecipients() []string {
	return strings.FieldsFunc(a.AlertEmails, func(r rune) bool { return r == ',' })
}

// WebhookWaits are how long the next attempt waits after each that failed.
func (a Account) WebhookWaits() (waits []time.Duration) {
	for _, text := range strings.FieldsFunc(a.WebhookRetries, func(r rune) bool { return r == ',' }) {
		wait, _ := time.ParseDuration(text) // the setting takes nothing else
		waits = append(waits, wait)
	}
	return waits
}

// Of returns the account of a transaction.
func Of(tx *store.Tx) (a Account, err error) {
	err = tx.Where("id = ?", tx.AccountID).Take(&a).Error
	return a, err
}

// Lock is Of, and keeps the account from changing until the transaction ends.
func Lock(tx *store.Tx) (a Account, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", tx.AccountID).Take(&a).Error
	return a, err
}

// InTurn is Of, for transactions of the account that come one after the other: each waits
// here until the one before it has ended. Nothing else waits.
func InTurn(tx *store.Tx) (a Account, err error) {
	err = tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", tx.AccountID).Take(&a).Error
	return a, err
}

// StopClock sets the clock of a test account to an instant, where it stands
// from now on.
func StopClock(tx *store.Tx, at time.Time) error {
	return tx.Model(&Account{}).Where("id = ?", tx.AccountID).Select("clock_now").Updates(&Account{ClockNow: &at}).Error
}

// IDs returns the ids of all accounts, the oldest first.
func IDs(ctx context.Context, st *store.Store) ([]string, error) {
	return those(ctx, st, "true")
}

// OnRealTime returns the ids of the accounts whose clock is real.
func OnRealTime(ctx context.Context, st *store.Store) ([]string, error) {
	return those(ctx, st, "NOT stopped")
}

// OnStoppedClock returns the ids of the accounts whose clock is stopped.
func OnStoppedClock(ctx context.Context, st *store.Store) ([]string, error) {
	return those(ctx, st, "stopped")
}

func those(ctx context.Context, st *store.Store, condition string) (ids []string, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT account FROM list_accounts() WHERE " + condition).Scan(&ids).Error
	})
	return ids, err
}
