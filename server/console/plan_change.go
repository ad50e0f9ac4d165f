package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// planChangeView is the page on which a subscription gets another plan: what is asked for, and
// what that would bill.
type planChangeView struct {
	visit        *visit
	Subscription gen.Subscription
	Zone         *time.Location // of the customer
	Plans        []gen.Plan
	Plan         string // id of the one that was chosen
	Version      string // "" for the default one
	When         string // a change_option
	Date         string
	Once         string // idempotency key: sending the form twice changes once
	Previewed    bool
	Preview      gen.PlanChangePreview
	Failed       string
	Problems     []violation
}

// planChangePage asks for the new plan, and shows what the change would bill.
func planChangePage(v *visit) (templ.Component, error) {
	view, err := loadPlanChange(v)
	if err != nil {
		return nil, err
	}
	view.Plan, view.Version, view.When, view.Date = v.query("plan_id"), v.query("version"), v.query("change_option"), v.query("change_date")
	view.Once = store.NewID("form")
	if view.When == "" {
		view.When = "immediate"
	}
	if view.Plan == "" {
		return planChangeForm(view), nil
	}
	body, err := view.body()
	if err != nil {
		return nil, err
	}
	answer, err := v.ask(request{Operation: "previewPlanChange", Path: params{"subscription_id": view.Subscription.ID}, Body: body})
	if err != nil {
		return view.refused(err)
	}
	view.Previewed = true
	if err := json.Unmarshal(answer, &view.Preview); err != nil {
		return nil, err
	}
	return planChangeForm(view), nil
}

// loadPlanChange reads the subscription that the address names, and the plans that it may get.
func loadPlanChange(v *visit) (view planChangeView, err error) {
	view.visit = v
	if !v.may("schedulePlanChange") {
		return view, &failure{Status: http.StatusForbidden}
	}
	view.Subscription, err = fetch[gen.Subscription](v, "fetchSubscription", params{"subscription_id": v.param("id")}, nil)
	if err != nil {
		return view, err
	}
	view.Zone = zoneOf(view.Subscription.Customer.Timezone)
	view.Plans, err = activePlans(v)
	return view, err
}

// Bounds of the plans that are offered. A page of long ones has fewer than it might.
const (
	mostPlans     = 100
	mostPlanPages = 10
)

// activePlans are the newest plans that can be subscribed to.
func activePlans(v *visit) (plans []gen.Plan, err error) {
	query := url.Values{"limit": {strconv.Itoa(mostPlans)}, "status": {"active"}}
	for range mostPlanPages {
		page, err := fetch[gen.PlanPage](v, "listPlans", nil, query)
		if err != nil {
			return nil, err
		}
		plans = append(plans, page.Data...)
		next := page.PaginationMetadata.NextCursor
		if next == nil || len(plans) >= mostPlans {
			break
		}
		query.Set("cursor", *next)
	}
	return plans, nil
}

// body is the change that the form asks for.
func (p planChangeView) body() ([]byte, error) {
	asked := map[string]any{"plan_id": p.Plan, "change_option": p.When}
	if p.Version != "" {
		asked["plan_version_number"] = p.Version // what is no number is refused by the API
		if n, err := strconv.Atoi(p.Version); err == nil {
			asked["plan_version_number"] = n
		}
	}
	if p.When == "requested_date" && p.Date != "" {
		asked["change_date"] = p.Date
	}
	return json.Marshal(asked)
}

// submitPlanChange makes the change that was previewed.
func submitPlanChange(v *visit) (templ.Component, error) {
	view, err := loadPlanChange(v)
	if err != nil {
		return nil, err
	}
	form := v.echo.FormValue
	view.Plan, view.Version, view.When, view.Date, view.Once = form("plan_id"), form("version"), form("change_option"), form("change_date"), form("once")
	body, err := view.body()
	if err != nil {
		return nil, err
	}
	_, err = v.ask(request{
		Operation: "schedulePlanChange", Path: params{"subscription_id": view.Subscription.ID},
		Header: http.Header{"Idempotency-Key": {view.Once}}, Body: body,
	})
	if err != nil {
		return view.refused(err)
	}
	return leadTo(link("subscriptions", view.Subscription.ID) + "?done=schedulePlanChange"), nil
}

