package subscription

import (
	"slices"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Find returns a subscription with its terms.
func Find(tx *store.Tx, id string) (Terms, error) {
	return find(tx, tx.DB, id)
}

// Lock is Find, and keeps others from changing the subscription until the
// transaction ends.
func Lock(tx *store.Tx, id string) (Terms, error) {
	return find(tx, tx.Clauses(forUpdate), id)
}

func find(tx *store.Tx, query *gorm.DB, id string) (Terms, error) {
	var sub Subscription
	if err := query.Where("id = ?", id).Take(&sub).Error; err != nil {
		return Terms{}, store.Found(err, "Subscription", id)
	}
	all, err := load(tx, []Subscription{sub})
	if err != nil {
		return Terms{}, err
	}
	return all[0], nil
}

// FindAll returns the terms of several subscriptions by id. Unknown ids are
// left out.
func FindAll(tx *store.Tx, ids []string) (map[string]Terms, error) {
	if len(ids) == 0 {
		return map[string]Terms{}, nil
	}
	var subs []Subscription
	if err := tx.Where("id IN ?", ids).Find(&subs).Error; err != nil {
		return nil, err
	}
	all, err := load(tx, subs)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]Terms, len(all))
	for _, t := range all {
		byID[t.ID] = t
	}
	return byID, nil
}

// OfCustomer returns all subscriptions of a customer, newest first.
func OfCustomer(tx *store.Tx, customerID string) ([]Terms, error) {
	var subs []Subscription
	if err := tx.Where("customer_id = ?", customerID).Order("created_at DESC, seq DESC").Find(&subs).Error; err != nil {
		return nil, err
	}
	return load(tx, subs)
}

// Filter narrows a list. Empty fields do not.
type Filter struct {
	CustomerIDs         []string
	ExternalCustomerIDs []string
	PlanID              string
	ExternalPlanID      string
	CouponID            string // redeemed at any time
	Statuses            []Status
	CreatedAt           store.Range
}

// linesOfSubscription is how many price intervals, adjustments and changed quantities a subscription has; those with long rates, filters or
// customers count for more.
const linesOfSubscription = `(SELECT coalesce(sum(1 + (` + catalog.SizeOfPrice + ` + pg_column_size(i.usage_customer_ids)
			+ pg_column_size(i.usage_customers_before) + pg_column_size(i.filters_before)) / 100), 0)
		FROM price_intervals i JOIN prices p ON p.account_id = i.account_id AND p.id = i.price_id
		WHERE i.account_id = subscriptions.account_id AND i.subscription_id = subscriptions.id)
	+ (SELECT coalesce(sum(1 + (pg_column_size(j.tiers) + pg_column_size(j.filters)) / 100), 0) FROM adjustment_intervals a
		JOIN adjustments j ON j.account_id = a.account_id AND j.id = a.adjustment_id
		WHERE a.account_id = subscriptions.account_id AND a.subscription_id = subscriptions.id)
	+ (SELECT count(*) FROM price_intervals i JOIN quantity_transitions q ON q.account_id = i.account_id AND q.interval_id = i.id
		WHERE i.account_id = subscriptions.account_id AND i.subscription_id = subscriptions.id)`

// List returns a page of subscriptions, newest first.
func List(tx *store.Tx, filter Filter, page store.Page) (terms []Terms, next string, err error) {
	query := filter.CreatedAt.On(tx.Model(&Subscription{}), "subscriptions.created_at")
	if filter.CustomerIDs != nil {
		query = query.Where("customer_id IN ?", filter.CustomerIDs)
	}
	if filter.ExternalCustomerIDs != nil {
		query = query.Where("customer_id IN (?)", customer.IDsByExternal(tx, filter.ExternalCustomerIDs))
	}
	if filter.PlanID != "" {
		query = query.Where("plan_id = ?", filter.PlanID)
	}
	if filter.ExternalPlanID != "" {
		query = query.Where("plan_id IN (?)", catalog.PlanIDsByExternal(tx, filter.ExternalPlanID))
	}
	if filter.CouponID != "" {
		redeemed := tx.Model(&AdjustmentInterval{}).Select("subscription_id").Where("coupon_id = ?", filter.CouponID)
		query = query.Where("id IN (?)", redeemed)
	}
	if filter.Statuses != nil {
		query = query.Where(inStates(tx, filter.Statuses))
	}
	subs, next, err := store.List[Subscription](store.Long(query, linesOfSubscription), page)
	if err != nil {
		return nil, "", err
	}
	terms, err = load(tx, subs)
	return terms, next, err
}

