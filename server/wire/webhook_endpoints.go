package wire

import (
	"tollkeeper/domain/webhook"
	"tollkeeper/gen"
)

// ReadEventTypes reads the types that an endpoint subscribes to. Nil stays nil, which means all
// types.
func ReadEventTypes(names []string) *[]webhook.Type {
	if names == nil {
		return nil
	}
	types := MapSlice(names, func(name string) webhook.Type { return webhook.Type(name) })
	return &types
}

// WebhookEndpoint returns an endpoint without its secret.
func WebhookEndpoint(e webhook.Endpoint) gen.WebhookEndpoint {
	shown := gen.WebhookEndpoint{ID: e.ID, URL: e.URL, Enabled: e.Enabled, CreatedAt: Instant(e.CreatedAt)}
	if e.EventTypes != nil {
		shown.EventTypes = MapSlice(*e.EventTypes, func(t webhook.Type) string { return string(t) })
	}
	return shown
}

// WebhookEndpointWithSecret returns an endpoint with its secret: only the responses that make or
// rotate the secret show it.
func WebhookEndpointWithSecret(e webhook.Endpoint) gen.WebhookEndpoint {
	shown := WebhookEndpoint(e)
	shown.Secret = &e.Secret
	return shown
}