// refused is the page with what the API found wrong.
func (p planChangeView) refused(err error) (templ.Component, error) {
	if statusOf(err) >= http.StatusInternalServerError {
		return nil, err
	}
	p.Failed = problemText(err)
	fields := map[string]violation{
		"plan_id": {Field: "plan_id", Label: "New plan"}, "plan_version_number": {Field: "version", Label: "Version"},
		"change_option": {Field: "change_option", Label: "When"}, "change_date": {Field: "change_date", Label: "Day"},
	}
	for _, text := range violationsOf(err) {
		place, reason, _ := strings.Cut(text, ": ")
		if at, ok := fields[place]; ok {
			at.Text = asSentence(reason)
			p.Problems = append(p.Problems, at)
		} else {
			p.Problems = append(p.Problems, violation{Text: asSentence(text)})
		}
	}
	return withStatus{planChangeForm(p), statusOf(err)}, nil
}

// problem is what is wrong with a field, "" for nothing.
func (p planChangeView) problem(field string) string {
	for _, found := range p.Problems {
		if found.Field == field {
			return found.Text
		}
	}
	return ""
}

// lead says what the subscription has now.
func (p planChangeView) lead() string {
	s := p.Subscription
	text := s.Customer.Name + ", on no plan now."
	if s.Plan != nil {
		text = s.Customer.Name + ", on " + s.Plan.Name + "."
	}
	if s.CurrentBillingPeriodEndDate != nil {
		if at, ok := parseInstant(*s.CurrentBillingPeriodEndDate); ok {
			text += " The current period ends before " + dayText(at.In(p.Zone)) + "."
		}
	}
	return text
}

// whens are the ways to say when, each with what it means.
func (p planChangeView) whens() []option {
	return []option{
		{Value: "immediate", Text: "Now. What is left of fees that were paid in advance is credited, and the new fees are charged for the rest of their period."},
		{Value: "end_of_subscription_term", Text: "When the current term ends. Nothing is prorated."},
		{Value: "requested_date", Text: "On another day. In the days before it, everything stays as it is."},
	}
}

// previewedDocument is an invoice or a credit note of the preview.
type previewedDocument struct {
	Title string
	Table table
}

// changes are the documents that the change would make and void at once.
func (p planChangeView) changes() (all []previewedDocument) {
	changed := p.Preview.ChangedResources
	for _, i := range changed.CreatedInvoices {
		all = append(all, previewedDocument{"Would be made: " + p.nameOf(i.Status, i.InvoiceDate), lineTable(i.LineItems, i.Currency, p.Zone, "", i.Total)})
	}
	for _, i := range changed.VoidedInvoices {
		all = append(all, previewedDocument{"Would be voided: " + p.nameOf(i.Status, i.InvoiceDate), lineTable(i.LineItems, i.Currency, p.Zone, "", i.Total)})
	}
	for _, n := range changed.CreatedCreditNotes {
		all = append(all, previewedDocument{"Would be credited", noteLines(n, p.Zone)})
	}
	for _, n := range changed.VoidedCreditNotes {
		all = append(all, previewedDocument{"Credit note that would be voided: " + n.CreditNoteNumber, noteLines(n, p.Zone)})
	}
	return all
}

// nameOf names an invoice by its state and its date, since one that is taken back has no number.
func (p planChangeView) nameOf(status gen.InvoiceStatus, date string) string {
	name := strings.ToLower(form.Words(string(status))) + " invoice"
	if at, ok := parseInstant(date); ok {
		name += " of " + dayText(at.In(p.Zone))
	}
	return name
}

// drafts are the tables of drafts before and after the change.
func (p planChangeView) drafts(all []gen.Invoice) (shown []previewedDocument) {
	for _, i := range all {
		shown = append(shown, previewedDocument{asSentence(p.nameOf(i.Status, i.InvoiceDate)) + ", so far", lineTable(i.LineItems, i.Currency, p.Zone, "", i.Total)})
	}
	return shown
}
