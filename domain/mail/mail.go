package mail

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// Kind of a mail.
type Kind string

// Kinds.
const (
	InvoiceIssued Kind = "invoice_issued"
	Receipt       Kind = "receipt"
	ReminderMail  Kind = "reminder" // before or after the due date
	CreditNote    Kind = "credit_note"
	PortalLink    Kind = "portal_link"
	Alert         Kind = "alert"          // to the account's own people
	CustomerAlert Kind = "customer_alert" // that the customer set
)

// Kinds are all of them, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{InvoiceIssued, Receipt, ReminderMail, CreditNote, PortalLink, CustomerAlert, Alert}
}

// Status is how far a mail has come.
type Status string

// A mail is pending until the mail server takes it or refuses it for good.
const (
	StatusPending   Status = "pending"
	StatusSent      Status = "sent"
	StatusFailed    Status = "failed"
	StatusHeld      Status = "held"      // of a test account that sends none
	StatusUncertain Status = "uncertain" // the mail server may have taken it, see the package
)

// Mail is a mail to one recipient. All instants of attempts are real time, CreatedAt alone is the account's.
type Mail struct {
	store.Record
	Kind          Kind
	CustomerID    *string // nil: to the account's own people
	InvoiceID     *string
	Occasion      string // the cause: each recipient gets one mail of it
	Recipient     string
	Sender        string // as the account names itself, with its address
	Subject       string
	TextBody      string
	HTMLBody      string `gorm:"column:html_body"`
	Status        Status
	Attempts      []Attempt  `gorm:"serializer:json"` // oldest first
	Tries         int        // since it was queued, or sent again by hand
	NextAttemptAt *time.Time // nil unless pending
	ClaimedUntil  *time.Time // a server is at it until then, unless it died
	RecordedAt    time.Time  `gorm:"->"`
}

// Attempt is one attempt to hand a mail over, and what came of it.
type Attempt struct {
	At    time.Time `json:"at"`
	Code  int       `json:"code"`  // of the mail server; 0: it gave none
	Error *string   `json:"error"` // nil: it was taken
}

// Letter is a mail to be queued.
type Letter struct {
	Kind       Kind
	CustomerID *string
	InvoiceID  *string
	Occasion   string
	Subject    string
	Text, HTML string
}

// Queue queues a letter for each recipient who has none of its occasion (semantics 18.1.1). The account names a sender
// ([Sends]). A test account may hold it (semantics 18.1.12).
func Queue(tx *store.Tx, settings account.Account, l Letter, recipients ...string) error {
	if len(recipients) == 0 {
		return nil
	}
	mails := make([]Mail, len(recipients))
	for i, recipient := range recipients {
		mails[i] = Mail{
			Record: tx.Record("mail"), Kind: l.Kind, CustomerID: l.CustomerID, InvoiceID: l.InvoiceID, Occasion: l.Occasion, Recipient: recipient,
			Sender: *settings.MailFrom, Subject: l.Subject, TextBody: l.Text, HTMLBody: l.HTML, Status: StatusPending, Attempts: []Attempt{},
		}
		if settings.Test() && !settings.MailInTest {
			mails[i].Status = StatusHeld
		}
	}
	held := mails[0].Status == StatusHeld
	create := tx.Clauses(clause.OnConflict{DoNothing: true})
	if !held {
		create = create.Omit("NextAttemptAt") // the database's own clock, which is the real time
	}
	return create.Create(&mails).Error
}

// Sends reports whether an account has mails at all.
func Sends(settings account.Account) bool { return settings.MailFrom != nil }
