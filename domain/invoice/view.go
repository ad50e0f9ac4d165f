package invoice

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Present turns rows, in their order, into what a reader sees.
func Present(tx *store.Tx, rows []Invoice) ([]View, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	views, err := Views(tx, settings, rows)
	if settings.HideZeroLines {
		for k := range views {
			views[k].Lines = slices.DeleteFunc(views[k].Lines, func(l Line) bool { return l.Quantity.IsZero() })
		}
	}
	return views, err
}

// Views is [Present] without hiding a line.
func Views(tx *store.Tx, settings account.Account, rows []Invoice) ([]View, error) {
	terms, err := TermsOf(tx, rows)
	if err != nil {
		return nil, err
	}
	record, err := LoadDocuments(tx, IdsOf(rows, false))
	if err != nil {
		return nil, err
	}
	more, err := Extras(tx, IdsOf(rows, true))
	if err != nil {
		return nil, err
	}
	page, err := pages(tx, rows)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(rows))
	for k, row := range rows {
		if row.Status != StatusDraft {
			views[k] = IssuedView(tx, row, terms(row))
			record(&views[k])
			views[k].Page = page(row)
			continue
		}
		if views[k], err = draftView(tx, settings, row, terms(row), more(row), CreditsFor); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// LoadDocuments reads what was written of issued invoices, and returns what puts it into
// their views.
func LoadDocuments(tx *store.Tx, ids []string) (func(*View), error) {
	lines, err := LinesOf(tx, ids)
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

// Extras reads what drafts have beside the services of their subscriptions. Most have
// nothing.
func Extras(tx *store.Tx, ids []string) (func(Invoice) draftAdditions, error) {
	added, err := AddedTo(tx, ids)
	if err != nil {
		return nil, err
	}
	discounts, err := catalog.FindInvoiceDiscounts(tx, slices.Collect(maps.Keys(added)))
	return func(i Invoice) draftAdditions { return draftAdditions{added[i.ID], discounts[i.ID]} }, err
}

// IssuedView returns what an issued invoice shows, without its lines and documents.
func IssuedView(tx *store.Tx, row Invoice, t subscription.Terms) View {
	return View{
		Invoice: row, Customer: t.Customer, Terms: t,
		Number: *row.Number, Memo: row.Memo, AutoCollection: *row.AutoCollection, WillAutoIssue: *row.AutoIssued,
		Subtotal: *row.Subtotal, Total: *row.Total, AmountDue: row.Due(), Overdue: row.Overdue(tx.Now, t.Customer.Location()),
		Billing: row.BillingAddress, Shipping: row.ShippingAddress, Tax: row.TaxID,
	}
}

// Issuing is what several drafts that are about to be issued need, read together.
type Issuing struct {
	settings   account.Account
	ledgers    map[string][]credit.Ledger // of the customers, by id, locked
	payers     payers                     // of the customers that have ledgers
	terms      func(Invoice) subscription.Terms
	more       func(Invoice) draftAdditions
	beside     map[string]bool   // the drafts, by id, of whose date another invoice of the subscription is issued
	names      map[string]string // of items of their prices, by id
	letterhead letterhead.Letterhead
}

// PrepareToIssue reads what locked drafts need to be issued. They are of different customers, so that issuing one
// changes nothing that another needs.
func PrepareToIssue(tx *store.Tx, settings account.Account, rows []Invoice) (p Issuing, err error) {
	defer fault.Doing(&err, "prepare to issue invoices")
	p.settings = settings
	var customers []string
	for _, row := range rows {
		if row.Source == SourceSubscription {
			customers = append(customers, row.CustomerID)
		}
	}
	if p.ledgers, err = credit.LockLedgersOf(tx, customers); err != nil {
		return p, err
	}
	if len(p.ledgers) > 0 {
		if p.payers, err = payersOf(tx, slices.Sorted(maps.Keys(p.ledgers))); err != nil {
			return p, err
		}
	}
	plain := slices.DeleteFunc(slices.Clone(rows), func(row Invoice) bool { return len(p.ledgersOf(row)) > 0 })
	if p.terms, err = TermsOf(tx, plain); err != nil {
		return p, err
	}
	ids := make([]string, len(rows))
	for k, row := range rows {
		ids[k] = row.ID
	}
	if p.more, err = Extras(tx, ids); err != nil {
		return p, err
	}
	if p.beside, err = issuedBeside(tx, rows); err != nil {
		return p, err
	}
	var items []string
	for _, row := range plain {
		for _, i := range p.terms(row).Intervals {
			items = append(items, i.Price.ItemID)
		}
	}
	slices.Sort(items)
	if p.names, err = catalog.Names(tx, slices.Compact(items)); err != nil {
		return p, err
	}
	p.letterhead, err = letterhead.CurrentText(tx)
	return p, err
}

// issuedBeside are the drafts, by id, of whose date another invoice of the subscription is issued.
func issuedBeside(tx *store.Tx, drafts []Invoice) (map[string]bool, error) {
	beside := map[string]bool{}
	var subscriptions []string
	var dates []time.Time
	for _, d := range drafts {
		if d.SubscriptionID != nil {
			subscriptions, dates = append(subscriptions, *d.SubscriptionID), append(dates, d.InvoiceDate)
		}
	}
	if len(subscriptions) == 0 {
		return beside, nil
	}
	var issued []Invoice
	err := tx.Where("subscription_id IN ? AND source = ? AND invoice_date IN ?", subscriptions, SourceSubscription, dates).
		Where("status <> ? AND NOT replaced", StatusDraft).Find(&issued).Error
	for _, d := range drafts {
		beside[d.ID] = slices.ContainsFunc(issued, func(i Invoice) bool {
			return d.SubscriptionID != nil && *i.SubscriptionID == *d.SubscriptionID && i.InvoiceDate.Equal(d.InvoiceDate)
		})
	}
	return beside, err
}

// ViewToIssue shows one draft as it is to be issued: see [Issuing.View].
func ViewToIssue(tx *store.Tx, settings account.Account, row Invoice) (View, error) {
	prepared, err := PrepareToIssue(tx, settings, []Invoice{row})
	if err != nil {
		return View{}, err
	}
	return prepared.View(tx, row)
}

// ledgersOf are the ledgers that may pay for a draft.
func (p Issuing) ledgersOf(row Invoice) []credit.Ledger {
	if row.Source != SourceSubscription {
		return nil
	}
	return p.ledgers[row.CustomerID]
}

// View shows a draft as it is to be issued by [Finalize]: what credits pay of it is committed
// first, and its lines are worked out after that.
func (p Issuing) View(tx *store.Tx, row Invoice) (_ View, err error) {
	defer fault.Doing(&err, "draw up invoice %s", row.ID)
	t, credits := p.terms(row), creditReader(noCredits)
	if ledgers := p.ledgersOf(row); len(ledgers) > 0 {
		if t, err = p.payers.commitCredits(tx, row, ledgers); err != nil {
			return View{}, err
		}
		credits = committedCredits
	}
	row.ListsDays = p.settings.UsageByDay
	var charged []Line
	if row.SubscriptionID != nil && row.PlanID != nil && !p.beside[row.ID] {
		charged, err = linesOfServices(tx, t, row, BilledBy(t, row), p.more(row), credits)
	} else {
		charged, err = lines(tx, t, row, p.more(row), credits)
	}
	if err != nil {
		return View{}, err
	}
	for k := range charged {
		charged[k].ItemName = p.names[charged[k].itemID]
	}
	v := ViewOfDraft(p.settings, row, t, charged)
	v.letterhead = &p.letterhead
	return v, nil
}

func draftView(tx *store.Tx, settings account.Account, row Invoice, t subscription.Terms, more draftAdditions, credits creditReader) (View, error) {
	row.ListsDays = settings.UsageByDay
	charged, err := lines(tx, t, row, more, credits)
	if err != nil {
		return View{}, err
	}
	return ViewOfDraft(settings, row, t, charged), nil
}

// ViewOfServices shows a draft that charges services in advance, by terms that need not be the present
// ones.
func ViewOfServices(tx *store.Tx, settings account.Account, row Invoice, t subscription.Terms, services []subscription.ServicePeriod) (View, error) {
	charged, err := LinesOn(tx, t, row, services, NoPrior(len(services)), nil, draftAdditions{})
	if err != nil {
		return View{}, err
	}
	return ViewOfDraft(settings, row, t, charged), nil
}

// ViewOfDraft shows a draft with those lines.
func ViewOfDraft(settings account.Account, row Invoice, t subscription.Terms, charged []Line) View {
	eligible := EligibleAt(settings, row)
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

// EligibleAt is the earliest instant at which an invoice can be issued: its
// date, and with usage lines the grace period and the account's buffer after it
// (semantics 8.1.3).
func EligibleAt(settings account.Account, row Invoice) time.Time {
	if !row.HasUsage {
		return row.InvoiceDate
	}
	return row.InvoiceDate.Add(settings.IssueDelay())
}

// TermsOf returns what invoices are made under: the terms of their subscriptions, or
// only the customer and the currency where there is none.
func TermsOf(tx *store.Tx, rows []Invoice) (func(Invoice) subscription.Terms, error) {
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

// IdsOf are the ids of the invoices that are drafts, or of those that are not.
func IdsOf(rows []Invoice, drafts bool) (ids []string) {
	for _, row := range rows {
		if (row.Status == StatusDraft) == drafts {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// LinesOf reads the lines of issued invoices by invoice, in their order.
func LinesOf(tx *store.Tx, ids []string) (map[string][]Line, error) {
	byInvoice := map[string][]Line{}
	if len(ids) == 0 {
		return byInvoice, nil
	}
	var found []Line
	if err := tx.Omit("days").Where("invoice_id IN ?", ids).Order("invoice_id, position").Find(&found).Error; err != nil {
		return nil, err
	}
	for _, l := range found {
		byInvoice[l.InvoiceID] = append(byInvoice[l.InvoiceID], l)
	}
	return byInvoice, nil
}
