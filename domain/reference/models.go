package reference

import (
	"bytes"
	"encoding/json"
	"errors"

	"fmt"
	"math/big"
	"reflect"
)

// model is a price model with its configuration.
type model interface {
	inputs() Inputs
	rate(Usage) *big.Rat
}

// modelOf reads the configuration of a model. Its keys are those of the contract; another
// one is an error, since it could mean something.
func modelOf(modelType string, config json.RawMessage) (model, error) {
	m := map[string]model{
		"unit":                                &unit{},
		"tiered":                              &tiered{},
		"bulk":                                &bulk{},
		"bulk_with_filters":                   &bulkWithFilters{},
		"package":                             &packages{},
		"matrix":                              &matrix{},
		"threshold_total_amount":              &thresholdTotalAmount{},
		"tiered_package":                      &tieredPackage{},
		"tiered_with_minimum":                 &tieredWithMinimum{},
		"grouped_tiered":                      &groupedTiered{},
		"grouped_tiered_matrix":               &groupedTieredMatrix{},
		"tiered_package_with_minimum":         &tieredPackageWithMinimum{},
		"package_with_allocation":             &packageWithAllocation{},
		"unit_with_percent":                   &unitWithPercent{},
		"matrix_with_allocation":              &matrixWithAllocation{},
		"matrix_with_threshold_discounts":     &matrixWithThresholdDiscounts{},
		"tiered_with_proration":               &tieredWithProration{},
		"unit_with_proration":                 &unitWithProration{},
		"grouped_allocation":                  &groupedAllocation{},
		"bulk_with_proration":                 &bulkWithProration{},
		"grouped_with_prorated_minimum":       &groupedWithProratedMinimum{},
		"grouped_with_metered_minimum":        &groupedWithMeteredMinimum{},
		"grouped_with_min_max_thresholds":     &groupedWithMinMaxThresholds{},
		"matrix_with_display_name":            &matrixWithDisplayName{},
		"grouped_tiered_package":              &groupedTieredPackage{},
		"max_group_tiered_package":            &maxGroupTieredPackage{},
		"scalable_matrix_with_unit_pricing":   &scalableMatrixWithUnitPricing{},
		"scalable_matrix_with_tiered_pricing": &scalableMatrixWithTieredPricing{},
		"cumulative_grouped_bulk":             &cumulativeGroupedBulk{},
		"cumulative_grouped_allocation":       &cumulativeGroupedAllocation{},
		"daily_credit_allowance":              &dailyCreditAllowance{},
		"metered_allowance":                   &meteredAllowance{},
		"minimum_composite":                   &minimumComposite{},
		"percent":                             &percentOfOthers{},
		"event_output":                        &eventOutput{},
	}[modelType]
	if m == nil {
		return nil, fmt.Errorf("price model %q: %w", modelType, ErrNotCovered)
	}
	decoder := json.NewDecoder(bytes.NewReader(config))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(m); err != nil {
		return nil, fmt.Errorf("configuration of price model %q: %w", modelType, err)
	}
	if err := complete(reflect.ValueOf(m).Elem()); err != nil {
		return nil, fmt.Errorf("configuration of price model %q: %w", modelType, err)
	}
	return m, nil
}

// complete fails for a configuration without a number that it must have, or without tiers.
func complete(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Struct:
		if d, ok := v.Interface().(decimal); ok {
			if d.Rat == nil {
				return errors.New("a number is missing")
			}
			return nil
		}
		for k := 0; k < v.NumField(); k++ {
			name := v.Type().Field(k).Name
			if err := complete(v.Field(k)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if name == "Tiers" && v.Field(k).Len() == 0 {
				return errors.New("there are no tiers")
			}
		}
	case reflect.Slice:
		for k := 0; k < v.Len(); k++ {
			if err := complete(v.Index(k)); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	whole      = Inputs{Whole: true}
	components = Inputs{Components: true}
)

// splitBy are the inputs of a model that rates each value, or tuple of values, of properties.
func splitBy(properties ...*string) (in Inputs) {
	for _, name := range properties {
		if name != nil && !contains(in.Properties, *name) {
			in.Properties = append(in.Properties, *name)
		}
	}
	return in
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// prorated is an amount for a part of a period, where a flag says so.
func prorated(amount *big.Rat, u Usage, flag bool) *big.Rat {
	if !flag {
		return amount
	}
	return times(amount, u.Share)
}
