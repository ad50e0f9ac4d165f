package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
)

// DimensionalPriceGroup returns a dimensional price group.
func DimensionalPriceGroup(g catalog.DimensionalPriceGroup) gen.DimensionalPriceGroup {
	return gen.DimensionalPriceGroup{
		ID:                              g.ID,
		Name:                            g.Name,
		BillableMetricID:                g.MetricID,
		Dimensions:                      g.Dimensions,
		ExternalDimensionalPriceGroupID: g.ExternalDimensionalPriceGroupID,
		Metadata:                        Metadata(g.Metadata),
	}
}
