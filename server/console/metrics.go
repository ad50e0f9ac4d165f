package console

import (
	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// metricsPage lists metrics, the newest first.
func metricsPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.BillableMetricPage](v, "listMetrics", nil, v.filters())
	if err != nil {
		return nil, err
	}
	t := table{Label: "Metrics", Links: true, Columns: []column{{"Metric", ""}, {"Item", "mid"}, {"Status", ""}, {"Query", "wide"}}}
	for _, m := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("metrics", m.ID), m.Name, deref(m.Description)), text(m.Item.Name), stateBadge(string(m.Status)), mono(m.SQL)})
	}
	create := doing{Operation: "createMetric", Name: "New metric", Icon: "plus", Kind: "primary", Address: link("metrics", "new")}
	return listPage(v, listing{
		Head:  head{Title: "Metrics", Lead: "How events become a quantity.", Actions: v.actions(create)},
		Table: t,
		Pager: v.pager("metrics", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "ruler", Title: "No metrics yet", Text: "A metric is a query over the events of a customer. A usage price charges for what it returns.", Action: v.first(create)},
	}), nil
}

// metricPage shows a metric with its query.
func metricPage(v *visit) (templ.Component, error) {
	m, err := fetch[gen.BillableMetric](v, "fetchMetric", params{"metric_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	r := record{
		Head: head{
			Crumbs: []crumb{{link("metrics"), "Metrics"}}, Title: m.Name, Lead: deref(m.Description), Badge: stateBadge(string(m.Status)), Meta: []templ.Component{copyable(m.ID)},
			Actions: v.actions(
				doing{Operation: "updateMetric", Name: "Edit", Known: []string{"metric_id", m.ID}},
				doing{Operation: "createPrice", Name: "New price", Icon: "plus", Kind: "primary", Known: []string{"billable_metric_id", m.ID, "item_id", m.Item.ID}},
			),
		},
		Title: "Metric", Facts: []fact{{"Item", text(m.Item.Name)}, {"Status", text(form.Words(string(m.Status)))}},
		Code: []code{{"Query", m.SQL}}, Metadata: m.Metadata,
	}
	lost, shown, err := uncountedEvents(v, m.ID)
	if err != nil {
		return nil, err
	}
	r.Facts = append(r.Facts, lost)
	if len(m.ParameterDefinitions) > 0 {
		t := table{Label: "Parameters", Columns: []column{{"Parameter", ""}, {"Kind", ""}, {"Default", ""}}}
		for _, d := range m.ParameterDefinitions {
			terms := termsOf(d)
			t.Rows = append(t.Rows, []templ.Component{text(terms.at("name").line()), text(terms.at("type").line()), text(terms.at("default_value").line())})
		}
		r.Tables = []titled{{"Parameters", t}}
	}
	if len(shown.Rows) > 0 {
		r.Tables = append(r.Tables, titled{"Events without a number", shown})
	}
	return recordPage(v, r), nil
}
