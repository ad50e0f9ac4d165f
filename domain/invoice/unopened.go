package invoice

import (
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// Unopened is an invoice whose draft is not opened yet, while services that it will charge
// have begun: those of a price whose cycle is longer than the billing period. Credits pay for
// their days like for those on a draft (semantics 10.2.7). The draft takes the id over, so its
// lines have the ids under which credits paid for them. Nobody is shown it before.
type Unopened struct {
	store.Record
	CustomerID     string
	SubscriptionID string
	PlanID         string
	InvoiceDate    time.Time // of the draft, in the future
}

// TableName is the table of unopened invoices.
func (Unopened) TableName() string { return "unopened_invoices" }

// draft is the draft that will be opened.
func (u Unopened) draft() Invoice {
	return Invoice{
		Record: u.Record, CustomerID: u.CustomerID, SubscriptionID: &u.SubscriptionID, PlanID: &u.PlanID,
		Source: SourceSubscription, Status: StatusDraft, InvoiceDate: u.InvoiceDate,
	}
}

// expect makes the unopened invoices of all services that begin before the next billing date
// and are billed after it. Those of a date that has a draft need none.
func expect(tx *store.Tx, t subscription.Terms, next time.Time) error {
	var rows []Unopened
	var asked []usage.Request
	for _, s := range t.BilledLater(next) {
		asked = append(asked, watched(s)...)
		same := func(u Unopened) bool { return u.PlanID == s.Interval.PlanID && u.InvoiceDate.Equal(s.BilledOn) }
		if slices.ContainsFunc(rows, same) {
			continue
		}
		rows = append(rows, Unopened{
			Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: t.ID, PlanID: s.Interval.PlanID, InvoiceDate: s.BilledOn,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := usage.Watch(tx, asked); err != nil {
		return err
	}
	var drafts []Invoice
	err := tx.Where("subscription_id = ? AND source = ? AND invoice_date > ?", t.ID, SourceSubscription, next).Find(&drafts).Error
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(u Unopened) bool {
		return slices.ContainsFunc(drafts, func(d Invoice) bool { return *d.PlanID == u.PlanID && d.InvoiceDate.Equal(u.InvoiceDate) })
	})
	if len(rows) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error
}

// takeOver gives drafts that are about to be opened the ids that their invoices have already,
// and ends the unopened ones.
func takeOver(tx *store.Tx, t subscription.Terms, drafts []Invoice) error {
	unopened, err := unopenedOf(tx, t)
	if err != nil {
		return err
	}
	for k, d := range drafts {
		for _, u := range unopened {
			if d.OfChange || *d.PlanID != u.PlanID || !d.InvoiceDate.Equal(u.InvoiceDate) {
				continue
			}
			drafts[k].ID = u.ID
			if err := u.remove(tx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u Unopened) remove(tx *store.Tx) error {
	return tx.Where("id = ?", u.ID).Delete(&Unopened{}).Error
}

// unopenedOf are the unopened invoices of a subscription, by date.
func unopenedOf(tx *store.Tx, t subscription.Terms) (rows []Unopened, err error) {
	err = tx.Where("subscription_id = ?", t.ID).Order("invoice_date, seq").Find(&rows).Error
	return rows, err
}

// redrawUnopened takes away the unopened invoices of a subscription on whose dates nothing is
// billed any more. What credits paid of them is carried on afterwards (see carry.go).
func redrawUnopened(tx *store.Tx, t subscription.Terms, b books) error {
	unopened, err := unopenedOf(tx, t)
	if err != nil {
		return err
	}
	for _, u := range unopened {
		if len(b.rest(t, u.draft())) > 0 {
			continue
		}
		if err := u.remove(tx); err != nil {
			return err
		}
	}
	return nil
}

// withUnopened adds to drafts the unopened invoices that pass a condition, as drafts.
func withUnopened(tx *store.Tx, drafts []Invoice, condition string, args ...any) ([]Invoice, error) {
	var unopened []Unopened
	err := tx.Where(condition, args...).Order("invoice_date, seq").Find(&unopened).Error
	for _, u := range unopened {
		drafts = append(drafts, u.draft())
	}
	return drafts, err
}

// NotOpened tells which of the invoices that entries of a ledger name are not opened yet, by
// id: a reader does not find them.
func NotOpened(tx *store.Tx, entries []credit.Entry) (map[string]bool, error) {
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
	err := tx.Model(&Unopened{}).Where("id IN ?", ids).Pluck("id", &found).Error
	for _, id := range found {
		unopened[id] = true
	}
	return unopened, err
}