// OnPlan returns a page of the subscriptions that are on a plan, in whatever version, at some time of a period,
// newest first: those of a customer, or with "" of all.
func OnPlan(tx *store.Tx, planID, customerID string, during period.Period, page store.Page) (terms []Terms, next string, err error) {
	query := tx.Model(&Subscription{}).Where("start_at < ? AND (end_at IS NULL OR end_at > ?)", during.End, during.Start).
		Where("id IN (?)", tx.Model(&PlanInterval{}).Select("subscription_id").Where("plan_id = ? AND start_at < ?", planID, during.End))
	if customerID != "" {
		query = query.Where("customer_id = ?", customerID)
	}
	subs, next, err := store.List[Subscription](store.Long(query, linesOfSubscription), page)
	if err != nil {
		return nil, "", err
	}
	terms, err = load(tx, subs)
	return terms, next, err
}

// inStates is the condition that a subscription is in one of the states now.
func inStates(tx *store.Tx, states []Status) *gorm.DB {
	any := tx.Where("false")
	for _, state := range states {
		switch state {
		case StatusUpcoming:
			any = any.Or("start_at > ? AND (end_at IS NULL OR end_at > start_at)", tx.Now)
		case StatusActive:
			any = any.Or("start_at <= ? AND (end_at IS NULL OR end_at > ?)", tx.Now, tx.Now)
		case StatusEnded:
			any = any.Or("end_at <= ? OR end_at = start_at", tx.Now)
		}
	}
	return any
}

// load adds to subscriptions, in their order, what belongs to their terms: a
// fixed number of queries, however many they are.
func load(tx *store.Tx, subs []Subscription) ([]Terms, error) {
	if len(subs) == 0 {
		return []Terms{}, nil
	}
	has, err := optionalPartsOf(tx, idsOf(subs))
	if err != nil {
		return nil, err
	}
	return loadFrom(tx, current(tx), has, subs)
}

func loadFrom(tx *store.Tx, in tableSource, has optionalParts, subs []Subscription) ([]Terms, error) {
	ids := idsOf(subs)
	planIntervals, err := planIntervalsOf(in, ids)
	if err != nil {
		return nil, err
	}
	plans, err := catalog.FindPlans(tx, plansOf(subs, planIntervals))
	if err != nil {
		return nil, err
	}
	intervals, err := intervalsOf(tx, in, has, ids)
	if err != nil {
		return nil, err
	}
	customers, err := customer.FindAll(tx, append(customersOf(subs), usersOf(intervals)...))
	if err != nil {
		return nil, err
	}
	phases, err := phasesOf(in, has, ids)
	if err != nil {
		return nil, err
	}
	adjustments, err := adjustmentsOf(tx, in, has, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Terms, len(subs))
	for k, s := range subs {
		all[k] = Terms{
			Subscription: s, Customer: customers[s.CustomerID], Plan: plans[s.PlanID],
			Intervals: intervals[s.ID], Phases: phases[s.ID], Adjustments: adjustments[s.ID],
			PlanIntervals: planIntervals[s.ID],
		}
		for at, planInterval := range all[k].PlanIntervals {
			all[k].PlanIntervals[at].Plan = plans[planInterval.PlanID]
		}
		all[k].clipToPlanIntervals()
		all[k].attachUsers(customers)
	}
	return all, nil
}

func idsOf(subs []Subscription) []string {
	ids := make([]string, len(subs))
	for k, s := range subs {
		ids[k] = s.ID
	}
	return ids
}

func customersOf(subs []Subscription) []string {
	ids := make([]string, len(subs))
	for k, s := range subs {
		ids[k] = s.CustomerID
	}
	return ids
}

