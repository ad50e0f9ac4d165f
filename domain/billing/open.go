package billing

import (
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/license"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// A new subscription opens the invoices of all billing dates that have come by then, in one
// request. These bound what that costs.
const (
	mostOpened  = 366    // billing dates: a year of days, or 30 years of months
	mostCharged = 10_000 // service periods on all these dates together
)

// Subscribe creates a subscription, opens every invoice that would exist by
// now, and issues those that are past their grace period (semantics 6.1.4). It
// returns the invoices that were created. A start so far back that they would be
// more than one request can make is a fault, before any is made.
func Subscribe(tx *store.Tx, in subscription.NewSubscription) (_ subscription.Terms, _ []invoice.View, err error) {
	defer fault.Doing(&err, "create a subscription")
	terms, err := subscription.Create(tx, in)
	if err != nil {
		return terms, nil, err
	}
	if err := checkStart(terms, tx.Now); err != nil {
		return terms, nil, err
	}
	if err := grantCredits(tx, &terms); err != nil {
		return terms, nil, err
	}
	if err := license.SyncGrants(tx, &terms); err != nil {
		return terms, nil, err
	}
	for opened := 0; terms.NextBillingAt != nil && !terms.NextBillingAt.After(tx.Now); opened++ {
		if opened == mostOpened {
			return terms, nil, fault.Bad("start_date", "must not lie more than %d billing dates back", mostOpened)
		}
		if err := open(tx, &terms); err != nil {
			return terms, nil, err
		}
	}
	if err := issueDue(tx, terms.ID); err != nil {
		return terms, nil, err
	}
	// The end of a trial is announced, and the end of an allocation may refund a part of its fee.
	if next, more := terms.NextChange(tx.Now); more && (terms.TrialEndsAfter(tx.Now) || terms.GrantsCredits()) {
		if err := terms.SetNextChange(tx, &next); err != nil {
			return terms, nil, err
		}
	}
	if err := alert.ScheduleEvaluation(tx, terms.ID); err != nil {
		return terms, nil, err
	}
	created, err := invoice.OfSubscription(tx, terms.ID)
	return terms, created, err
}

// checkStart counts what Subscribe would open for terms by an instant, inclusive, and refuses
// more than one request can make. It reads nothing.
func checkStart(t subscription.Terms, by time.Time) error {
	if t.NextBillingAt == nil {
		return nil
	}
	dates, charged := 0, 0
	for date, more := *t.NextBillingAt, true; more && !date.After(by); date, more = t.NextBilling(date) {
		if dates++; dates > mostOpened {
			return fault.Bad("start_date", "must not lie more than %d billing dates back", mostOpened)
		}
		if charged += len(t.BilledOn(date)); charged > mostCharged {
			return fault.Bad("start_date", "must not lie so far back that more than %d service periods would be invoiced", mostCharged)
		}
	}
	return nil
}

// NextOpening returns the earliest instant, at or before by, at which invoices
// are to be opened.
func NextOpening(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next invoice to open")
	return subscription.NextOpening(tx, by)
}

// OpenNext opens the invoices of the subscription whose billing date came
// first. It reports false when none has come.
func OpenNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "open the invoices that are due")
	terms, found, err := subscription.LockOpening(tx)
	if err != nil || !found {
		return false, err
	}
	return true, open(tx, &terms)
}

// OpenSeveral is OpenNext for up to most subscriptions that are due at the same instant. What they have in
// common is read once. It stops between two subscriptions when over says that the time is up, and returns how
// many it did. If one subscription cannot be billed, all fail: the caller then opens them one by one.
func OpenSeveral(tx *store.Tx, most int, over func() bool) (done int, err error) {
	defer fault.Doing(&err, "open the invoices of several subscriptions")
	all, err := subscription.LockOpenings(tx, most)
	if err != nil {
		return 0, err
	}
	var openings []opening
	for k := range all {
		if k > 0 && over() {
			all = all[:k]
			break
		}
		openings = append(openings, openingsOf(all[k], datesToOpen(all[k])...)...)
	}
	if err := openAll(tx, openings...); err != nil {
		return 0, err
	}
	next, customers := make([]*time.Time, len(all)), make([]string, len(all))
	for k := range all {
		customers[k] = all[k].CustomerID
		if next[k], err = opened(tx, &all[k]); err != nil {
			return 0, err
		}
	}
	if err := subscription.Accrued(tx, customers); err != nil {
		return 0, err
	}
	return len(all), subscription.SetNextBillings(tx, all, next)
}

