package console

import (
	"github.com/a-h/templ"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/export"
	"tollkeeper/store"
)

// creditsPage lists the balances of all customers, the lowest first.
func creditsPage(v *visit) (templ.Component, error) {
	if !v.may("listCredits") {
		return nil, &failure{Status: 403}
	}
	var ledgers []credit.Ledger
	var next string
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		ledgers, next, err = credit.ListBalances(tx, v.page())
		return err
	})
	if err != nil {
		return nil, refusal(err)
	}
	names, err := v.customers(idsOf(ledgers, func(l credit.Ledger) string { return l.CustomerID }))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Balances", Links: true, Columns: []column{{"Customer", ""}, {"Unit", ""}, {"Last changed", "mid"}, {"Changes next", "wide"}, {"Balance", "num"}}}
	for _, l := range ledgers {
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("customers", l.CustomerID, "credits")+"?currency="+string(l.Currency), names.name(l.CustomerID), ""),
			text(string(l.Currency)), timeOrNone(l.ChangedAt), timeOrNone(l.DueAt), amount(l.Balance.String(), string(l.Currency)),
		})
	}
	return listPage(v, listing{
		Head:  head{Title: "Credits", Lead: "Prepaid balances, the lowest first.", Actions: v.exports(export.Ledger)},
		Table: t,
		Pager: v.pager("balances", len(ledgers), &next),
		Empty: empty{Icon: "coins", Title: "No credits yet", Text: "Credits are added on the page of a customer, by a top-up or by an allocation price."},
	}), nil
}