// plansOf are the plans that subscriptions are on, were on or will be, each once.
func plansOf(subs []Subscription, planIntervals map[string][]PlanInterval) (ids []string) {
	for _, s := range subs {
		ids = append(ids, s.PlanID)
		for _, planInterval := range planIntervals[s.ID] {
			ids = append(ids, planInterval.PlanID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// optionalParts tells what some of several subscriptions have and most never do.
type optionalParts struct{ Phases, Adjustments, Transitions bool }

// optionalPartsOf asks that in one query instead of one for each.
func optionalPartsOf(tx *store.Tx, ids []string) (has optionalParts, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT EXISTS (SELECT FROM subscription_phases WHERE account_id = $1 AND subscription_id = ANY ($2)),
			EXISTS (SELECT FROM adjustment_intervals WHERE account_id = $1 AND subscription_id = ANY ($2)),
			EXISTS (SELECT FROM price_intervals AS i JOIN quantity_transitions AS q ON q.account_id = i.account_id AND q.interval_id = i.id
				WHERE i.account_id = $1 AND i.subscription_id = ANY ($2))`, tx.AccountID, ids).
		Scan(&has.Phases, &has.Adjustments, &has.Transitions)
	return has, err
}

func intervalsOf(tx *store.Tx, in tableSource, has optionalParts, subscriptionIDs []string) (map[string][]PriceInterval, error) {
	var rows []PriceInterval
	err := in("price_intervals").Where("subscription_id IN ?", subscriptionIDs).Order("subscription_id, position, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	var priceIDs []string
	for _, i := range rows {
		priceIDs = append(priceIDs, i.PriceID)
	}
	prices, err := catalog.FindPrices(tx, priceIDs)
	if err != nil {
		return nil, err
	}
	var metricIDs []string
	for _, p := range prices {
		if p.MetricID != nil {
			metricIDs = append(metricIDs, *p.MetricID)
		}
	}
	metrics, err := catalog.FindMetrics(tx, metricIDs)
	if err != nil {
		return nil, err
	}
	transitions, err := transitionsOf(in, has, rows)
	if err != nil {
		return nil, err
	}
	bySubscription := map[string][]PriceInterval{}
	for _, i := range rows {
		i.Price, i.Transitions = prices[i.PriceID], transitions[i.ID]
		if i.Price.MetricID != nil {
			i.Metric = metrics[*i.Price.MetricID]
			i.Metric.Values = i.Parameters
		}
		bySubscription[i.SubscriptionID] = append(bySubscription[i.SubscriptionID], i)
	}
	return bySubscription, nil
}

// NextOpening returns the earliest billing date, at or before by, on which a
// subscription's invoices are to be opened.
func NextOpening(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return first(tx, due.Billing, "next_billing_at", by)
}

// NextChange returns the earliest instant, at or before by, at which a subscription
// changes so that what was charged may have to be credited.
func NextChange(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return first(tx, due.Billing, "next_change_at", by)
}

// NextGrant returns the earliest instant, at or before by, at which a subscription is to
// be granted credits.
func NextGrant(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return first(tx, due.Billing, "next_grant_at", by)
}

// NextReset returns the earliest instant, at or before by, at which licenses of a
// subscription are granted credits again.
func NextReset(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return first(tx, due.Billing, "next_reset_at", by)
}

// LockOpening returns the subscription whose invoices are to be opened first,
// at or before tx.Now, and keeps others from it and from those of its customer. It is
// false when none is due or others are at work on all that are.
func LockOpening(tx *store.Tx) (Terms, bool, error) { return lockFirst(tx, "next_billing_at") }

// LockOpenings is LockOpening for the subscriptions that are due at the earliest instant, at most so many. Their
// terms are read together.
func LockOpenings(tx *store.Tx, most int) ([]Terms, error) {
	subs, err := lockDue(tx, "next_billing_at", most)
	if err != nil {
		return nil, err
	}
	later := func(s Subscription) bool { return !s.NextBillingAt.Equal(*subs[0].NextBillingAt) }
	if k := slices.IndexFunc(subs, later); k > 0 {
		subs = subs[:k]
	}
	return load(tx, subs)
}

// LockChanging is LockOpening for the subscription that changes first.
func LockChanging(tx *store.Tx) (Terms, bool, error) { return lockFirst(tx, "next_change_at") }

// LockGranting is LockOpening for the subscription that is granted credits first.
func LockGranting(tx *store.Tx) (Terms, bool, error) { return lockFirst(tx, "next_grant_at") }

// LockResetting is LockOpening for the subscription whose licenses are granted credits again
// first.
func LockResetting(tx *store.Tx) (Terms, bool, error) { return lockFirst(tx, "next_reset_at") }

func lockFirst(tx *store.Tx, column string) (Terms, bool, error) {
	subs, err := lockDue(tx, column, 1)
	if err != nil || len(subs) == 0 {
		return Terms{}, false, err
	}
	due.Concern(tx, subs[0].subject())
	all, err := load(tx, subs)
	if err != nil {
		return Terms{}, false, err
	}
	return all[0], true, nil
}

// lockDue locks the first subscriptions that are due by a column, with their customers.
func lockDue(tx *store.Tx, column string, most int) (subs []Subscription, err error) {
	err = tx.Clauses(customerSkipLocked).
		Joins("JOIN customers c ON c.account_id = subscriptions.account_id AND c.id = subscriptions.customer_id").
		Where(column+" <= ?", tx.Now).Where(free(due.Billing)).Order(column + ", subscriptions.seq").Limit(most).Find(&subs).Error
	return subs, err
}

// free is the condition that no parked unit of a lane holds up a subscription.
func free(lane due.Lane) string {
	return lane.FreeSubscription("subscriptions.account_id", "subscriptions.customer_id", "subscriptions.id")
}

func (s Subscription) subject() due.Subject {
	return due.Subject{CustomerID: &s.CustomerID, SubscriptionID: &s.ID}
}

func first(tx *store.Tx, lane due.Lane, column string, by time.Time) (at time.Time, found bool, err error) {
	var dates []time.Time
	err = tx.Model(&Subscription{}).Where(column+" <= ?", by).Where(free(lane)).Order(column+", seq").Limit(1).Pluck(column, &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}
