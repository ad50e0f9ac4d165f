package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadMetric shows a metric with its item.
func LoadMetric(tx *store.Tx, metric catalog.Metric) (gen.BillableMetric, error) {
	item, err := catalog.FindItem(tx, metric.ItemID)
	return Metric(metric, item), err
}

// Metric returns the metric as responses show it.
func Metric(metric catalog.Metric, item catalog.Item) gen.BillableMetric {
	return gen.BillableMetric{
		ID:          metric.ID,
		Name:        metric.Name,
		Description: metric.Description,
		Item:        Item(item),
		SQL:         metric.SQL,
		Status:      gen.MetricStatus(metric.Status),
		Metadata:    Metadata(metric.Metadata),

		ParameterDefinitions: parameterDefinitionsToWire(metric),
	}
}
