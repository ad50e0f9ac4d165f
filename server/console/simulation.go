package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/catalog"
	days "tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// simulationView is what the customers of a plan would pay under another version of it.
type simulationView struct {
	visit    *visit
	Plan     gen.Plan
	Versions []int // the newest first
	Version  string
	Start    string
	End      string
	Customer string // id or alias; "" for all
	Result   *gen.PlanSimulation
	Failed   string
	Problems []violation
}

// mostVersions is how many versions of a plan can be chosen from.
const mostVersions = 100

// simulationPage asks for the other terms, and shows both results.
func simulationPage(v *visit) (templ.Component, error) {
	if !v.may("simulatePlan") {
		return nil, &failure{Status: http.StatusForbidden}
	}
	plan, err := fetch[gen.Plan](v, "fetchPlan", params{"plan_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	s := simulationView{visit: v, Plan: plan, Version: v.query("version"), Start: v.query("start_date"), End: v.query("end_date"), Customer: v.query("customer")}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		s.Versions, err = catalog.VersionNumbers(tx, plan.ID, mostVersions)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Start == "" && s.End == "" {
		today := days.DateOf(v.now, v.zone())
		s.Start, s.End, s.Version = today.AddDays(-31).String(), today.AddDays(1).String(), strconv.Itoa(plan.Version)
		return simulationForm(s), nil
	}
	return s.simulated()
}

// simulated is the page with both results.
func (s simulationView) simulated() (templ.Component, error) {
	asked := map[string]any{"start_date": s.Start, "end_date": s.End, "plan_version_number": s.Version}
	if n, err := strconv.Atoi(s.Version); err == nil {
		asked["plan_version_number"] = n
	}
	switch {
	case strings.HasPrefix(s.Customer, "cus_"):
		asked["customer_id"] = s.Customer
	case s.Customer != "":
		asked["external_customer_id"] = s.Customer
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	query := url.Values{"limit": {pageSize}}
	if cursor := s.visit.query("cursor"); cursor != "" {
		query.Set("cursor", cursor)
	}
	answer, err := s.visit.ask(request{Operation: "simulatePlan", Path: params{"plan_id": s.Plan.ID}, Query: query, Body: body})
	if err != nil {
		return s.refused(err)
	}
	s.Result = new(gen.PlanSimulation)
	return simulationForm(s), json.Unmarshal(answer, s.Result)
}

// refused is the page with what the API found wrong.
func (s simulationView) refused(err error) (templ.Component, error) {
	if statusOf(err) >= http.StatusInternalServerError {
		return nil, err
	}
	s.Failed = problemText(err)
	fields := map[string]violation{
		"start_date": {Field: "start_date", Label: "From"}, "end_date": {Field: "end_date", Label: "Until"},
		"plan_version_number": {Field: "version", Label: "Version"},
		"customer_id":         {Field: "customer", Label: "Customer"}, "external_customer_id": {Field: "customer", Label: "Customer"},
	}
	for _, found := range violationsOf(err) {
		place, reason, _ := strings.Cut(found, ": ")
		at := fields[place]
		at.Text = asSentence(reason)
		s.Problems = append(s.Problems, at)
	}
	return withStatus{simulationForm(s), statusOf(err)}, nil
}

// problem is what is wrong with a field, "" for nothing.
func (s simulationView) problem(field string) string {
	for _, found := range s.Problems {
		if found.Field == field {
			return found.Text
		}
	}
	return ""
}

// totals are the sums of the page, by currency.
func (s simulationView) totals() table {
	t := table{Label: "Totals", Columns: []column{{"Currency", ""}, {"As it is", "num"}, {"Simulated", "num"}}}
	for _, sum := range s.Result.Totals {
		t.Rows = append(t.Rows, []templ.Component{text(sum.Currency), amount(sum.Present.Total, sum.Currency), amount(sum.Simulated.Total, sum.Currency)})
	}
	return t
}

// rows are the billing periods of the subscriptions.
func (s simulationView) rows() table {
	t := table{Label: "Subscriptions", Links: true, Columns: []column{{"Customer", ""}, {"Billing period", ""}, {"Currency", "mid"}, {"As it is", "num"}, {"Simulated", "num"}}}
	for _, sub := range s.Result.Data {
		for _, p := range sub.Periods {
			t.Rows = append(t.Rows, []templ.Component{
				rowLink(link("subscriptions", sub.SubscriptionID), sub.CustomerName, "Version "+strconv.Itoa(sub.PlanVersionNumber)),
				period(p.TimeframeStart, p.TimeframeEnd, zoneOf(sub.Timezone)), text(p.Currency), amount(p.Present.Total, p.Currency), amount(p.Simulated.Total, p.Currency),
			})
		}
	}
	return t
}
