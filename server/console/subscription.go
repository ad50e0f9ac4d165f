package console

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// subscriptionView is a subscription with what is planned for it and what it will be billed.
type subscriptionView struct {
	visit        *visit
	Subscription gen.Subscription
	Zone         *time.Location // of the customer
	Schedule     []gen.SubscriptionScheduleEntry
	ScheduleErr  error
	Upcoming     gen.UpcomingInvoice
	UpcomingErr  error
	Invoices     []gen.InvoiceSummary
	InvoicesErr  error
}

// subscriptionPage shows a subscription.
func subscriptionPage(v *visit) (templ.Component, error) {
	id := v.param("id")
	s, err := fetch[gen.Subscription](v, "fetchSubscription", params{"subscription_id": id}, nil)
	if err != nil {
		return nil, err
	}
	view := subscriptionView{visit: v, Subscription: s, Zone: zoneOf(s.Customer.Timezone)}
	schedule, err := fetch[gen.SubscriptionSchedulePage](v, "fetchSubscriptionSchedule", params{"subscription_id": id}, nil)
	view.Schedule, view.ScheduleErr = schedule.Data, err
	view.Upcoming, view.UpcomingErr = fetch[gen.UpcomingInvoice](v, "fetchUpcomingInvoice", nil, url.Values{"subscription_id": {id}})
	invoices, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, url.Values{"subscription_id": {id}, "limit": {"10"}, "status[]": everyInvoice})
	view.Invoices, view.InvoicesErr = invoices.Data, err
	return subscriptionDetail(view), nil
}

func (s subscriptionView) head() head {
	subscription := s.Subscription
	known := []string{"subscription_id", subscription.ID}
	h := head{
		Crumbs: []crumb{{link("subscriptions"), "Subscriptions"}, {link("customers", subscription.Customer.ID), subscription.Customer.Name}},
		Title:  subscription.Name,
		Badge:  stateBadge(string(subscription.Status)),
		Meta:   []templ.Component{openPeriod(subscription.StartDate, subscription.EndDate, s.Zone), text("Days are in " + subscription.Customer.Timezone), copyable(subscription.ID)},
	}
	if subscription.EndDate != nil && !s.visit.past(subscription.EndDate) {
		h.Actions = s.visit.actions(doing{Operation: "unscheduleCancellation", Name: "Keep it", Known: known})
	} else if subscription.EndDate == nil {
		h.Actions = s.visit.actions(doing{Operation: "cancelSubscription", Name: "Cancel", Kind: "danger", Known: known})
	}
	h.Actions = append(h.Actions, s.visit.actions(
		doing{Operation: "updateSubscription", Name: "Edit", Known: known},
		doing{Operation: "changePriceIntervals", Name: "Change prices", Known: known},
		doing{Operation: "redeemCoupon", Name: "Redeem coupon", Known: known},
		doing{Operation: "schedulePlanChange", Name: "Change plan", Kind: "primary", Address: link("subscriptions", subscription.ID, "change")},
	)...)
	return h
}

func (s subscriptionView) facts() []fact {
	subscription := s.Subscription
	facts := []fact{
		{"Customer", anchor(link("customers", subscription.Customer.ID), subscription.Customer.Name)},
	}
	if plan := subscription.Plan; plan != nil {
		facts = append(facts, fact{"Plan", anchor(link("plans", plan.ID), plan.Name)})
	}
	facts = append(facts,
		fact{"Billing day", whole(subscription.BillingCycleDay)},
		fact{"Net terms", text(counted(subscription.NetTerms, "days"))},
	)
	if start, end := subscription.CurrentBillingPeriodStartDate, subscription.CurrentBillingPeriodEndDate; start != nil && end != nil {
		facts = append(facts, fact{"Current period", period(*start, *end, s.Zone)})
	}
	if subscription.TrialInfo.EndDate != nil {
		facts = append(facts, fact{"Trial ends", day(*subscription.TrialInfo.EndDate, s.Zone)})
	}
	if coupon := subscription.RedeemedCoupon; coupon != nil {
		facts = append(facts, fact{"Coupon", anchor(link("coupons", coupon.CouponID), "Redeemed")})
	}
	if subscription.InvoicingThreshold != nil {
		facts = append(facts, fact{"Invoicing threshold", number(*subscription.InvoicingThreshold)})
	}
	if subscription.DefaultInvoiceMemo != nil {
		facts = append(facts, fact{"Memo", text(*subscription.DefaultInvoiceMemo)})
	}
	return append(facts, fact{"Created", instant(subscription.CreatedAt)})
}

