package console

import (
	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// plansPage lists plans, the newest first.
func plansPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.PlanPage](v, "listPlans", nil, v.filters("status"))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Plans", Links: true, Columns: []column{{"Plan", ""}, {"Status", ""}, {"Version", "num mid"}, {"Prices", "num"}, {"Currency", "wide"}, {"Created", "mid"}}}
	for _, p := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("plans", p.ID), p.Name, deref(p.ExternalPlanID)), stateBadge(string(p.Status)), whole(p.Version), whole(len(p.Prices)), text(p.Currency), instant(p.CreatedAt),
		})
	}
	create := doing{Operation: "createPlan", Name: "New plan", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:    head{Title: "Plans", Lead: "Sets of prices that customers subscribe to.", Actions: v.actions(create)},
		Filters: v.choices("status", "All", "active", "draft", "archived"),
		Table:   t,
		Pager:   v.pager("plans", len(page.Data), page.PaginationMetadata.NextCursor),
		Narrow:  v.filtered(), All: link("plans"),
		Empty: empty{Icon: "box", Title: "No plans yet", Text: "A plan is a set of prices. A customer is billed by it once it has a subscription.", Action: v.first(create)},
	}), nil
}
