package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// planPage shows a plan with its prices, phases, adjustments and the version that is asked for.
func planPage(v *visit) (templ.Component, error) {
	id := v.param("id")
	p, err := fetch[gen.Plan](v, "fetchPlan", params{"plan_id": id}, nil)
	if err != nil {
		return nil, err
	}
	if named := v.query("versions"); named != "" {
		return versionsPage(v, p, named)
	}
	prices, adjustments, shown := p.Prices, p.Adjustments, p.Version
	if asked := v.query("version"); asked != "" {
		version, err := fetch[gen.PlanVersion](v, "fetchPlanVersion", params{"plan_id": id, "version": asked}, nil)
		if err != nil {
			return nil, err
		}
		prices, adjustments, shown = version.Prices, version.Adjustments, version.Version
	}
	known := []string{"plan_id", p.ID}
	h := head{
		Crumbs: []crumb{{link("plans"), "Plans"}},
		Title:  p.Name,
		Badge:  stateBadge(string(p.Status)),
		Meta:   []templ.Component{text("Version " + strconv.Itoa(shown)), copyable(p.ID)},
		Actions: v.actions(
			doing{Operation: "setDefaultPlanVersion", Name: "Set default version", Known: known},
			doing{Operation: "createPlanAlert", Name: "New alert", Known: known},
			doing{Operation: "updatePlan", Name: "Edit", Known: known},
			doing{Operation: "createPlanVersion", Name: "New version", Known: known},
			doing{Operation: "createSubscription", Name: "Subscribe a customer", Kind: "primary", Known: known},
		),
	}
	if v.may("simulatePlan") {
		h.Actions = append([]action{{Address: link("plans", p.ID, "simulate"), Name: "Simulate"}}, h.Actions...)
	}
	facts := []fact{
		{"Alias", text(deref(p.ExternalPlanID))},
		{"Description", text(deref(p.Description))},
		{"Currency", text(p.Currency)},
		{"Invoices in", text(p.InvoicingCurrency)},
		{"Net terms", optionalWhole(p.NetTerms)},
		{"Default version", versionLink(p, p.Version)},
		{"Subscriptions", anchor(link("subscriptions")+"?plan_id="+p.ID, "Show")},
		{"Created", instant(p.CreatedAt)},
	}
	if p.TrialConfig.TrialPeriod != nil {
		facts = append(facts, fact{"Trial", text(counted(*p.TrialConfig.TrialPeriod, string(p.TrialConfig.TrialPeriodUnit)))})
	}
	pairs, err := v.pairs(p.ID)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		facts = append(facts, fact{"Side by side", anchor(pair.Address, "Versions "+pair.Name)})
	}
	r := record{Head: h, Title: "Plan", Facts: facts, Metadata: p.Metadata}
	r.Tables = append(r.Tables, titled{"Prices", planPrices(prices, p.PlanPhases)})
	if len(p.PlanPhases) > 0 {
		r.Tables = append(r.Tables, titled{"Phases", phaseTable(p.PlanPhases)})
	}
	if len(adjustments) > 0 {
		r.Tables = append(r.Tables, titled{"Adjustments", planAdjustments(adjustments)})
	}
	if migrations, err := fetch[gen.PlanMigrationPage](v, "listPlanMigrations", params{"plan_id": id}, nil); err == nil && len(migrations.Data) > 0 {
		r.Tables = append(r.Tables, titled{"Moves between versions", migrationTable(v, migrations.Data)})
	}
	return recordPage(v, r), nil
}

func versionLink(p gen.Plan, version int) templ.Component {
	return anchor(link("plans", p.ID)+"?version="+strconv.Itoa(version), strconv.Itoa(version))
}

// planPrices shows the prices of a plan, by its phases where it has any.
func planPrices(prices []gen.Price, phases []gen.PlanPhase) table {
	t := priceTable(prices, false)
	if len(phases) == 0 {
		return t
	}
	t.Columns = slices.Insert(t.Columns, 1, column{"Phase", ""})
	names := map[int]string{}
	for _, phase := range phases {
		names[phase.Order] = phase.Name
	}
	for i, price := range prices {
		phase := ""
		if order := readPrice(price).PlanPhaseOrder; order != nil {
			phase = names[*order]
		}
		t.Rows[i] = slices.Insert(t.Rows[i], 1, text(phase))
	}
	return t
}

// phaseTable shows the phases in their order.
func phaseTable(phases []gen.PlanPhase) table {
	phases = slices.Clone(phases)
	slices.SortFunc(phases, func(a, b gen.PlanPhase) int { return cmp.Compare(a.Order, b.Order) })
	t := table{Label: "Phases", Columns: []column{{"Order", "num"}, {"Phase", ""}, {"Length", ""}}}
	for _, phase := range phases {
		length := "to the end"
		if phase.Duration != nil && phase.DurationUnit != nil {
			length = strconv.Itoa(*phase.Duration) + " " + strings.ReplaceAll(string(*phase.DurationUnit), "_", " ")
		}
		t.Rows = append(t.Rows, []templ.Component{whole(phase.Order), text(phase.Name), text(length)})
	}
	return t
}

func planAdjustments(all []gen.PlanPhaseAdjustment) table {
	t := table{Label: "Adjustments", Columns: []column{{"Adjustment", ""}, {"Terms", ""}}}
	for _, a := range all {
		terms := termsOf(a)
		t.Rows = append(t.Rows, []templ.Component{text(form.Words(terms.at("adjustment_type").Text)), text(adjustmentTerms(terms))})
	}
	return t
}

func migrationTable(v *visit, all []gen.PlanMigration) table {
	t := table{Label: "Moves between versions", Columns: []column{{"Move", ""}, {"State", ""}, {"When", ""}, {"", ""}}}
	for _, m := range all {
		var cancel templ.Component = templ.NopComponent
		if found := v.actions(doing{Operation: "cancelPlanMigration", Name: "Cancel", Kind: "danger", Known: []string{"plan_id", m.PlanID, "migration_id", m.ID}}); len(found) > 0 && m.Status != "completed" && m.Status != "canceled" {
			cancel = smallButton(found[0])
		}
		t.Rows = append(t.Rows, []templ.Component{mono(m.ID), stateBadge(string(m.Status)), text(deref(m.EffectiveTime)), cancel})
	}
	return t
}
