package alert

import (
	"fmt"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/store/fault"
)

// checkThresholds refuses equal thresholds, and an empty list if needed is set (semantics 12.2.12).
func checkThresholds(field string, thresholds []money.Decimal, needed bool) error {
	if needed && len(thresholds) == 0 {
		return fault.Bad(field, "must have at least one threshold")
	}
	for k, t := range thresholds {
		if slices.ContainsFunc(thresholds[:k], t.Equal) {
			return fault.Bad(fmt.Sprintf("%s[%d].value", field, k), "must differ from the other thresholds")
		}
	}
	return nil
}

// checkShares refuses thresholds of licenses that are not percentages above 0.
func checkShares(thresholds []money.Decimal) error {
	var faults []error
	for k, t := range thresholds {
		if t.Sign() <= 0 || t.Cmp(money.FromInt(100)) > 0 {
			faults = append(faults, fault.Bad(fmt.Sprintf("thresholds[%d].value", k), "must be a percentage, above 0 and up to 100"))
		}
	}
	return fault.Join(faults...)
}

// checkOverrides refuses overrides without one value for each of the keys, and two for one group.
func checkOverrides(overrides []Override, keys int) error {
	if len(overrides) > 0 && keys == 0 {
		return fault.Bad("threshold_overrides", "must be given together with grouping_keys")
	}
	var faults []error
	for k, o := range overrides {
		place := fmt.Sprintf("threshold_overrides[%d]", k)
		same := func(other Override) bool { return slices.Equal(other.GroupValues, o.GroupValues) }
		switch {
		case len(o.GroupValues) != keys:
			faults = append(faults, fault.Bad(place+".group_values", "must have one value for each grouping key"))
		case slices.ContainsFunc(overrides[:k], same):
			faults = append(faults, fault.Bad(place+".group_values", "must differ from the groups of the other overrides"))
		}
		faults = append(faults, checkThresholds(place+".thresholds", o.Thresholds, false))
	}
	return fault.Join(faults...)
}

// For returns the thresholds of a group: its override, else those of the alert. Group is empty for an
// alert without groups.
func (a Alert) For(group []string) []money.Decimal {
	for _, o := range a.ThresholdOverrides {
		if slices.Equal(o.GroupValues, group) {
			return o.Thresholds
		}
	}
	return a.Thresholds
}

// Reached returns the thresholds that are at or below the value, in ascending order (semantics
// 12.2.1).
func Reached(thresholds []money.Decimal, value money.Decimal) []money.Decimal {
	return sorted(thresholds, func(t money.Decimal) bool { return value.Cmp(t) >= 0 })
}

// atOrAbove returns the thresholds that are at or above the balance, in ascending order.
func atOrAbove(thresholds []money.Decimal, balance money.Decimal) []money.Decimal {
	return sorted(thresholds, func(t money.Decimal) bool { return balance.Cmp(t) <= 0 })
}

func sorted(thresholds []money.Decimal, wanted func(money.Decimal) bool) []money.Decimal {
	kept := []money.Decimal{}
	for _, t := range thresholds {
		if wanted(t) {
			kept = append(kept, t)
		}
	}
	slices.SortFunc(kept, money.Decimal.Cmp)
	return kept
}
