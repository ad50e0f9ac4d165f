package server

import (
	"context"

	"tollkeeper/domain/webhook"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListWebhookDeliveries serves GET /v1/webhook_deliveries.
func (s *Server) ListWebhookDeliveries(ctx context.Context, req gen.ListWebhookDeliveriesRequestObject) (gen.ListWebhookDeliveriesResponseObject, error) {
	p := req.Params
	filter := webhook.Filter{
		EndpointID: wire.Deref(p.WebhookEndpointID),
		Type:       webhook.Type(wire.Deref(p.Type)),
		Status:     webhook.Status(wire.Deref(p.Status)),
	}
	var page gen.WebhookDeliveryPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		deliveries, next, err := webhook.ListDeliveries(tx, filter, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = wire.Page(next)
		page.Data, err = wire.LoadWebhookDeliveries(tx, deliveries)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListWebhookDeliveries200JSONResponse(page), nil
}

// FetchWebhookDelivery serves GET /v1/webhook_deliveries/{webhook_delivery_id}.
func (s *Server) FetchWebhookDelivery(ctx context.Context, req gen.FetchWebhookDeliveryRequestObject) (gen.FetchWebhookDeliveryResponseObject, error) {
	var shown gen.WebhookDelivery
	err := s.store.View(ctx, func(tx *store.Tx) error {
		found, err := webhook.FindDelivery(tx, req.WebhookDeliveryID)
		if err != nil {
			return err
		}
		shown, err = wire.LoadWebhookDelivery(tx, found)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchWebhookDelivery200JSONResponse(shown), nil
}

// ResendWebhookDelivery serves POST /v1/webhook_deliveries/{webhook_delivery_id}/resend.
func (s *Server) ResendWebhookDelivery(ctx context.Context, req gen.ResendWebhookDeliveryRequestObject) (gen.ResendWebhookDeliveryResponseObject, error) {
	sent, err := once(ctx, s, func(tx *store.Tx) (gen.WebhookDelivery, error) {
		sent, err := webhook.Resend(tx, req.WebhookDeliveryID)
		if err != nil {
			return gen.WebhookDelivery{}, err
		}
		return wire.LoadWebhookDelivery(tx, sent)
	})
	if err != nil {
		return nil, err
	}
	return gen.ResendWebhookDelivery200JSONResponse(sent), nil
}

// ResendWebhookDeliveries serves POST /v1/webhook_deliveries/resend.
func (s *Server) ResendWebhookDeliveries(ctx context.Context, req gen.ResendWebhookDeliveriesRequestObject) (gen.ResendWebhookDeliveriesResponseObject, error) {
	start, startErr := wire.ReadDateTime("timeframe_start", req.Body.TimeframeStart)
	end, endErr := wire.ReadDateTime("timeframe_end", req.Body.TimeframeEnd)
	if err := fault.Join(startErr, endErr); err != nil {
		return nil, err
	}
	filter := webhook.Filter{
		EndpointID: req.Body.WebhookEndpointID,
		Type:       webhook.Type(wire.Deref(req.Body.Type)),
		Status:     webhook.StatusFailed,
		CreatedAt:  store.Range{Gte: &start, Lt: &end},
	}
	if req.Body.Status != nil {
		filter.Status = webhook.Status(*req.Body.Status)
	}
	resent, err := once(ctx, s, func(tx *store.Tx) (gen.WebhookDeliveriesResent, error) {
		n, err := webhook.ResendAll(tx, filter)
		return gen.WebhookDeliveriesResent{Resent: int(n)}, err
	})
	if err != nil {
		return nil, err
	}
	return gen.ResendWebhookDeliveries200JSONResponse(resent), nil
}
