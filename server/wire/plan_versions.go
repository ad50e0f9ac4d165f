package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadPlanVersion reads a new version of a plan: what it adds, replaces and removes.
func ReadPlanVersion(in gen.PlanVersionCreate) (catalog.NewVersion, error) {
	wanted := catalog.NewVersion{Version: in.Version, SetAsDefault: in.SetAsDefault != nil && *in.SetAsDefault}
	errs := make([]error, 4)
	wanted.AddPrices, errs[0] = entriesFromWire("add_prices", in.AddPrices, planPriceFromWire)
	wanted.ReplacePrices, errs[1] = entriesFromWire("replace_prices", in.ReplacePrices, replacedPriceFromWire)
	wanted.AddAdjustments, errs[2] = entriesFromWire("add_adjustments", in.AddAdjustments, planAdjustmentFromWire)
	wanted.ReplaceAdjustments, errs[3] = entriesFromWire("replace_adjustments", in.ReplaceAdjustments, replacedAdjustmentFromWire)
	wanted.RemovePrices = MapSlice(in.RemovePrices, func(r gen.RemovedPrice) catalog.Removal {
		return catalog.Removal{ID: r.PriceID, PhaseOrder: r.PlanPhaseOrder}
	})
	wanted.RemoveAdjustments = MapSlice(in.RemoveAdjustments, func(r gen.RemovedAdjustment) catalog.Removal {
		return catalog.Removal{ID: r.AdjustmentID, PhaseOrder: r.PlanPhaseOrder}
	})
	return wanted, fault.Join(errs...)
}

func replacedPriceFromWire(in gen.ReplacedPrice) (catalog.PlanPrice, error) {
	entry, err := oneKindOfPriceFromWire(in.Price, in.AllocationPrice, in.LicenseAllocationPrice)
	entry.ReplacesPriceID, entry.PhaseOrder = in.ReplacesPriceID, in.PlanPhaseOrder
	return entry, err
}

func replacedAdjustmentFromWire(in gen.ReplacedAdjustment) (catalog.PlanAdjustment, error) {
	wanted, err := newAdjustmentFromWire(in.Adjustment)
	return catalog.PlanAdjustment{
		Adjustment: wanted, PhaseOrder: in.PlanPhaseOrder, ReplacesAdjustmentID: in.ReplacesAdjustmentID,
	}, fault.In("adjustment", err)
}

// LoadPlanVersion returns a version of a plan with its prices.
func LoadPlanVersion(tx *store.Tx, plan catalog.Plan, version catalog.PlanVersion) (gen.PlanVersion, error) {
	names, err := LoadItemNames(tx, version.Prices)
	return versionToWire(version, plan.Currency, names), err
}

func versionToWire(version catalog.PlanVersion, currency money.Currency, itemNames map[string]string) gen.PlanVersion {
	shown := gen.PlanVersion{
		Version:     version.Version,
		CreatedAt:   Instant(version.CreatedAt),
		Prices:      Prices(version.Prices, itemNames, version.Adjustments...),
		Adjustments: adjustmentsToWire(version.Adjustments, currency),
	}
	for _, phase := range version.Phases {
		shown.PlanPhases = append(shown.PlanPhases, gen.PlanVersionPhase{
			ID: phase.ID, Name: phase.Name(), Order: phase.Order,
			Duration: phase.Duration, DurationUnit: (*gen.PhaseDurationUnit)(phase.DurationUnit),
		})
	}
	return shown
}
