package invoice

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Find returns an invoice.
func Find(tx *store.Tx, id string) (_ View, err error) {
	defer fault.Doing(&err, "find invoice %s", id)
	var row Invoice
	if err := tx.Where("id = ?", id).Take(&row).Error; err != nil {
		return View{}, store.Found(err, "Invoice", id)
	}
	views, err := Present(tx, []Invoice{row})
	if err != nil {
		return View{}, err
	}
	return views[0], nil
}

// OfSubscription returns all invoices of a subscription by date.
func OfSubscription(tx *store.Tx, subscriptionID string) (_ []View, err error) {
	defer fault.Doing(&err, "find the invoices of subscription %s", subscriptionID)
	var rows []Invoice
	err = tx.Where("subscription_id = ?", subscriptionID).Order("invoice_date, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return Present(tx, rows)
}

// Drafts returns the drafts of a subscription by date.
func Drafts(tx *store.Tx, subscriptionID string) (_ []View, err error) {
	defer fault.Doing(&err, "find the drafts of subscription %s", subscriptionID)
	var rows []Invoice
	err = tx.Where("subscription_id = ? AND status = ?", subscriptionID, StatusDraft).Order("invoice_date, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return Present(tx, rows)
}

// Upcoming returns the draft of the subscription's next billing date. A
// subscription that has none, since it has not begun or will not be billed any
// more, is refused.
func Upcoming(tx *store.Tx, subscriptionID string) (_ View, err error) {
	defer fault.Doing(&err, "find the upcoming invoice of subscription %s", subscriptionID)
	terms, err := subscription.Find(tx, subscriptionID)
	if err != nil {
		return View{}, err
	}
	var rows []Invoice
	err = tx.Where("subscription_id = ? AND status = ?", terms.ID, StatusDraft).
		Order("invoice_date DESC, seq DESC").Limit(1).Find(&rows).Error
	if err != nil {
		return View{}, err
	}
	if len(rows) == 0 {
		return View{}, fault.Refused("this subscription has no upcoming invoice")
	}
	views, err := Present(tx, rows)
	if err != nil {
		return View{}, err
	}
	return views[0], nil
}

// Filter narrows a list. Empty fields do not.
type Filter struct {
	CustomerID         string
	ExternalCustomerID string
	SubscriptionID     string
	Statuses           []Status // empty: issued, paid and synced
	Recurring          *bool    // of a subscription or not
	Overdue            *bool    // or not
	ByDate             DateType // which date orders the list and is bounded by Window
	Window             *Window

	Amount, AmountGt, AmountLt *money.Decimal // of the total
	DueDate                    *period.Date   // the local day on which it is due
	DueDateGt, DueDateLt       *period.Date
	InvoiceDate                store.Range
}

// DateType says by which date invoices are listed.
type DateType string

// The dates of an invoice. Without one, lists go by issue instant.
const (
	DateTypeNone    DateType = ""
	DateTypeDue     DateType = "due_date"
	DateTypeInvoice DateType = "invoice_date"
)

// Window is a span back from now: days or months.
type Window struct{ Days, Months int }

// List returns a page of invoices: newest issued first, drafts by their date
// among the rest, or newest first by the date asked for (semantics 8.1.13).
func List(tx *store.Tx, filter Filter, page store.Page) (views []View, next string, err error) {
	defer fault.Doing(&err, "list invoices")
	query := store.Long(filter.on(tx), linesOfInvoice)
	var rows []Invoice
	switch filter.ByDate {
	case DateTypeDue:
		rows, next, err = store.ListBy(query.Where("due_at IS NOT NULL"), page, "due_at",
			func(i Invoice) time.Time { return *i.DueAt })
	case DateTypeInvoice:
		rows, next, err = store.ListBy(query, page, "invoice_date",
			func(i Invoice) time.Time { return i.InvoiceDate })
	default:
		rows, next, err = store.ListBy(query, page, "listed_at",
			func(i Invoice) time.Time { return i.ListedAt })
	}
	if err != nil {
		return nil, "", err
	}
	views, err = Present(tx, rows)
	return views, next, err
}

// linesOfInvoice is how many lines an invoice has; those with long sub-line items count for more. A draft has one for each
// price interval at most, beside those that were added to it, whose prices are its own.
var linesOfInvoice = fmt.Sprintf(`CASE WHEN status = 'draft'
	THEN (SELECT count(*) FROM price_intervals i WHERE i.account_id = invoices.account_id AND i.subscription_id = invoices.subscription_id)
		+ (SELECT count(*) FROM prices p WHERE p.account_id = invoices.account_id AND p.invoice_id = invoices.id)
	ELSE (SELECT coalesce(sum(1 + (pg_column_size(parts) + pg_column_size(groups) + pg_column_size(adjustments) + pg_column_size(usage_customer_ids)) / 1000), 0)
		FROM (SELECT parts, groups, adjustments, usage_customer_ids FROM invoice_lines l
			WHERE l.account_id = invoices.account_id AND l.invoice_id = invoices.id LIMIT %d) l) END`, store.MostLines+1)

func (f Filter) on(tx *store.Tx) *gorm.DB {
	statuses := f.Statuses
	if len(statuses) == 0 {
		statuses = []Status{StatusIssued, StatusPaid, StatusSynced}
	}
	query := f.InvoiceDate.On(tx.Model(&Invoice{}), "invoice_date").Where("status IN ?", statuses)
	if f.CustomerID != "" {
		query = query.Where("customer_id = ?", f.CustomerID)
	}
	if f.ExternalCustomerID != "" {
		query = query.Where("customer_id IN (?)", customer.IDsByExternal(tx, []string{f.ExternalCustomerID}))
	}
	if f.SubscriptionID != "" {
		query = query.Where("subscription_id = ?", f.SubscriptionID)
	}
	if f.Recurring != nil {
		query = query.Where("(source <> 'one_off') = ?", *f.Recurring)
	}
	if f.Window != nil {
		column := "invoice_date"
		if f.ByDate == DateTypeDue {
			column = "due_at"
		}
		query = query.Where(column+" >= ? AND "+column+" <= ?", tx.Now.AddDate(0, -f.Window.Months, -f.Window.Days), tx.Now)
	}
	if f.Overdue != nil {
		query = query.Where("("+overdue+") = ?", tx.Now, *f.Overdue)
	}
	for _, bound := range []struct {
		sign  string
		value *money.Decimal
	}{{"=", f.Amount}, {">", f.AmountGt}, {"<", f.AmountLt}} {
		if bound.value != nil {
			query = query.Where("total "+bound.sign+" ?", *bound.value)
		}
	}
	for _, bound := range []struct {
		sign string
		date *period.Date
	}{{"=", f.DueDate}, {">", f.DueDateGt}, {"<", f.DueDateLt}} {
		if bound.date != nil {
			query = query.Where("(due_at AT TIME ZONE (?))::date "+bound.sign+" ?", zoneOfCustomer(tx), *bound.date)
		}
	}
	return query
}

// zoneOfCustomer is the zone in which an invoice's due instant is a date.
func zoneOfCustomer(tx *store.Tx) *gorm.DB {
	return tx.Table("customers").Select("timezone").
		Where("customers.account_id = invoices.account_id AND customers.id = invoices.customer_id")
}
