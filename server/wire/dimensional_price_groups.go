package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
)

// PriceGroup returns the price group as responses show it.
func PriceGroup(g catalog.DimensionalPriceGroup) gen.DimensionalPriceGroup {
	return gen.DimensionalPriceGroup{
		ID:                              g.ID,
		Name:                            g.Name,
		BillableMetricID:                g.MetricID,
		Dimensions:                      g.Dimensions,
		ExternalDimensionalPriceGroupID: g.ExternalDimensionalPriceGroupID,
		Metadata:                        Metadata(g.Metadata),
	}
}
