package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadMetric returns a metric with its item, which it reads.
func LoadMetric(tx *store.Tx, metric catalog.Metric) (gen.BillableMetric, error) {
	item, err := catalog.FindItem(tx, metric.ItemID)
	return Metric(metric, item), err
}

// Metric returns a metric with its item.
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
