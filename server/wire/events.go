package wire

import (
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
)

// FoundEvent returns an event that a search found.
func FoundEvent(e event.Stored) gen.FoundEvent {
	shown := gen.FoundEvent{
		ID:         e.Key,
		EventName:  e.Name,
		Timestamp:  Instant(e.Timestamp),
		Properties: gen.FoundEventProperties{},
		Deprecated: e.Deprecated,
	}
	shown.CustomerID, shown.ExternalCustomerID = e.Reference()
	properties, _ := contract.ReadJSON([]byte(e.Properties)) // checked when the event was taken in
	for name, value := range properties.(map[string]any) {
		shown.Properties[name] = value
	}
	return shown
}

// MetricPreview returns what a metric would count of recent events.
func MetricPreview(p usage.Preview) gen.MetricPreview {
	return gen.MetricPreview{
		Value:  Number(p.Value),
		Events: p.Events,
		Newest: MapSlice(p.Newest, func(s usage.PreviewStep) gen.MetricPreviewEvent {
			return gen.MetricPreviewEvent{Event: FoundEvent(s.Event), Value: Number(s.Value)}
		}),
	}
}

// UncountedEvents returns the recent events that a metric has no number of.
func UncountedEvents(u usage.Uncounted) gen.UncountedEvents {
	return gen.UncountedEvents{
		Since: Instant(u.Since), Complete: u.Complete,
		Events: u.Events, Matched: u.Matched, WithoutNumber: u.Lacking,
		Examples: MapSlice(u.Examples, FoundEvent),
	}
}

// ChangedResends returns events that came again with another body.
func ChangedResends(c event.ChangedResends) gen.ChangedResends {
	return gen.ChangedResends{
		Since: Instant(c.Since), Events: c.Events,
		Examples: MapSlice(c.Examples, func(r event.ChangedResend) gen.ChangedResend {
			return gen.ChangedResend{Sent: FoundEvent(r.Sent), Kept: FoundEvent(r.Kept), SentAt: Instant(r.SentAt), Times: r.Times}
		}),
	}
}

// EventVolume returns the number of events in an hour, from timeframe_start up to timeframe_end.
func EventVolume(hour usage.HourCount) gen.EventVolume {
	return gen.EventVolume{
		Count:          int64(hour.Count),
		TimeframeStart: Instant(hour.Start),
		TimeframeEnd:   Instant(hour.Start.Add(time.Hour)),
	}
}

// EventFailures returns why events were refused, by idempotency key.
func EventFailures(failed []event.Failure) []gen.EventFailure {
	wire := make([]gen.EventFailure, len(failed))
	for i, f := range failed {
		wire[i] = gen.EventFailure{IdempotencyKey: f.Key, ValidationErrors: f.Reasons}
	}
	return wire
}
