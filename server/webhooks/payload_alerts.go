package webhooks

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// payloadAlert is an alert in messages, where numbers are strings.
type payloadAlert struct {
	gen.Alert
	Thresholds         []payloadThreshold     `json:"thresholds"`
	BalanceAlertStatus []payloadBalanceStatus `json:"balance_alert_status"`
	ThresholdOverrides []payloadOverride      `json:"threshold_overrides"`
}

type payloadThreshold struct {
	Value string `json:"value"`
}

type payloadBalanceStatus struct {
	InAlert        bool   `json:"in_alert"`
	ThresholdValue string `json:"threshold_value"`
}

type payloadOverride struct {
	GroupKeys   []string           `json:"group_keys"`
	GroupValues []string           `json:"group_values"`
	Thresholds  []payloadThreshold `json:"thresholds"`
}

func newPayloadAlert(tx *store.Tx, a alert.Alert) (payloadAlert, error) {
	all, err := wire.LoadAlerts(tx, a)
	if err != nil {
		return payloadAlert{}, err
	}
	shown := payloadAlert{Alert: all[0], Thresholds: newPayloadThresholds(all[0].Thresholds)}
	if all[0].BalanceAlertStatus != nil {
		shown.BalanceAlertStatus = wire.MapSlice(all[0].BalanceAlertStatus, func(b gen.BalanceAlertStatus) payloadBalanceStatus {
			return payloadBalanceStatus{b.InAlert, b.ThresholdValue.String()}
		})
	}
	if all[0].ThresholdOverrides != nil {
		shown.ThresholdOverrides = wire.MapSlice(all[0].ThresholdOverrides, func(o gen.ThresholdOverride) payloadOverride {
			return payloadOverride{a.GroupingKeys, o.GroupValues, newPayloadThresholds(o.Thresholds)}
		})
	}
	return shown, nil
}

func newPayloadThresholds(thresholds []gen.Threshold) []payloadThreshold {
	if thresholds == nil {
		return nil
	}
	return wire.MapSlice(thresholds, func(t gen.Threshold) payloadThreshold { return payloadThreshold{t.Value.String()} })
}

// payloadCrossing returns the properties of a crossed threshold of usage, costs or licenses.
func payloadCrossing(tx *store.Tx, subscriptionID string, c alert.ThresholdCrossing) (any, error) {
	terms, err := subscription.Find(tx, subscriptionID)
	if err != nil {
		return nil, err
	}
	shown, err := newPayloadAlert(tx, c.Alert)
	if err != nil {
		return nil, err
	}
	told := map[string]any{
		"alert_configuration": shown,
		"timeframe_start":     wire.Instant(c.Period.Start),
		"timeframe_end":       wire.Instant(c.Period.End),
	}
	currency := terms.Currency
	if c.Alert.Currency != nil {
		currency = *c.Alert.Currency
	}
	switch {
	case c.Alert.Type == alert.UsageExceeded:
		told["billable_metric_id"] = c.Alert.MetricID
		told["quantity_threshold"] = wire.Number(c.Groups[0].Threshold)
		told["evaluated_quantity"] = wire.Number(c.Groups[0].Value)
	case c.Alert.Type == alert.LicenseReached:
		told["licenses"] = wire.MapSlice(c.Groups, func(g alert.Crossed) any {
			return map[string]any{
				"external_license_id": g.Group[0], "license_type_id": c.Alert.LicenseTypeID, "threshold_percentage": g.Threshold.String(),
			}
		})
	case c.Alert.Grouped():
		told["grouping_keys"] = c.Alert.GroupingKeys
		told["groups"] = wire.MapSlice(c.Groups, func(g alert.Crossed) any {
			return map[string]any{
				"group_values": g.Group, "amount_threshold": wire.ExactAmount(currency, g.Threshold), "evaluated_amount": wire.ExactAmount(currency, g.Value),
			}
		})
	default:
		told["amount_threshold"] = wire.ExactAmount(currency, c.Groups[0].Threshold)
		told["evaluated_amount"] = wire.ExactAmount(currency, c.Groups[0].Value)
	}
	return told, nil
}

// payloadAlertDisabled returns the properties of an alert that was disabled.
func payloadAlertDisabled(tx *store.Tx, _ string, d alert.Disabled) (any, error) {
	shown, err := newPayloadAlert(tx, d.Alert)
	told := map[string]any{"alert_configuration": shown, "reason": "user", "cardinality": d.Cardinality, "cardinality_limit": nil}
	if d.Cardinality != nil {
		told["reason"], told["cardinality_limit"] = "system_cardinality_limit", alert.MostGroups
	}
	return told, err
}

// payloadBalanceDrop returns the properties of a crossed threshold of a credit balance.
func payloadBalanceDrop(tx *store.Tx, _ string, d alert.BalanceDrop) (any, error) {
	shown, err := newPayloadAlert(tx, d.Alert)
	told := map[string]any{"alert_configuration": shown, "pricing_unit": pricingUnitToWire(*d.Alert.Currency)}
	if d.Alert.Type == alert.BalanceDropped {
		told["balance_threshold"] = d.Threshold.String()
	}
	return told, err
}

// payloadPricingUnit is the unit of credits in messages.
type payloadPricingUnit struct {
	ID          string  `json:"id"`
	DisplayName *string `json:"display_name"`
	Name        string  `json:"name"`
	Symbol      *string `json:"symbol"`
}

func pricingUnitToWire(c money.Currency) payloadPricingUnit {
	return payloadPricingUnit{ID: string(c), DisplayName: (*string)(&c), Name: string(c)}
}

// payloadSubscriptionLite returns the short form of a subscription that some messages show.
func payloadSubscriptionLite(tx *store.Tx, id string) (any, error) {
	t, err := subscription.Find(tx, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"id":         t.ID,
		"customer":   gen.CustomerMinified{ID: t.Customer.ID, ExternalCustomerID: t.Customer.ExternalCustomerID},
		"plan":       gen.PlanMinified{ID: &t.Plan.ID, ExternalPlanID: t.Plan.ExternalPlanID, Name: &t.Plan.Name},
		"status":     t.Status(tx.Now),
		"start_date": wire.Instant(t.StartAt),
		"end_date":   wire.OptionalInstant(t.EndAt),
	}, nil
}
