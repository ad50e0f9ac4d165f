package server

import (
	"context"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/customer"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListAlerts serves GET /v1/alerts.
func (s *Server) ListAlerts(ctx context.Context, req gen.ListAlertsRequestObject) (gen.ListAlertsResponseObject, error) {
	filter, err := wire.ReadAlertFilter(req.Params)
	if err != nil {
		return nil, err
	}
	var page gen.AlertPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		alerts, next, err := alert.List(tx, filter, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = wire.Page(next)
		page.Data, err = wire.LoadAlerts(tx, alerts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListAlerts200JSONResponse(page), nil
}

// CreateCustomerAlert serves POST /v1/alerts/customer_id/{customer_id}.
func (s *Server) CreateCustomerAlert(ctx context.Context, req gen.CreateCustomerAlertRequestObject) (gen.CreateCustomerAlertResponseObject, error) {
	made, err := s.createCustomerAlert(ctx, customer.Find, req.CustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateCustomerAlert201JSONResponse(made), nil
}

// CreateExternalCustomerAlert serves POST /v1/alerts/external_customer_id/{external_customer_id}.
func (s *Server) CreateExternalCustomerAlert(ctx context.Context, req gen.CreateExternalCustomerAlertRequestObject) (gen.CreateExternalCustomerAlertResponseObject, error) {
	made, err := s.createCustomerAlert(ctx, customer.FindByExternalID, req.ExternalCustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateExternalCustomerAlert201JSONResponse(made), nil
}

func (s *Server) createCustomerAlert(ctx context.Context, find findCustomer, identifier string, in gen.CustomerAlertCreate) (gen.Alert, error) {
	wanted, err := wire.ReadBalanceAlert(in)
	if err != nil {
		return gen.Alert{}, err
	}
	return s.onceAlert(ctx, func(tx *store.Tx) (alert.Alert, error) {
		buyer, err := find(tx, identifier)
		if err != nil {
			return alert.Alert{}, err
		}
		return alerting.Balance(tx, buyer, wanted)
	})
}

// CreateSubscriptionAlert serves POST /v1/alerts/subscription_id/{subscription_id}.
func (s *Server) CreateSubscriptionAlert(ctx context.Context, req gen.CreateSubscriptionAlertRequestObject) (gen.CreateSubscriptionAlertResponseObject, error) {
	wanted, err := wire.ReadUsageAlert(*req.Body)
	if err != nil {
		return nil, err
	}
	made, err := s.onceAlert(ctx, func(tx *store.Tx) (alert.Alert, error) {
		return alert.CreateForSubscription(tx, req.SubscriptionID, wanted)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateSubscriptionAlert201JSONResponse(made), nil
}

// CreatePlanAlert serves POST /v1/alerts/plan_id/{plan_id}.
func (s *Server) CreatePlanAlert(ctx context.Context, req gen.CreatePlanAlertRequestObject) (gen.CreatePlanAlertResponseObject, error) {
	in := *req.Body
	wanted, err := wire.ReadUsageAlert(gen.SubscriptionAlertCreate{
		Type: gen.SubscriptionAlertType(in.Type), Thresholds: in.Thresholds, MetricID: in.MetricID, Currency: in.Currency,
		GroupingKeys: in.GroupingKeys, PriceFilters: in.PriceFilters,
	})
	if err != nil {
		return nil, err
	}
	made, err := s.onceAlert(ctx, func(tx *store.Tx) (alert.Alert, error) {
		return alert.CreateForPlan(tx, req.PlanID, in.PlanVersion, wanted)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePlanAlert201JSONResponse(made), nil
}

func (s *Server) onceAlert(ctx context.Context, do func(tx *store.Tx) (alert.Alert, error)) (gen.Alert, error) {
	return once(ctx, s, func(tx *store.Tx) (gen.Alert, error) { return shownAlert(tx, do) })
}

// shownAlert shows what became of an alert.
func shownAlert(tx *store.Tx, do func(tx *store.Tx) (alert.Alert, error)) (gen.Alert, error) {
	a, err := do(tx)
	if err != nil {
		return gen.Alert{}, err
	}
	shown, err := wire.LoadAlerts(tx, a)
	if err != nil {
		return gen.Alert{}, err
	}
	return shown[0], nil
}

// FetchAlert serves GET /v1/alerts/{alert_configuration_id}.
func (s *Server) FetchAlert(ctx context.Context, req gen.FetchAlertRequestObject) (gen.FetchAlertResponseObject, error) {
	var found gen.Alert
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = shownAlert(tx, func(tx *store.Tx) (alert.Alert, error) { return alert.Find(tx, req.AlertConfigurationID) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchAlert200JSONResponse(found), nil
}

// UpdateAlert serves PUT /v1/alerts/{alert_configuration_id}.
func (s *Server) UpdateAlert(ctx context.Context, req gen.UpdateAlertRequestObject) (gen.UpdateAlertResponseObject, error) {
	edit, err := alertEditFromWire(ctx, *req.Body)
	if err != nil {
		return nil, err
	}
	var updated gen.Alert
	err = s.store.Update(ctx, func(tx *store.Tx) (err error) {
		updated, err = shownAlert(tx, func(tx *store.Tx) (alert.Alert, error) { return alerting.Update(tx, req.AlertConfigurationID, edit) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateAlert200JSONResponse(updated), nil
}

// DeleteAlert serves DELETE /v1/alerts/{alert_configuration_id}.
func (s *Server) DeleteAlert(ctx context.Context, req gen.DeleteAlertRequestObject) (gen.DeleteAlertResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error { return alert.Delete(tx, req.AlertConfigurationID) })
	if err != nil {
		return nil, err
	}
	return gen.DeleteAlert204Response{}, nil
}

// EnableAlert serves POST /v1/alerts/{alert_configuration_id}/enable.
func (s *Server) EnableAlert(ctx context.Context, req gen.EnableAlertRequestObject) (gen.EnableAlertResponseObject, error) {
	enabled, err := s.switchAlert(ctx, req.AlertConfigurationID, true, req.Params.SubscriptionID)
	if err != nil {
		return nil, err
	}
	return gen.EnableAlert200JSONResponse(enabled), nil
}

// DisableAlert serves POST /v1/alerts/{alert_configuration_id}/disable.
func (s *Server) DisableAlert(ctx context.Context, req gen.DisableAlertRequestObject) (gen.DisableAlertResponseObject, error) {
	disabled, err := s.switchAlert(ctx, req.AlertConfigurationID, false, req.Params.SubscriptionID)
	if err != nil {
		return nil, err
	}
	return gen.DisableAlert200JSONResponse(disabled), nil
}

func (s *Server) switchAlert(ctx context.Context, id string, on bool, subscriptionID *string) (gen.Alert, error) {
	return s.onceAlert(ctx, func(tx *store.Tx) (alert.Alert, error) { return alert.Switch(tx, id, on, subscriptionID) })
}

// alertEditFromWire reads an update; what it names null is cleared.
func alertEditFromWire(ctx context.Context, in gen.AlertUpdate) (alert.Edit, error) {
	thresholds, err := wire.ReadThresholds("thresholds", in.Thresholds)
	edit := alert.Edit{Thresholds: thresholds}
	if sent(ctx, "price_filters") {
		filters := wire.ReadFilters(in.PriceFilters)
		edit.PriceFilters = &filters
	}
	if sent(ctx, "threshold_overrides") {
		overrides, overridesErr := wire.ReadThresholdOverrides(in.ThresholdOverrides)
		edit.ThresholdOverrides = &overrides
		err = fault.Join(err, overridesErr)
	}
	return edit, err
}