// intervals is the table of prices with the time in which each charges.
func (s subscriptionView) intervals() table {
	t := table{Label: "Price intervals", Columns: []column{{"Price", ""}, {"Terms", "wide"}, {"Billed", "mid"}, {"Days", ""}, {"State", ""}}}
	all := slices.Clone(s.Subscription.PriceIntervals)
	slices.SortStableFunc(all, func(a, b gen.PriceInterval) int { return strings.Compare(a.StartDate, b.StartDate) })
	for _, interval := range all {
		price := readPrice(interval.Price)
		t.Rows = append(t.Rows, []templ.Component{
			anchor(link("prices", price.ID), price.Name), text(price.summary()), text(price.every() + ", " + strings.ToLower(price.mode())),
			openPeriod(interval.StartDate, interval.EndDate, s.Zone), s.standing(interval.StartDate, interval.EndDate),
		})
	}
	return t
}

// adjustments is the table of discounts, minimums and maximums.
func (s subscriptionView) adjustments() table {
	t := table{Label: "Adjustments", Columns: []column{{"Adjustment", ""}, {"Terms", ""}, {"Days", ""}}}
	for _, interval := range s.Subscription.AdjustmentIntervals {
		terms := termsOf(interval.Adjustment)
		t.Rows = append(t.Rows, []templ.Component{
			text(form.Words(terms.at("adjustment_type").Text)), text(adjustmentTerms(terms)), openPeriod(interval.StartDate, interval.EndDate, s.Zone),
		})
	}
	return t
}

// adjustmentTerms says what an adjustment takes or adds.
func adjustmentTerms(terms term) string {
	for _, name := range []string{"percentage_discount", "amount_discount", "usage_discount", "minimum_amount", "maximum_amount", "tiers"} {
		if found := terms.at(name); !found.Null {
			return form.Words(name) + " " + found.line()
		}
	}
	return ""
}

// standing says whether an interval is past, current or still to come.
func (s subscriptionView) standing(start string, end *string) templ.Component {
	switch {
	case !s.visit.past(&start):
		return hollow("Upcoming", "info")
	case s.visit.past(end):
		return badge("Ended", "plain")
	}
	return badge("Current", "good")
}

// moment is an entry of a timeline.
type moment struct {
	At, What, Tone string
}

// timeline is what happened to the subscription and what is planned, oldest first.
func (s subscriptionView) timeline() (all []moment) {
	all = append(all, moment{s.Subscription.StartDate, "Began", "good"})
	for _, entry := range s.Schedule {
		if entry.Plan != nil && entry.Plan.Name != nil && entry.StartDate != s.Subscription.StartDate {
			all = append(all, moment{entry.StartDate, "Plan " + *entry.Plan.Name, "info"})
		}
	}
	for _, interval := range s.Subscription.PriceIntervals {
		name := readPrice(interval.Price).Name
		if interval.StartDate != s.Subscription.StartDate {
			all = append(all, moment{interval.StartDate, "Price " + name + " begins", ""})
		}
		if interval.EndDate != nil && *interval.EndDate != deref(s.Subscription.EndDate) {
			all = append(all, moment{*interval.EndDate, "Price " + name + " ends", ""})
		}
	}
	for _, quantity := range s.Subscription.FixedFeeQuantitySchedule {
		if quantity.StartDate != s.Subscription.StartDate {
			all = append(all, moment{quantity.StartDate, "Quantity becomes " + numberFigure(quantity.Quantity.String()).Text, ""})
		}
	}
	if s.Subscription.EndDate != nil {
		all = append(all, moment{*s.Subscription.EndDate, "Ends", "bad"})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return strings.Compare(a.At, b.At) })
	return slices.Compact(all)
}
