package webhooks

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// announcedAlert is an alert as messages show it, where numbers are text.
type announcedAlert struct {
	gen.Alert
	Thresholds         []announcedThreshold `json:"thresholds"`
	BalanceAlertStatus []announcedStatus    `json:"balance_alert_status"`
	ThresholdOverrides []announcedOverride  `json:"threshold_overrides"`
}

type announcedThreshold struct {
	Value string `json:"value"`
}

type announcedStatus struct {
	InAlert        bool   `json:"in_alert"`
	ThresholdValue string `json:"threshold_value"`
}

type announcedOverride struct {
	GroupKeys   []string             `json:"group_keys"`
	GroupValues []string             `json:"group_values"`
	Thresholds  []announcedThreshold `json:"thresholds"`
}

func announceAlert(tx *store.Tx, a alert.Alert) (announcedAlert, error) {
	all, err := wire.Alerts(tx, a)
	if err != nil {
		return announcedAlert{}, err
	}
	shown := announcedAlert{Alert: all[0], Thresholds: announceThresholds(all[0].Thresholds)}
	if all[0].BalanceAlertStatus != nil {
		shown.BalanceAlertStatus = wire.MapSlice(all[0].BalanceAlertStatus, func(b gen.BalanceAlertStatus) announcedStatus {
			return announcedStatus{b.InAlert, b.ThresholdValue.String()}
		})
	}
	if all[0].ThresholdOverrides != nil {
		shown.ThresholdOverrides = wire.MapSlice(all[0].ThresholdOverrides, func(o gen.ThresholdOverride) announcedOverride {
			return announcedOverride{a.GroupingKeys, o.GroupValues, announceThresholds(o.Thresholds)}
		})
	}
	return shown, nil
}

func announceThresholds(thresholds []gen.Threshold) []announcedThreshold {
	if thresholds == nil {
		return nil
	}
	return wire.MapSlice(thresholds, func(t gen.Threshold) announcedThreshold { return announcedThreshold{t.Value.String()} })
}

// announcedCrossing tells of a threshold of usage, costs or licenses.
func announcedCrossing(tx *store.Tx, subscriptionID string, c alert.ThresholdCrossing) (any, error) {
	terms, err := subscription.Find(tx, subscriptionID)
	if err != nil {
		return nil, err
	}
	shown, err := announceAlert(tx, c.Alert)
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
				"group_values": g.Group, "amount_threshold": exactAmount(currency, g.Threshold), "evaluated_amount": exactAmount(currency, g.Value),
			}
		})
	default:
		told["amount_threshold"] = exactAmount(currency, c.Groups[0].Threshold)
		told["evaluated_amount"] = exactAmount(currency, c.Groups[0].Value)
	}
	return told, nil
}

// announcedDisabling tells that an alert is off.
func announcedDisabling(tx *store.Tx, _ string, d alert.Disabled) (any, error) {
	shown, err := announceAlert(tx, d.Alert)
	told := map[string]any{"alert_configuration": shown, "reason": "user", "cardinality": d.Cardinality, "cardinality_limit": nil}
	if d.Cardinality != nil {
		told["reason"], told["cardinality_limit"] = "system_cardinality_limit", alert.MostGroups
	}
	return told, err
}

// announcedDrop tells of a threshold of a balance.
func announcedDrop(tx *store.Tx, _ string, d alert.BalanceDrop) (any, error) {
	shown, err := announceAlert(tx, d.Alert)
	told := map[string]any{"alert_configuration": shown, "pricing_unit": pricingUnitToWire(*d.Alert.Currency)}
	if d.Alert.Type == alert.BalanceDropped {
		told["balance_threshold"] = d.Threshold.String()
	}
	return told, err
}

// exactAmount writes an amount with the digits of the minor unit, and with more where it
// has more.
func exactAmount(currency money.Currency, amount money.Decimal) string {
	if !currency.Fits(amount) {
		return amount.String()
	}
	return currency.Format(amount)
}

// announcedUnit is what credits are counted in, as messages show it.
type announcedUnit struct {
	ID          string  `json:"id"`
	DisplayName *string `json:"display_name"`
	Name        string  `json:"name"`
	Symbol      *string `json:"symbol"`
}

func pricingUnitToWire(c money.Currency) announcedUnit {
	return announcedUnit{ID: string(c), DisplayName: (*string)(&c), Name: string(c)}
}

// announcedSubscriptionLite is the little of a subscription that some messages show.
func announcedSubscriptionLite(tx *store.Tx, id string) (any, error) {
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
