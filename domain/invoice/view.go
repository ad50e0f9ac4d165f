package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/account"
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
	frozen, err := linesOf(tx, rows)
	if err != nil {
		return nil, err
	}
	settled, err := customer.BalanceOfInvoices(tx, issuedIDs(rows))
	if err != nil {
		return nil, err
	}
	credited, err := creditNotesOf(tx, issuedIDs(rows))
	if err != nil {
		return nil, err
	}
	views := make([]View, len(rows))
	for k, row := range rows {
		var t subscription.Terms
		if row.SubscriptionID != nil {
			t = terms[*row.SubscriptionID]
		}
		if row.Status != StatusDraft {
			views[k] = issuedView(row, t)
			views[k].Lines, views[k].BalanceTransactions, views[k].CreditNotes = frozen[row.ID], settled[row.ID], credited[row.ID]
			continue
		}
		if views[k], err = draftView(tx, settings, row, t); err != nil {
			return nil, err
		}
	}
	return views, nil
}

func issuedView(row Invoice, t subscription.Terms) View {
	return View{
		Invoice: row, Customer: t.Customer, Terms: t,
		Number: *row.Number, Memo: row.Memo, AutoCollection: *row.AutoCollection, WillAutoIssue: *row.AutoIssued,
		Subtotal: *row.Subtotal, Total: *row.Total, AmountDue: row.Due(),
	}
}

func draftView(tx *store.Tx, settings account.Account, row Invoice, t subscription.Terms) (View, error) {
	charged, err := lines(tx, t, row)
	if err != nil {
		return View{}, err
	}
	eligible := eligibleAt(settings, row)
	v := View{
		Invoice: row, Customer: t.Customer, Terms: t, Lines: charged,
		Number: customer.DraftNumber(t.Customer, settings), Memo: t.Memo(), AutoCollection: t.CollectsAutomatically(),
		WillAutoIssue: t.IssuesAutomatically(settings.AutoIssuance), EligibleAt: &eligible,
	}
	for _, l := range charged {
		v.Subtotal = v.Subtotal.Add(l.invoiced)
		v.Total = v.Total.Add(l.Amount)
	}
	v.AmountDue = t.Customer.Due(v.Total)
	return v, nil
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

func termsOf(tx *store.Tx, rows []Invoice) (map[string]subscription.Terms, error) {
	var ids []string
	for _, row := range rows {
		if row.SubscriptionID != nil {
			ids = append(ids, *row.SubscriptionID)
		}
	}
	return subscription.FindAll(tx, ids)
}

func issuedIDs(rows []Invoice) (ids []string) {
	for _, row := range rows {
		if row.Status != StatusDraft {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// linesOf reads the lines of issued invoices by invoice, in their order.
func linesOf(tx *store.Tx, rows []Invoice) (map[string][]Line, error) {
	ids := issuedIDs(rows)
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
