package invoice

import (
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// ExpectedInvoice is an invoice whose draft is not opened yet, while services that it will charge
// have begun: those of a price whose cycle is longer than the billing period. Credits pay for
// their days like for those on a draft (semantics 10.2.7). The draft takes the id over, so its
// lines have the ids under which credits paid for them. It is not shown before.
type ExpectedInvoice struct {
	store.Record
	CustomerID     string
	SubscriptionID string
	PlanID         string
	InvoiceDate    time.Time // of the draft, in the future
}

// TableName is the table of unopened invoices.
func (ExpectedInvoice) TableName() string { return "unopened_invoices" }

// Draft is the draft that will be opened.
func (u ExpectedInvoice) Draft() Invoice {
	return Invoice{
		Record: u.Record, CustomerID: u.CustomerID, SubscriptionID: &u.SubscriptionID, PlanID: &u.PlanID,
		Source: SourceSubscription, Status: StatusDraft, InvoiceDate: u.InvoiceDate,
	}
}

// ExpectInvoices makes the unopened invoices of all services that begin before the next billing date
// and are billed after it. Those of a date that has a draft need none.
func ExpectInvoices(tx *store.Tx, t subscription.Terms, next time.Time) error {
	var rows []ExpectedInvoice
	var asked []usage.Request
	for _, s := range t.BilledLater(next) {
		asked = append(asked, charge.UsageRequests(s)...)
		same := func(u ExpectedInvoice) bool { return u.PlanID == s.Interval.PlanID && u.InvoiceDate.Equal(s.BilledOn) }
		if slices.ContainsFunc(rows, same) {
			continue
		}
		rows = append(rows, ExpectedInvoice{
			Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: t.ID, PlanID: s.Interval.PlanID, InvoiceDate: s.BilledOn,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := usage.TrackMetrics(tx, asked); err != nil {
		return err
	}
	var drafts []Invoice
	err := tx.Where("subscription_id = ? AND source = ? AND invoice_date > ?", t.ID, SourceSubscription, next).Find(&drafts).Error
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(u ExpectedInvoice) bool {
		return slices.ContainsFunc(drafts, func(d Invoice) bool { return *d.PlanID == u.PlanID && d.InvoiceDate.Equal(u.InvoiceDate) })
	})
	if len(rows) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error
}

// TakeOverExpected gives drafts that are about to be opened the ids that their invoices have already,
// and ends the unopened ones.
func TakeOverExpected(tx *store.Tx, drafts []Invoice) error {
	var subscriptions []string
	for _, d := range drafts {
		subscriptions = append(subscriptions, *d.SubscriptionID)
	}
	unopened, err := expectedInvoicesOf(tx, slices.Compact(subscriptions))
	if err != nil {
		return err
	}
	for k, d := range drafts {
		for _, u := range unopened {
			if d.OfChange || *d.SubscriptionID != u.SubscriptionID || *d.PlanID != u.PlanID || !d.InvoiceDate.Equal(u.InvoiceDate) {
				continue
			}
			drafts[k].ID = u.ID
			if err := u.Remove(tx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u ExpectedInvoice) Remove(tx *store.Tx) error {
	return tx.Where("id = ?", u.ID).Delete(&ExpectedInvoice{}).Error
}

// ExpectedInvoicesOf are the unopened invoices of a subscription, by date.
func ExpectedInvoicesOf(tx *store.Tx, t subscription.Terms) ([]ExpectedInvoice, error) {
	return expectedInvoicesOf(tx, []string{t.ID})
}

func expectedInvoicesOf(tx *store.Tx, subscriptions []string) (rows []ExpectedInvoice, err error) {
	err = tx.Where("subscription_id IN ?", subscriptions).Order("invoice_date, seq").Find(&rows).Error
	return rows, err
}

// WithExpected adds to drafts the unopened invoices that pass a condition, as drafts.
func WithExpected(tx *store.Tx, drafts []Invoice, condition string, args ...any) ([]Invoice, error) {
	var unopened []ExpectedInvoice
	err := tx.Where(condition, args...).Order("invoice_date, seq").Find(&unopened).Error
	for _, u := range unopened {
		drafts = append(drafts, u.Draft())
	}
	return drafts, err
}

// NotOpenedYet tells which of the invoices that entries of a ledger name are not opened yet, by
// id: a reader does not find them.
func NotOpenedYet(tx *store.Tx, entries []credit.Entry) (map[string]bool, error) {
	var ids []string
	for _, e := range entries {
		if e.InvoiceID != nil {
			ids = append(ids, *e.InvoiceID)
		}
	}
	unopened := map[string]bool{}
	if len(ids) == 0 {
		return unopened, nil
	}
	var found []string
	err := tx.Model(&ExpectedInvoice{}).Where("id IN ?", ids).Pluck("id", &found).Error
	for _, id := range found {
		unopened[id] = true
	}
	return unopened, err
}
