package console

import (
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// pricesPage lists prices, the newest first.
func pricesPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.PricePage](v, "listPrices", nil, v.filters())
	if err != nil {
		return nil, err
	}
	create := doing{Operation: "createPrice", Name: "New price", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "Prices", Lead: "What is charged, of all plans and of none, the newest first.", Actions: v.actions(create)},
		Table: priceTable(page.Data, true),
		Pager: v.pager("prices", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "tag", Title: "No prices yet", Text: "A price turns a quantity into an amount. It is added to a subscription, or comes with a plan.", Action: v.first(create)},
	}), nil
}

// priceTable shows prices with their terms in a few words.
func priceTable(prices []gen.Price, links bool) table {
	t := table{Label: "Prices", Links: links, Columns: []column{{"Price", ""}, {"Terms", ""}, {"Model", "mid"}, {"Billed", "wide"}}}
	for _, price := range prices {
		p := readPrice(price)
		name := anchor(link("prices", p.ID), p.Name)
		if links {
			name = rowLink(link("prices", p.ID), p.Name, deref(p.ExternalPriceID))
		}
		t.Rows = append(t.Rows, []templ.Component{name, text(p.summary()), text(form.Words(p.Model)), text(p.every() + ", " + strings.ToLower(p.mode()))})
	}
	return t
}

// pricePage shows a price with the terms of its model.
func pricePage(v *visit) (templ.Component, error) {
	price, err := fetch[gen.Price](v, "fetchPrice", params{"price_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	p := readPrice(price)
	facts := []fact{
		{"Model", text(form.Words(p.Model))},
		{"Item", text(p.Item.Name)},
		{"Kind", text(form.Words(string(p.PriceType)))},
		{"Billed", text(p.every() + ", " + strings.ToLower(p.mode()))},
		{"Currency", text(p.Currency)},
	}
	if p.BillableMetric != nil {
		name := p.BillableMetric.ID
		if metric, err := fetch[gen.BillableMetric](v, "fetchMetric", params{"metric_id": name}, nil); err == nil {
			name = metric.Name
		}
		facts = append(facts, fact{"Metric", anchor(link("metrics", p.BillableMetric.ID), name)})
	}
	if p.FixedPriceQuantity != nil {
		facts = append(facts, fact{"Quantity", number(p.FixedPriceQuantity.String())})
	}
	if p.InvoiceGroupingKey != nil {
		facts = append(facts, fact{"Lines by", text(*p.InvoiceGroupingKey)})
	}
	facts = append(facts, fact{"Alias", text(deref(p.ExternalPriceID))}, fact{"Created", instant(p.CreatedAt)})
	known := []string{"price_id", p.ID}
	return recordPage(v, record{
		Head: head{
			Crumbs: []crumb{{link("prices"), "Prices"}}, Title: p.Name, Lead: v.describe(p.Model), Meta: []templ.Component{text(p.summary()), copyable(p.ID)},
			Actions: v.actions(
				doing{Operation: "evaluatePrice", Name: "Try on usage", Known: known},
				doing{Operation: "evaluatePreviewEvents", Name: "Try on made-up events", Known: []string{"price_evaluations[0].price_id", p.ID}},
				doing{Operation: "updatePrice", Name: "Edit", Known: known},
			),
		},
		Title: "Price", Facts: facts, Terms: &p.Terms, Metadata: p.Metadata, Tool: priceCalculator(v.calculator(p.ID)),
	}), nil
}

// describe returns what the contract says about a price model.
func (v *visit) describe(model string) string {
	schema := v.pages.operations["createPrice"].schema()
	if schema == nil {
		return ""
	}
	if chosen := form.VariantOf(form.Flatten(schema).Union, model); chosen != nil {
		return form.FirstSentence(form.Flatten(chosen).DescriptionOf(model + "_config"))
	}
	return ""
}
