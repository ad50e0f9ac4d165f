package invoice

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// show turns rows, in their order, into what a reader sees.
func show(tx *store.Tx, rows []Invoice) ([]View, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	views, err := whole(tx, settings, rows)
	if settings.HideZeroLines {
		for k := range views {
			views[k].Lines = slices.DeleteFunc(views[k].Lines, func(l Line) bool { return l.Quantity.IsZero() })
		}
	}
	return views, err
}

// whole is show without hiding a line.
func whole(tx *store.Tx, settings account.Account, rows []Invoice) ([]View, error) {
	terms, err := termsOf(tx, rows)
	if err != nil {
		return nil, err
	}
	record, err := recordsOf(tx, idsOf(rows, false))
	if err != nil {
		return nil, err
	}
	more, err := extras(tx, idsOf(rows, true))
	if err != nil {
		return nil, err
	}
	views := make([]View, len(rows))
	for k, row := range rows {
		if row.Status != StatusDraft {
			views[k] = issuedView(row, terms(row))
			record(&views[k])
			continue
		}
		if views[k], err = draftView(tx, settings, row, terms(row), more(row)); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// recordsOf reads what was written of issued invoices, and returns what puts it into
// their views.
func recordsOf(tx *store.Tx, ids []string) (func(*View), error) {
	lines, err := linesOf(tx, ids)
	if err != nil {
		return nil, err
	}
	moves, err := customer.BalanceOfInvoices(tx, ids)
	if err != nil {
		return nil, err
	}
	notes, err := creditNotesOf(tx, ids)
	if err != nil {
		return nil, err
	}
	attempts, err := attemptsOf(tx, ids)
	return func(v *View) {
		v.Lines, v.BalanceTransactions, v.CreditNotes, v.PaymentAttempts = lines[v.ID], moves[v.ID], notes[v.ID], attempts[v.ID]
	}, err
}

// extras reads what drafts have beside the services of their subscriptions. Most have
// nothing.
func extras(tx *store.Tx, ids []string) (func(Invoice) extra, error) {
	added, err := addedTo(tx, ids)
	if err != nil {
		return nil, err
	}
	discounts, err := catalog.FindInvoiceDiscounts(tx, slices.Collect(maps.Keys(added)))
	return func(i Invoice) extra { return extra{added[i.ID], discounts[i.ID]} }, err
}

func issuedView(row Invoice, t subscription.Terms) View {
	return View{
		Invoice: row, Customer: t.Customer, Terms: t,
		Number: *row.Number, Memo: row.Memo, AutoCollection: *row.AutoCollection, WillAutoIssue: *row.AutoIssued,
		Subtotal: *row.Subtotal, Total: *row.Total, AmountDue: row.Due(),
		Billing: row.BillingAddress, Shipping: row.ShippingAddress, Tax: row.TaxID,
	}
}

func draftView(tx *store.Tx, settings account.Account, row Invoice, t subscription.Terms, more extra) (View, error) {
	charged, err := lines(tx, t, row, more)
	if err != nil {
		return View{}, err
	}
	return viewOfDraft(settings, row, t, charged), nil
}

// viewOfDraft shows a draft with those lines.
func viewOfDraft(settings account.Account, row Invoice, t subscription.Terms, charged []Line) View {
	eligible := eligibleAt(settings, row)
	v := View{
		Invoice: row, Customer: t.Customer, Terms: t, Lines: charged,
		Number: customer.DraftNumber(t.Customer, settings), Memo: t.Memo(), AutoCollection: t.CollectsAutomatically(),
		WillAutoIssue: t.IssuesAutomatically(settings.AutoIssuance), EligibleAt: &eligible,
		Billing: t.Customer.BillingAddress, Shipping: t.Customer.ShippingAddress, Tax: t.Customer.TaxID,
	}
	if row.Memo != nil {
		v.Memo = row.Memo
	}
	if row.AutoCollection != nil {
		v.AutoCollection = *row.AutoCollection
	}
	if row.AutoIssues != nil {
		v.WillAutoIssue = *row.AutoIssues
	}
	for _, l := range charged {
		v.Subtotal = v.Subtotal.Add(l.invoiced)
		v.Total = v.Total.Add(l.Amount)
	}
	v.AmountDue = t.Customer.Due(v.Total)
	return v
}

// eligibleAt is the earliest instant at which an invoice can be issued: its
// date, and with usage lines the grace period and the account's buffer after it
// (semantics 8.1.3).
func eligibleAt(settings account.Account, row Invoice) time.Time {
	if !row.HasUsage {
		return row.InvoiceDate
	}
	return row.InvoiceDate.Add(settings.IssueDelay())
}

// termsOf returns what invoices are made under: the terms of their subscriptions, or
// only the customer and the currency where there is none.
func termsOf(tx *store.Tx, rows []Invoice) (func(Invoice) subscription.Terms, error) {
	var subscriptions, customers []string
	for _, row := range rows {
		if row.SubscriptionID != nil {
			subscriptions = append(subscriptions, *row.SubscriptionID)
		} else {
			customers = append(customers, row.CustomerID)
		}
	}
	terms, err := subscription.FindAll(tx, subscriptions)
	if err != nil {
		return nil, err
	}
	buyers, err := customer.FindAll(tx, customers)
	return func(i Invoice) subscription.Terms {
		if i.SubscriptionID != nil {
			return terms[*i.SubscriptionID]
		}
		return i.ownTerms(subscription.Terms{Customer: buyers[i.CustomerID]}, nil)
	}, err
}

// idsOf are the ids of the invoices that are drafts, or of those that are not.
func idsOf(rows []Invoice, drafts bool) (ids []string) {
	for _, row := range rows {
		if (row.Status == StatusDraft) == drafts {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// linesOf reads the lines of issued invoices by invoice, in their order.
func linesOf(tx *store.Tx, ids []string) (map[string][]Line, error) {
	byInvoice := map[string][]Line{}
	if len(ids) == 0 {
		return byInvoice, nil
	}
	var found []Line
	if err := tx.Where("invoice_id IN ?", ids).Order("invoice_id, position").Find(&found).Error; err != nil {
		return nil, err
	}
	for _, l := range found {
		byInvoice[l.InvoiceID] = append(byInvoice[l.InvoiceID], l)
	}
	return byInvoice, nil
}
