package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// versionsView is two versions of a plan side by side.
type versionsView struct {
	visit  *visit
	Plan   gen.Plan
	First  gen.PlanVersion
	Second gen.PlanVersion
	Rows   []versionRow
}

// versionRow is a price or an adjustment, as each of the versions has it.
type versionRow struct {
	Name          string
	Address       string // of its page; "" for none
	First, Second *versionCell
}

// versionCell is what a version charges by one price or adjustment.
type versionCell struct {
	Kind, How string
	Terms     []versionTerm
}

// versionTerm is a rate, with what it is for.
type versionTerm struct{ For, Rate string }

// versionsPage shows two versions of a plan side by side. The address names them.
func versionsPage(v *visit, plan gen.Plan, named string) (templ.Component, error) {
	first, second, two := strings.Cut(named, ",")
	if !two {
		return nil, &failure{Status: http.StatusNotFound}
	}
	view := versionsView{visit: v, Plan: plan}
	var err error
	if view.First, err = fetch[gen.PlanVersion](v, "fetchPlanVersion", params{"plan_id": plan.ID, "version": first}, nil); err != nil {
		return nil, err
	}
	if view.Second, err = fetch[gen.PlanVersion](v, "fetchPlanVersion", params{"plan_id": plan.ID, "version": second}, nil); err != nil {
		return nil, err
	}
	view.Rows = append(comparePrices(view.First, view.Second), compareAdjustments(view.First, view.Second)...)
	return planVersions(view), nil
}

// comparePrices sets the prices of two versions side by side: the same price, one that replaces the
// other, or one of the same name for the same item and phase.
func comparePrices(first, second gen.PlanVersion) (rows []versionRow) {
	before, after := viewsOf(first.Prices), viewsOf(second.Prices)
	partner := func(p priceView) int {
		for _, same := range []func(priceView) bool{
			func(q priceView) bool { return q.ID == p.ID },
			func(q priceView) bool { return deref(q.ReplacesPriceID) == p.ID || deref(p.ReplacesPriceID) == q.ID },
			func(q priceView) bool {
				return q.Name == p.Name && q.Item.ID == p.Item.ID && samePhase(q.PlanPhaseOrder, p.PlanPhaseOrder)
			},
		} {
			if i := slices.IndexFunc(after, same); i >= 0 {
				return i
			}
		}
		return -1
	}
	for _, p := range before {
		row := versionRow{Name: p.Name, Address: link("prices", p.ID), First: p.cell()}
		if i := partner(p); i >= 0 {
			row.Second = after[i].cell()
			after = slices.Delete(after, i, i+1)
		}
		rows = append(rows, row)
	}
	for _, p := range after {
		rows = append(rows, versionRow{Name: p.Name, Address: link("prices", p.ID), Second: p.cell()})
	}
	return rows
}

func viewsOf(prices []gen.Price) (views []priceView) {
	for _, price := range prices {
		views = append(views, readPrice(price))
	}
	return views
}

func samePhase(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// cell is the price as a version shows it.
func (p priceView) cell() *versionCell {
	c := &versionCell{Kind: form.Words(p.Model), How: strings.ToLower(p.every() + ", " + p.mode())}
	if p.PlanPhaseOrder != nil {
		c.How += ", phase " + strconv.Itoa(*p.PlanPhaseOrder)
	}
	if p.FixedPriceQuantity != nil {
		c.Terms = append(c.Terms, versionTerm{"quantity", numberFigure(p.FixedPriceQuantity.String()).Text})
	}
	c.Terms = append(c.Terms, p.Terms.listed()...)
	return c
}

// listed are the members of terms, with a line for each row of a list.
func (t term) listed() (all []versionTerm) {
	for _, e := range t.given() {
		if !e.rows() {
			all = append(all, versionTerm{strings.ToLower(form.Words(e.Name)), e.line()})
			continue
		}
		for _, row := range e.Entries {
			if row.at("first_unit").Null && row.at("unit_amount").Null {
				all = append(all, versionTerm{strings.ToLower(form.Words(form.Singular(e.Name))), row.line()})
				continue
			}
			all = append(all, versionTerm{row.span(), numberFigure(row.at("unit_amount").Text).Text})
		}
	}
	return all
}

// span is which units a tier is for.
func (t term) span() string {
	first, last := t.at("first_unit"), t.at("last_unit")
	if last.Null {
		last = t.at("maximum_units")
	}
	switch {
	case first.Null && last.Null:
		return "each"
	case first.Null:
		return "up to " + last.line()
	case last.Null:
		return "from " + first.line()
	}
	return first.line() + " – " + last.line()
}

// compareAdjustments sets the adjustments of two versions side by side, by their ids or what they are.
func compareAdjustments(first, second gen.PlanVersion) (rows []versionRow) {
	after := make([]term, 0, len(second.Adjustments))
	for _, a := range second.Adjustments {
		after = append(after, termsOf(a))
	}
	for _, a := range first.Adjustments {
		was := termsOf(a)
		row := versionRow{Name: form.Words(was.at("adjustment_type").Text), First: was.adjustment()}
		i := slices.IndexFunc(after, func(b term) bool { return b.at("id").Text == was.at("id").Text })
		if i < 0 {
			i = slices.IndexFunc(after, func(b term) bool {
				return b.at("replaces_adjustment_id").Text == was.at("id").Text || b.at("adjustment_type").Text == was.at("adjustment_type").Text
			})
		}
		if i >= 0 {
			row.Second = after[i].adjustment()
			after = slices.Delete(after, i, i+1)
		}
		rows = append(rows, row)
	}
	for _, a := range after {
		rows = append(rows, versionRow{Name: form.Words(a.at("adjustment_type").Text), Second: a.adjustment()})
	}
	return rows
}

// adjustment is an adjustment as a version shows it.
func (t term) adjustment() *versionCell {
	c := &versionCell{Kind: "Adjustment"}
	if order := t.at("plan_phase_order"); !order.Null {
		c.How = "phase " + order.Text
	}
	if terms := adjustmentTerms(t); terms != "" {
		c.Terms = []versionTerm{{"", terms}}
	}
	return c
}

// change says in a word how the second version differs.
func (r versionRow) change() string {
	switch {
	case r.First == nil:
		return "added"
	case r.Second == nil:
		return "removed"
	case r.First.Kind != r.Second.Kind || r.First.How != r.Second.How || !slices.Equal(r.First.Terms, r.Second.Terms):
		return "changed"
	}
	return "the same"
}

// counts says how many rows changed, and how.
func (v versionsView) counts() string {
	counts := map[string]int{}
	for _, row := range v.Rows {
		counts[row.change()]++
	}
	var parts []string
	for _, change := range []string{"added", "removed", "changed", "the same"} {
		if n := counts[change]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+change)
		}
	}
	return strings.Join(parts, ", ")
}

// mostPairs is how many pairs of versions a plan leads to.
const mostPairs = 10

// pairs are the versions of a plan with the one before each, the newest first.
func (v *visit) pairs(planID string) (list []choice, err error) {
	var numbers []int
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		numbers, err = catalog.VersionNumbers(tx, planID, mostPairs+1)
		return err
	})
	for i := range max(0, len(numbers)-1) {
		list = append(list, choice{Address: versionsAddress(planID, numbers[i+1], numbers[i]), Name: strconv.Itoa(numbers[i+1]) + " and " + strconv.Itoa(numbers[i])})
	}
	return list, err
}

// versionsAddress is that of two versions side by side.
func versionsAddress(planID string, first, second int) string {
	return link("plans", planID) + "?versions=" + strconv.Itoa(first) + "," + strconv.Itoa(second)
}
