package console

import (
	"encoding/json"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"tollkeeper/domain/credit"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// ledgerEntry is what entries of all kinds have.
type ledgerEntry struct {
	gen.LedgerEntryBase
	Kind      string  `json:"entry_type"`
	InvoiceID *string `json:"invoice_id"`
}

// creditsView is what a customer has of a currency or custom unit.
type creditsView struct {
	customerView
	Currency string
	Units    []string // of ledgers
	Blocks   table
	Entries  []ledgerEntry
	Pager    pager
	TopUps   []gen.TopUp
	TopUpErr error
}

// customerCreditsPage shows the blocks and the ledger of a customer, of one unit at a time.
func customerCreditsPage(v *visit) (templ.Component, error) {
	base, err := loadCustomer(v, "credits")
	if err != nil {
		return nil, err
	}
	view := creditsView{customerView: base, Currency: v.query("currency")}
	if view.Units, err = base.units(); err != nil {
		return nil, err
	}
	if view.Currency == "" {
		view.Currency = view.Units[0]
	}
	path := params{"customer_id": base.Customer.ID}
	unit := url.Values{"currency": {view.Currency}, "limit": {"100"}}
	blocks, err := fetch[gen.CustomerCreditBlockPage](v, "listCredits", path, unit)
	if err != nil {
		return nil, err
	}
	view.Blocks = blockTable(view, blocks.Data)
	query := v.filters()
	query.Set("currency", view.Currency)
	ledger, err := fetch[gen.LedgerEntryPage](v, "listLedgerEntries", path, query)
	if err != nil {
		return nil, err
	}
	for _, entry := range ledger.Data {
		read, err := readEntry(entry)
		if err != nil {
			return nil, err
		}
		view.Entries = append(view.Entries, read)
	}
	view.Pager = v.pager("entries", len(view.Entries), ledger.PaginationMetadata.NextCursor)
	topUps, err := fetch[gen.TopUpPage](v, "listTopUps", path, nil)
	view.TopUps, view.TopUpErr = topUps.Data, err
	return customerCredits(view), nil
}

// readEntry reads what entries of all kinds have.
func readEntry(entry gen.LedgerEntry) (read ledgerEntry, err error) {
	text, err := entry.MarshalJSON()
	if err != nil {
		return read, err
	}
	return read, json.Unmarshal(text, &read)
}

// blockTable shows what is left of each block. The API lists them in the order they are used.
func blockTable(c creditsView, blocks []gen.CustomerCreditBlock) table {
	t := table{Label: "Credit blocks", Columns: []column{{"Block", ""}, {"State", ""}, {"In effect", "mid"}, {"Cost basis", "num wide"}, {"Of", "num wide"}, {"Left", "num"}, {"", ""}}}
	for _, b := range blocks {
		source := termsOf(b.CreditBlockSource).line()
		effective := none()
		if b.EffectiveDate != nil {
			effective = openPeriod(*b.EffectiveDate, b.ExpiryDate, c.Zone)
		}
		var remove templ.Component = templ.NopComponent
		if found := c.visit.actions(doing{Operation: "deleteCreditBlock", Name: "Delete", Kind: "danger", Known: []string{"block_id", b.ID}}); len(found) > 0 {
			remove = smallButton(found[0])
		}
		t.Rows = append(t.Rows, []templ.Component{
			stacked(text(form.Words(source)), mono(b.ID)), stateBadge(string(b.Status)), effective, optionalAmount(b.PerUnitCostBasis, ""), optionalNumber(b.MaximumInitialBalance), number(b.Balance.String()), remove,
		})
	}
	return t
}

// ledger shows the entries with the balance after each.
func (c creditsView) ledger() table {
	t := table{Label: "Ledger", Columns: []column{{"Entry", ""}, {"When", "mid"}, {"State", "wide"}, {"Amount", "num"}, {"Balance", "num"}}}
	for _, e := range c.Entries {
		what := text(form.Words(e.Kind))
		if e.InvoiceID != nil {
			what = stacked(what, anchor(link("invoices", *e.InvoiceID), "Invoice"))
		} else if e.Description != nil {
			what = stacked(what, text(*e.Description))
		}
		t.Rows = append(t.Rows, []templ.Component{what, instant(e.CreatedAt), stateBadge(string(e.EntryStatus)), number(e.Amount.String()), number(e.EndingBalance.String())})
	}
	return t
}

// topUps shows what is bought by itself when the balance is low.
func (c creditsView) topUps() table {
	t := table{Label: "Top-ups", Columns: []column{{"Below", "num"}, {"Adds", "num"}, {"Cost basis", "num"}, {"", ""}}}
	for _, u := range c.TopUps {
		var remove templ.Component = templ.NopComponent
		if found := c.visit.actions(doing{Operation: "deleteTopUp", Name: "Delete", Kind: "danger", Known: []string{"customer_id", c.Customer.ID, "top_up_id", u.ID}}); len(found) > 0 {
			remove = smallButton(found[0])
		}
		t.Rows = append(t.Rows, []templ.Component{number(u.Threshold), number(u.Amount), number(u.PerUnitCostBasis), remove})
	}
	return t
}

// units are those that the customer has a ledger in, the fullest first, then the currency and credits.
func (c customerView) units() (names []string, err error) {
	var ledgers []credit.Ledger
	err = c.visit.pages.store.View(c.visit.ctx, func(tx *store.Tx) (err error) {
		ledgers, err = credit.Ledgers(tx, c.Customer.ID)
		return err
	})
	slices.SortStableFunc(ledgers, func(a, b credit.Ledger) int { return b.Balance.Cmp(a.Balance) })
	for _, l := range ledgers {
		names = append(names, string(l.Currency))
	}
	for _, name := range []string{deref(c.Customer.Currency), "credits"} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// choices leads to the other units.
func (c creditsView) choices() (list []choice) {
	names := c.Units
	if !slices.Contains(names, c.Currency) {
		names = append(names, c.Currency)
	}
	for _, name := range names {
		list = append(list, choice{c.visit.here("currency", name), name, name == c.Currency})
	}
	return list
}

// add are the buttons that change the balance.
func (c creditsView) add() []action {
	known := []string{"customer_id", c.Customer.ID, "currency", c.Currency}
	return c.visit.actions(doing{Operation: "createTopUp", Name: "New top-up", Known: known}, doing{Operation: "createLedgerEntry", Name: "Add credits", Known: known})
}