// open opens the invoice of the subscription's next billing date, unless it is
// there as a draft or charges nothing, and the draft of the date after it.
func open(tx *store.Tx, t *subscription.Terms) error {
	if err := openDates(tx, *t, datesToOpen(*t)...); err != nil {
		return err
	}
	if err := t.Accrue(tx); err != nil {
		return err
	}
	next, err := opened(tx, t)
	if err != nil {
		return err
	}
	return t.SetNextBilling(tx, next)
}

// datesToOpen are the subscription's next billing date, and the one after it if there is one.
func datesToOpen(t subscription.Terms) []time.Time {
	dates := []time.Time{*t.NextBillingAt}
	if next, more := t.NextBilling(dates[0]); more {
		dates = append(dates, next)
	}
	return dates
}

// opened ends the opening of a billing date, but for the next one, which it returns; nil: there is none.
func opened(tx *store.Tx, t *subscription.Terms) (next *time.Time, err error) {
	date, more := t.NextBilling(*t.NextBillingAt)
	if !more {
		return nil, nil
	}
	return &date, invoice.ExpectInvoices(tx, *t, date)
}

// openDates opens the invoices of dates: one for each plan that is billed.
func openDates(tx *store.Tx, t subscription.Terms, dates ...time.Time) error {
	return openAll(tx, openingsOf(t, dates...)...)
}

func openingsOf(t subscription.Terms, dates ...time.Time) (all []opening) {
	for _, date := range dates {
		for _, services := range byPlan(t.BilledOn(date)) {
			all = append(all, opening{Terms: t, Date: date, Services: services})
		}
	}
	return all
}

// byPlan parts services by their plans: an invoice is for one (semantics 6.2.2).
func byPlan(services []subscription.ServicePeriod) (parts [][]subscription.ServicePeriod) {
	at := map[string]int{}
	for _, s := range services {
		k, known := at[s.Interval.PlanID]
		if !known {
			k = len(parts)
			at[s.Interval.PlanID] = k
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], s)
	}
	return parts
}

// opening is an invoice that is to be opened: for services of one plan that are billed on
// a date.
type opening struct {
	Terms    subscription.Terms
	Date     time.Time
	Services []subscription.ServicePeriod
	OfChange bool // it is beside the one of the date
}

// openAll opens invoices, but for those that are there and those that charge nothing.
func openAll(tx *store.Tx, openings ...opening) error {
	var asked []usage.Request // now and until they are issued
	var rows []invoice.Invoice
	var customers []string
	for _, o := range openings {
		t := o.Terms
		if !slices.ContainsFunc(o.Services, makesInvoice) {
			continue
		}
		for _, s := range o.Services {
			asked = append(asked, charge.UsageRequests(s)...)
		}
		customers = append(customers, t.CustomerID)
		rows = append(rows, invoice.Invoice{
			Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: &t.ID, PlanID: &o.Services[0].Interval.PlanID,
			Source: invoice.SourceSubscription, Status: invoice.StatusDraft, Currency: t.Currency,
			InvoiceDate: o.Date, HasUsage: HasUsage(o.Services), OfChange: o.OfChange,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := usage.TrackMetrics(tx, asked); err != nil {
		return err
	}
	if err := invoice.TakeOverExpected(tx, rows); err != nil {
		return err
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error; err != nil {
		return err
	}
	return credit.Wake(tx, customers)
}

// makesInvoice reports whether a service is worth an invoice by itself: credits that are
// granted for nothing are on one that there is anyhow (semantics 11.2.5).
func makesInvoice(s subscription.ServicePeriod) bool {
	if s.Interval.Price.Allocation == nil {
		return true
	}
	if s.Quantity.IsZero() { // it took the place of one that granted as much
		return false
	}
	unit, flat := s.Interval.Price.Model().(rating.Unit)
	return !flat || !unit.UnitAmount.IsZero()
}

// HasUsage reports whether one of the service periods is charged by usage.
func HasUsage(services []subscription.ServicePeriod) bool {
	return slices.ContainsFunc(services, func(s subscription.ServicePeriod) bool { return !s.Interval.Price.Fixed() })
}
