package console

import (
	"github.com/a-h/templ"

	"tollkeeper/domain/export"
	"tollkeeper/gen"
)

// customersPage lists customers, the newest first.
func customersPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.CustomerPage](v, "listCustomers", nil, v.filters())
	if err != nil {
		return nil, err
	}
	t := table{Label: "Customers", Links: true, Columns: []column{{"Customer", ""}, {"Email", "mid"}, {"Currency", "wide"}, {"Balance", "num"}, {"Created", "mid"}}}
	for _, c := range page.Data {
		currency := deref(c.Currency)
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("customers", c.ID), c.Name, deref(c.ExternalCustomerID)),
			text(c.Email), text(currency), amount(c.Balance, currency), instant(c.CreatedAt),
		})
	}
	create := doing{Operation: "createCustomer", Name: "New customer", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "Customers", Lead: "Who is billed.", Actions: append(v.exports(export.Customers), v.actions(create)...)},
		Table: t,
		Pager: v.pager("customers", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "users", Title: "No customers yet", Text: "A customer has subscriptions, credits and invoices. POST /v1/customers creates one too.", Action: v.first(create)},
	}), nil
}

// first is the button of an empty list, if the person may begin one.
func (v *visit) first(d doing) *action {
	if found := v.actions(d); len(found) > 0 {
		return &found[0]
	}
	return nil
}
