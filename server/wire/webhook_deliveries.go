package wire

import (
	"encoding/json"

	"tollkeeper/domain/webhook"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadWebhookDelivery returns a delivery with the message that it sends.
func LoadWebhookDelivery(tx *store.Tx, d webhook.Delivery) (gen.WebhookDelivery, error) {
	shown, err := LoadWebhookDeliveries(tx, []webhook.Delivery{d})
	if err != nil {
		return gen.WebhookDelivery{}, err
	}
	return shown[0], nil
}

// LoadWebhookDeliveries returns deliveries with the messages that they send.
func LoadWebhookDeliveries(tx *store.Tx, deliveries []webhook.Delivery) ([]gen.WebhookDelivery, error) {
	bodies, err := webhook.Bodies(tx, deliveries)
	return MapSlice(deliveries, func(d webhook.Delivery) gen.WebhookDelivery {
		return gen.WebhookDelivery{
			ID:                d.ID,
			WebhookEndpointID: d.EndpointID,
			EventID:           d.MessageID,
			Type:              string(d.Type),
			Status:            gen.WebhookDeliveryStatus(d.Status),
			CreatedAt:         Instant(d.CreatedAt),
			NextAttemptAt:     OptionalInstant(d.NextAttemptAt),
			Attempts:          MapSlice(d.Attempts, webhookAttemptToWire),
			Payload:           json.RawMessage(bodies[d.MessageID]),
		}
	}), err
}

func webhookAttemptToWire(a webhook.Attempt) gen.WebhookAttempt {
	return gen.WebhookAttempt{AttemptedAt: Instant(a.At), ResponseStatus: a.Status, Error: a.Error}
}
