package wire

import (
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
)

// StoredEvent returns the stored event as responses show it.
func StoredEvent(e event.Stored) gen.FoundEvent {
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

// HourCount returns the hour count as responses show it.
func HourCount(hour usage.HourCount) gen.EventVolume {
	return gen.EventVolume{
		Count:          int64(hour.Count),
		TimeframeStart: Instant(hour.Start),
		TimeframeEnd:   Instant(hour.Start.Add(time.Hour)),
	}
}
