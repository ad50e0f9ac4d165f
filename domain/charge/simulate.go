package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Simulation asks what the usage of the subscriptions of a plan would cost under other terms: a version of
// the plan, or what a difference makes of its highest one.
type Simulation struct {
	PlanID                         string
	CustomerID, ExternalCustomerID *string // at most one of them; neither: all customers of the plan

	Start, End period.Date // the billing periods that begin on these days of the customer; End is exclusive

	Version    *int                // of the plan; nil without a difference: its default version
	Difference *catalog.Difference // that is tried; nil: none

	InvoicesOf InvoicesOf // invoice.InvoicesBeside
}

// Simulated is a subscription of the plan with its costs by billing period, as [Costs] returns them. Both
// lists have the same windows and currencies.
type Simulated struct {
	Terms      subscription.Terms
	Present    []Cost // under the terms that it has
	Simulation []Cost // under the others
}

// longestSimulation is the most days that a simulation may ask about.
const longestSimulation = 100

func (s Simulation) check() error {
	var faults []error
	switch days := s.End.Since(s.Start); {
	case days <= 0:
		faults = append(faults, fault.Bad("end_date", "must be after start_date"))
	case days > longestSimulation:
		faults = append(faults, fault.Bad("end_date", "must be at most %d days after start_date", longestSimulation))
	}
	if s.CustomerID != nil && s.ExternalCustomerID != nil {
		faults = append(faults, fault.Bad("customer_id", "must not be given with external_customer_id"))
	}
	if s.Version != nil && s.Difference != nil {
		faults = append(faults, fault.Bad("plan_version_number", "must not be given with changes of the highest version"))
	}
	return fault.Join(faults...)
}

// Simulate returns a page of the subscriptions that are on the plan in the timeframe, newest first. Their usage
// is read from events, and is priced as for invoices. Nothing is stored: a difference is tried in the
// transaction, which must be able to write, and undone.
func Simulate(tx *store.Tx, s Simulation, page store.Page) (all []Simulated, next string, err error) {
	defer fault.Doing(&err, "simulate plan %s", s.PlanID)
	if err := s.check(); err != nil {
		return nil, "", err
	}
	plan, err := catalog.FindPlan(tx, s.PlanID)
	if err != nil {
		return nil, "", err
	}
	customerID, err := s.customer(tx)
	if err != nil {
		return nil, "", err
	}
	to, err := s.version(tx, plan)
	if err != nil {
		return nil, "", err
	}
	// A local day begins at most a day before or after that of UTC.
	about := period.Period{Start: s.Start.AddDays(-1).In(time.UTC), End: s.End.AddDays(1).In(time.UTC)}
	terms, next, err := subscription.OnPlan(tx, plan.ID, customerID, about, page)
	if err != nil {
		return nil, "", err
	}
	other, err := otherVersion(tx, to, terms)
	if err != nil {
		return nil, "", err
	}
	for _, t := range terms {
		simulated := Simulated{Terms: t}
		instead := t.OnVersion(other)
		for _, whole := range s.periods(t, tx.Now) {
			for _, currency := range currenciesOf(whole, t, instead) {
				present, err := costOf(tx, t, currency, whole, s.InvoicesOf)
				if err != nil {
					return nil, "", err
				}
				tried, err := costOf(tx, instead, currency, whole, s.InvoicesOf.withoutPartial)
				if err != nil {
					return nil, "", err
				}
				simulated.Present, simulated.Simulation = append(simulated.Present, present), append(simulated.Simulation, tried)
			}
		}
		all = append(all, simulated)
	}
	return all, next, nil
}

// customer is the id of the customer that is asked about, "" for all.
func (s Simulation) customer(tx *store.Tx) (string, error) {
	if s.CustomerID == nil && s.ExternalCustomerID == nil {
		return "", nil
	}
	buyer, err := Evaluation{CustomerID: s.CustomerID, ExternalCustomerID: s.ExternalCustomerID}.customer(tx)
	return buyer.ID, err
}

// version is the one that is tried.
func (s Simulation) version(tx *store.Tx, plan catalog.Plan) (catalog.PlanVersion, error) {
	if s.Difference != nil {
		return catalog.TryVersion(tx, plan.ID, *s.Difference)
	}
	number := plan.Version
	if s.Version != nil {
		number = *s.Version
	}
	version, err := catalog.FindVersion(tx, plan.ID, number)
	if fault.Is(err, fault.KindMissing) {
		err = fault.NotPartOf("plan_version_number", "must be a version of the plan")
	}
	return version, err
}

// otherVersion reads what the version takes the place of on subscriptions.
func otherVersion(tx *store.Tx, to catalog.PlanVersion, terms []subscription.Terms) (other subscription.OtherVersion, err error) {
	var ids []string
	for _, price := range to.Prices {
		if price.MetricID != nil {
			ids = append(ids, *price.MetricID)
		}
	}
	other = subscription.OtherVersion{To: to, From: map[int]catalog.PlanVersion{}, StandsFor: map[int]catalog.Succession{}}
	if other.Metrics, err = catalog.FindMetrics(tx, ids); err != nil {
		return other, err
	}
	for _, t := range terms {
		for _, s := range t.PlanIntervals {
			if _, known := other.From[s.PlanVersion]; known || s.PlanID != to.PlanID || s.PlanVersion == to.Version {
				continue
			}
			from, err := catalog.FindVersion(tx, s.PlanID, s.PlanVersion)
			if err != nil {
				return other, err
			}
			if other.StandsFor[s.PlanVersion], err = catalog.Succeed(tx, from, to); err != nil {
				return other, err
			}
			other.From[s.PlanVersion] = from
		}
	}
	return other, nil
}

// periods are the billing periods on the plan that begin in the timeframe, as far as they have begun.
func (s Simulation) periods(t subscription.Terms, now time.Time) (all []period.Period) {
	loc := t.Customer.Location()
	at, end := s.Start.In(loc), s.End.In(loc)
	if at.Before(t.StartAt) {
		at = t.StartAt
	}
	for at.Before(end) && !at.After(now) {
		whole, ok := t.BillingPeriod(at)
		if !ok {
			break
		}
		begins := !whole.Start.Before(at) && !whole.Start.After(now)
		if begins && t.PlanInterval(whole.Start).PlanID == s.PlanID {
			all = append(all, whole)
		}
		at = whole.End
	}
	return all
}

// currenciesOf are those of the prices in force in a period, in the order of the prices.
func currenciesOf(whole period.Period, terms ...subscription.Terms) (all []money.Currency) {
	for _, t := range terms {
		for _, i := range t.Intervals {
			if i.Overlaps(whole) && !slices.Contains(all, i.Price.Currency) {
				all = append(all, i.Price.Currency)
			}
		}
	}
	return all
}

// withoutPartial leaves partial invoices out: on other terms there would be others.
func (of InvoicesOf) withoutPartial(tx *store.Tx, t subscription.Terms) (Invoices, error) {
	found, err := of(tx, t)
	found.Partial = nil
	return found, err
}

// costOf is what a whole billing period costs, as far as it is over.
func costOf(tx *store.Tx, t subscription.Terms, currency money.Currency, whole period.Period, invoicesOf InvoicesOf) (Cost, error) {
	worth, err := CumulativeCosts(tx, t, currency, CostPeriod{Whole: whole, Days: []period.Period{whole}}, invoicesOf)
	return worth.Cost(t, currency, whole), err
}
