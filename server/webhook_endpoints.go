package server

import (
	"context"

	"tollkeeper/domain/account"
	"tollkeeper/domain/webhook"
	"tollkeeper/gen"
	"tollkeeper/server/webhooks"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateWebhookEndpoint serves POST /v1/webhook_endpoints.
func (s *Server) CreateWebhookEndpoint(ctx context.Context, req gen.CreateWebhookEndpointRequestObject) (gen.CreateWebhookEndpointResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.WebhookEndpoint, error) {
		if err := s.checkWebhookURL(tx, req.Body.URL); err != nil {
			return gen.WebhookEndpoint{}, err
		}
		made, err := webhook.CreateEndpoint(tx, webhook.NewEndpoint{URL: req.Body.URL, EventTypes: wire.ReadEventTypes(req.Body.EventTypes)})
		return wire.WebhookEndpointWithSecret(made), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateWebhookEndpoint201JSONResponse(created), nil
}

// ListWebhookEndpoints serves GET /v1/webhook_endpoints.
func (s *Server) ListWebhookEndpoints(ctx context.Context, req gen.ListWebhookEndpointsRequestObject) (gen.ListWebhookEndpointsResponseObject, error) {
	var page gen.WebhookEndpointPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		endpoints, next, err := webhook.ListEndpoints(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.WebhookEndpointPage{Data: wire.MapSlice(endpoints, wire.WebhookEndpoint), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListWebhookEndpoints200JSONResponse(page), nil
}

// FetchWebhookEndpoint serves GET /v1/webhook_endpoints/{webhook_endpoint_id}.
func (s *Server) FetchWebhookEndpoint(ctx context.Context, req gen.FetchWebhookEndpointRequestObject) (gen.FetchWebhookEndpointResponseObject, error) {
	var found webhook.Endpoint
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = webhook.FindEndpoint(tx, req.WebhookEndpointID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchWebhookEndpoint200JSONResponse(wire.WebhookEndpoint(found)), nil
}

// UpdateWebhookEndpoint serves PUT /v1/webhook_endpoints/{webhook_endpoint_id}.
func (s *Server) UpdateWebhookEndpoint(ctx context.Context, req gen.UpdateWebhookEndpointRequestObject) (gen.UpdateWebhookEndpointResponseObject, error) {
	var updated webhook.Endpoint
	err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
		if req.Body.URL != nil {
			if err := s.checkWebhookURL(tx, *req.Body.URL); err != nil {
				return err
			}
		}
		updated, err = webhook.UpdateEndpoint(tx, req.WebhookEndpointID, func(e *webhook.Endpoint) {
			if req.Body.URL != nil {
				e.URL = *req.Body.URL
			}
			if sent(ctx, "event_types") {
				e.EventTypes = wire.ReadEventTypes(req.Body.EventTypes)
			}
			if req.Body.Enabled != nil {
				e.Enabled = *req.Body.Enabled
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateWebhookEndpoint200JSONResponse(wire.WebhookEndpoint(updated)), nil
}

// DeleteWebhookEndpoint serves DELETE /v1/webhook_endpoints/{webhook_endpoint_id}.
func (s *Server) DeleteWebhookEndpoint(ctx context.Context, req gen.DeleteWebhookEndpointRequestObject) (gen.DeleteWebhookEndpointResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, req.WebhookEndpointID) })
	if err != nil {
		return nil, err
	}
	return gen.DeleteWebhookEndpoint204Response{}, nil
}

// RotateWebhookSecret serves POST /v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret.
func (s *Server) RotateWebhookSecret(ctx context.Context, req gen.RotateWebhookSecretRequestObject) (gen.RotateWebhookSecretResponseObject, error) {
	rotated, err := once(ctx, s, func(tx *store.Tx) (gen.WebhookEndpoint, error) {
		rotated, err := webhook.RotateSecret(tx, req.WebhookEndpointID)
		return wire.WebhookEndpointWithSecret(rotated), err
	})
	if err != nil {
		return nil, err
	}
	return gen.RotateWebhookSecret200JSONResponse(rotated), nil
}

// TestWebhookEndpoint serves POST /v1/webhook_endpoints/{webhook_endpoint_id}/test.
func (s *Server) TestWebhookEndpoint(ctx context.Context, req gen.TestWebhookEndpointRequestObject) (gen.TestWebhookEndpointResponseObject, error) {
	sent, err := once(ctx, s, func(tx *store.Tx) (gen.WebhookDelivery, error) {
		sent, err := webhook.SendTest(tx, req.WebhookEndpointID, webhooks.WriteMessage)
		if err != nil {
			return gen.WebhookDelivery{}, err
		}
		return wire.LoadWebhookDelivery(tx, sent)
	})
	if err != nil {
		return nil, err
	}
	return gen.TestWebhookEndpoint200JSONResponse(sent), nil
}

func (s *Server) checkWebhookURL(tx *store.Tx, url string) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	return webhooks.CheckURL(url, settings.Test(), s.networks)
}
