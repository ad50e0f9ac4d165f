package wire

import (
	"fmt"
	"slices"
	"strconv"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadBalanceAlert reads an alert on a credit balance. Thresholds are amounts of the alert's unit.
func ReadBalanceAlert(in gen.CustomerAlertCreate) (alert.NewAlert, error) {
	thresholds, err := ReadThresholds("thresholds", in.Thresholds)
	currency := money.Currency(in.Currency)
	return alert.NewAlert{Type: alert.Type(in.Type), Currency: &currency, Thresholds: thresholds}, err
}

// ReadUsageAlert reads an alert on usage, costs, spend or licenses of a subscription. Which members
// its type needs is checked by the domain.
func ReadUsageAlert(in gen.SubscriptionAlertCreate) (alert.NewAlert, error) {
	thresholds, err := ReadThresholds("thresholds", in.Thresholds)
	overrides, overridesErr := ReadThresholdOverrides(in.ThresholdOverrides)
	return alert.NewAlert{
		Type: alert.Type(in.Type), Thresholds: thresholds, MetricID: in.MetricID, LicenseTypeID: in.LicenseTypeID, Currency: (*money.Currency)(in.Currency),
		GroupingKeys: in.GroupingKeys, PriceFilters: ReadFilters(in.PriceFilters), ThresholdOverrides: overrides,
	}, fault.Join(err, overridesErr)
}

// ReadThresholds reads thresholds, which are JSON numbers. A fault names field[k].value.
func ReadThresholds(field string, in []gen.Threshold) ([]money.Decimal, error) {
	thresholds := make([]money.Decimal, len(in))
	faults := make([]error, len(in))
	for k, t := range in {
		thresholds[k], faults[k] = numberFromWire(fmt.Sprintf("%s[%d].value", field, k), t.Value)
	}
	return thresholds, fault.Join(faults...)
}

// ReadThresholdOverrides reads the thresholds that replace the alert's for single groups.
func ReadThresholdOverrides(in []gen.ThresholdOverride) ([]alert.Override, error) {
	overrides := make([]alert.Override, len(in))
	faults := make([]error, len(in))
	for k, o := range in {
		overrides[k].GroupValues = o.GroupValues
		overrides[k].Thresholds, faults[k] = ReadThresholds(fmt.Sprintf("threshold_overrides[%d].thresholds", k), o.Thresholds)
	}
	return overrides, fault.Join(faults...)
}

// LoadAlerts returns alerts with the references of their customers and plans. The
// number of queries does not depend on the number of alerts.
func LoadAlerts(tx *store.Tx, alerts ...alert.Alert) ([]gen.Alert, error) {
	var customerIDs, planIDs []string
	for _, a := range alerts {
		if a.CustomerID != nil {
			customerIDs = append(customerIDs, *a.CustomerID)
		}
		if a.PlanID != nil {
			planIDs = append(planIDs, *a.PlanID)
		}
	}
	customers, err := customer.FindAll(tx, customerIDs)
	if err != nil {
		return nil, err
	}
	plans, err := catalog.FindPlans(tx, planIDs)
	return MapSlice(alerts, func(a alert.Alert) gen.Alert { return alertToWire(a, customers, plans) }), err
}

func alertToWire(a alert.Alert, customers map[string]customer.Customer, plans map[string]catalog.Plan) gen.Alert {
	shown := gen.Alert{
		ID: a.ID, CreatedAt: Instant(a.CreatedAt), Type: gen.AlertType(a.Type), Enabled: a.Enabled,
		Currency: (*string)(a.Currency),
	}
	if a.CustomerID != nil {
		buyer := customers[*a.CustomerID]
		shown.Customer = &gen.CustomerMinified{ID: buyer.ID, ExternalCustomerID: buyer.ExternalCustomerID}
	}
	if a.SubscriptionID != nil {
		shown.Subscription = &gen.SubscriptionMinified{ID: *a.SubscriptionID}
	}
	if a.PlanID != nil {
		plan := plans[*a.PlanID]
		shown.Plan = &gen.AlertPlan{ID: a.PlanID, ExternalPlanID: plan.ExternalPlanID, Name: &plan.Name, PlanVersion: strconv.Itoa(*a.PlanVersion)}
	}
	if a.MetricID != nil {
		shown.Metric = &gen.BillableMetricTiny{ID: *a.MetricID}
	}
	if a.LicenseTypeID != nil {
		shown.LicenseType = &gen.AlertLicenseType{ID: *a.LicenseTypeID}
	}
	if a.Type.OfBalance() {
		shown.BalanceAlertStatus = MapSlice(a.Thresholds, func(t money.Decimal) gen.BalanceAlertStatus {
			return gen.BalanceAlertStatus{ThresholdValue: Number(t), InAlert: slices.ContainsFunc(a.InAlert, t.Equal)}
		})
	}
	if !a.Type.OfBalance() || a.Type == alert.BalanceDropped {
		shown.Thresholds = thresholdsToWire(a.Thresholds)
	}
	if a.Grouped() {
		shown.GroupingKeys = a.GroupingKeys
		shown.ThresholdOverrides = MapSlice(a.ThresholdOverrides, func(o alert.Override) gen.ThresholdOverride {
			return gen.ThresholdOverride{GroupValues: o.GroupValues, Thresholds: thresholdsToWire(o.Thresholds)}
		})
	}
	if a.Grouped() || a.Type == alert.SpendExceeded {
		shown.PriceFilters = filtersToWire(a.PriceFilters)
	}
	return shown
}

func thresholdsToWire(thresholds []money.Decimal) []gen.Threshold {
	return MapSlice(thresholds, func(t money.Decimal) gen.Threshold { return gen.Threshold{Value: Number(t)} })
}

// ReadAlertFilter reads the query of a list of alerts.
func ReadAlertFilter(p gen.ListAlertsParams) (alert.Filter, error) {
	created, err := ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	filter := alert.Filter{
		CustomerID: Deref(p.CustomerID), ExternalCustomerID: Deref(p.ExternalCustomerID), SubscriptionID: Deref(p.SubscriptionID),
		CreatedAt: created,
	}
	given := 0
	for _, id := range []string{filter.CustomerID, filter.ExternalCustomerID, filter.SubscriptionID} {
		if id != "" {
			given++
		}
	}
	if given != 1 {
		err = fault.Join(err, fault.Bad("customer_id", "must be given, or external_customer_id or subscription_id, and only one of them"))
	}
	return filter, err
}
