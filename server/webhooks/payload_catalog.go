package webhooks

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

func payloadMetric(tx *store.Tx, id string) (any, error) {
	found, err := catalog.FindMetric(tx, id)
	if err != nil {
		return nil, err
	}
	return wire.LoadMetric(tx, found)
}

// metricBefore returns the members of a metric that an edit changed, as they were.
func metricBefore(tx *store.Tx, id string, before catalog.Metric) (any, error) {
	after, err := catalog.FindMetric(tx, id)
	if err != nil {
		return nil, err
	}
	item := catalog.Item{} // of both
	return previousAttributes(wire.Metric(before, item), wire.Metric(after, item))
}

func payloadPrice(tx *store.Tx, id string) (any, error) {
	found, err := catalog.FindPrice(tx, id)
	if err != nil {
		return nil, err
	}
	return wire.LoadPrice(tx, found)
}

// priceBefore returns the metadata of a price before an edit. Nothing else of a price can be edited.
func priceBefore(_ *store.Tx, _ string, before store.Metadata) (any, error) {
	return map[string]any{"previous_attributes": map[string]any{"metadata": wire.Metadata(before)}}, nil
}

func payloadPlan(tx *store.Tx, id string) (any, error) {
	found, err := catalog.FindPlan(tx, id)
	return gen.PlanMinified{ID: &found.ID, ExternalPlanID: found.ExternalPlanID, Name: &found.Name}, err
}
