package alert

import (
	"fmt"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewAlert is the request for an alert.
type NewAlert struct {
	Type               Type
	Thresholds         []money.Decimal
	MetricID           *string
	LicenseTypeID      *string
	Currency           *money.Currency
	GroupingKeys       []string
	PriceFilters       []rating.Filter
	ThresholdOverrides []Override
	OwnerID            *string // the customer who sets it in the portal; nil: the account does
}

// CreateForSubscription creates an alert of a subscription. It fires at once if the value has
// already reached a threshold.
func CreateForSubscription(tx *store.Tx, subscriptionID string, in NewAlert) (Alert, error) {
	if err := in.checkUsage(); err != nil {
		return Alert{}, err
	}
	terms, err := subscription.Lock(tx, subscriptionID) // a concurrent change of the subscription waits, and then finds the alert
	if err != nil {
		return Alert{}, err
	}
	prices := []catalog.Price{}
	for _, i := range terms.Intervals {
		prices = append(prices, i.Price)
	}
	if err := in.checkPrices(tx, "subscription", prices, terms.Currency); err != nil {
		return Alert{}, err
	}
	a := in.alert(tx)
	a.SubscriptionID = &terms.ID
	if err := a.create(tx); err != nil {
		return Alert{}, err
	}
	return a, scheduleAlert(tx, a)
}

// CreateForPlan creates an alert of every subscription to a version of a plan. Number nil means
// the default version, which new subscriptions get.
func CreateForPlan(tx *store.Tx, planID string, number *int, in NewAlert) (Alert, error) {
	if err := in.checkUsage(); err != nil {
		return Alert{}, err
	}
	plan, err := catalog.FindPlan(tx, planID)
	if err != nil {
		return Alert{}, err
	}
	if number == nil {
		number = &plan.Version
	}
	version, err := catalog.FindVersion(tx, plan.ID, *number)
	if fault.Is(err, fault.KindMissing) {
		err = fault.Refused("this plan has no such version")
	}
	if err != nil {
		return Alert{}, err
	}
	if err := in.checkPrices(tx, "version of the plan", version.Prices, plan.InvoicingCurrency); err != nil {
		return Alert{}, err
	}
	a := in.alert(tx)
	a.PlanID, a.PlanVersion = &plan.ID, number
	if err := a.create(tx); err != nil {
		return Alert{}, err
	}
	return a, scheduleAlert(tx, a)
}

// CreateForCustomer creates an alert of a customer's credit balance. The caller holds the lock of
// the ledger. The alert does not fire now: only later changes of the balance fire it (semantics
// 12.2.7).
func CreateForCustomer(tx *store.Tx, buyer customer.Customer, in NewAlert, balance money.Decimal) (Alert, error) {
	a := in.alert(tx)
	a.CustomerID = &buyer.ID
	a.InAlert = atOrAbove(a.Thresholds, balance)
	if err := a.create(tx); err != nil {
		return Alert{}, err
	}
	return a, scheduleAlert(tx, a)
}

// CheckBalance refuses fields that are invalid in every balance alert.
func (in NewAlert) CheckBalance() error {
	var currencyErr error
	if c := *in.Currency; !c.Valid() && c != money.Credits {
		currencyErr = fault.Bad("currency", "must be an ISO 4217 code or %s", money.Credits)
	}
	return fault.Join(currencyErr, checkThresholds("thresholds", in.Thresholds, in.Type == BalanceDropped))
}

// checkUsage refuses fields that are invalid in every alert of usage or costs.
func (in NewAlert) checkUsage() error {
	grouped := len(in.GroupingKeys) > 0
	faults := []error{
		checkThresholds("thresholds", in.Thresholds, true),
		only("metric_id", in.MetricID != nil, in.Type == UsageExceeded, "usage_exceeded"),
		only("grouping_keys", grouped, in.Type == CostExceeded, "cost_exceeded"),
		only("price_filters", len(in.PriceFilters) > 0, in.Type == SpendExceeded || grouped, "spend_exceeded, and with grouping_keys"),
		only("license_type_id", in.LicenseTypeID != nil, in.Type == LicenseReached, string(LicenseReached)),
		only("currency", in.Currency != nil, in.Type == CostExceeded || in.Type == SpendExceeded, "cost_exceeded and spend_exceeded"),
		checkOverrides(in.ThresholdOverrides, len(in.GroupingKeys)),
		checkFilters(in.PriceFilters),
	}
	if in.Type == UsageExceeded && in.MetricID == nil {
		faults = append(faults, fault.Bad("metric_id", "must be given for usage_exceeded"))
	}
	if in.Type == LicenseReached {
		if faults = append(faults, checkShares(in.Thresholds)); in.LicenseTypeID == nil {
			faults = append(faults, fault.Bad("license_type_id", "must be given for %s", LicenseReached))
		}
	}
	if in.Currency == nil && (in.Type == SpendExceeded || grouped) {
		faults = append(faults, fault.Bad("currency", "must be given for spend_exceeded and with grouping_keys"))
	}
	given := map[metric.Name]bool{}
	for k, key := range in.GroupingKeys {
		at := fmt.Sprintf("grouping_keys[%d]", k)
		name, err := metric.ParseName(key)
		switch {
		case err != nil:
			faults = append(faults, fault.Bad(at, "%v", err))
		case given[name]:
			faults = append(faults, fault.Bad(at, "must be given only once"))
		default:
			given[name] = true
		}
	}
	return fault.Join(faults...)
}

func only(field string, given, allowed bool, where string) error {
	if given && !allowed {
		return fault.Bad(field, "is only for %s", where)
	}
	return nil
}

// filterFields are the fields by which an alert can select prices (gaps A1).
var filterFields = []rating.FilterField{rating.FilterPriceID, rating.FilterItemID, rating.FilterPriceType}

func checkFilters(filters []rating.Filter) error {
	var faults []error
	for k, f := range filters {
		if !slices.Contains(filterFields, f.Field) {
			faults = append(faults, fault.Bad(fmt.Sprintf("price_filters[%d].field", k), "must be price_id, item_id or price_type"))
		}
	}
	return fault.Join(faults...)
}

// checkPrices refuses an alert that none of the prices concerns: usage that no price charges,
// licenses to which no price grants credits, or a currency in which there is no price.
func (in NewAlert) checkPrices(tx *store.Tx, of string, prices []catalog.Price, invoiced money.Currency) error {
	if in.MetricID != nil {
		if _, err := catalog.FindMetric(tx, *in.MetricID); err != nil {
			return err
		}
		if !slices.ContainsFunc(prices, func(p catalog.Price) bool { return p.MetricID != nil && *p.MetricID == *in.MetricID }) {
			return fault.Refused("no price of this %s is charged by this metric", of)
		}
	}
	if in.LicenseTypeID != nil {
		if _, err := catalog.FindLicenseType(tx, *in.LicenseTypeID); err != nil {
			return err
		}
		grants := func(p catalog.Price) bool {
			return len(p.LicenseAllocations) > 0 && p.LicenseTypeID != nil && *p.LicenseTypeID == *in.LicenseTypeID
		}
		if !slices.ContainsFunc(prices, grants) {
			return fault.Refused("no price of this %s grants credits to licenses of this type", of)
		}
	}
	if c := in.Currency; c != nil && *c != invoiced &&
		!slices.ContainsFunc(prices, func(p catalog.Price) bool { return p.Currency == *c }) {
		return fault.Refused("no price of this %s is in this currency", of)
	}
	return nil
}

func (in NewAlert) alert(tx *store.Tx) Alert {
	a := Alert{
		Record: tx.Record("alert"), Type: in.Type, OwnerID: in.OwnerID, MetricID: in.MetricID, LicenseTypeID: in.LicenseTypeID, Currency: in.Currency,
		GroupingKeys: append([]string{}, in.GroupingKeys...), Thresholds: append([]money.Decimal{}, in.Thresholds...),
		PriceFilters: append([]rating.Filter{}, in.PriceFilters...), ThresholdOverrides: append([]Override{}, in.ThresholdOverrides...),
		InAlert: []money.Decimal{}, Enabled: true,
	}
	if a.Type == BalanceDepleted || a.Type == BalanceRecovered {
		a.Thresholds = []money.Decimal{{}} // always 0
	}
	return a
}

func (a Alert) create(tx *store.Tx) error {
	err := tx.Create(&a).Error
	for constraint, field := range map[string]string{
		"alerts_of_balance": "type in this currency", "alerts_of_usage": "metric", "alerts_of_license": "license type", "alerts_of_cost": "type",
	} {
		if store.Unique(err, constraint) {
			return fault.Taken("alert", field)
		}
	}
	return err
}
