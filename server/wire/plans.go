package wire

import (
	"reflect"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadPlan reads a new plan. Two equal entries of prices are refused, since they would bill twice.
func ReadPlan(in gen.PlanCreate) (catalog.NewPlan, error) {
	wanted := catalog.NewPlan{
		Name:               in.Name,
		Currency:           money.Currency(in.Currency),
		ExternalPlanID:     in.ExternalPlanID,
		Description:        in.Description,
		NetTermsDays:       in.NetTerms,
		DefaultInvoiceMemo: in.DefaultInvoiceMemo,
		Status:             catalog.PlanActive,
		Metadata:           ReadMetadata(in.Metadata),
		Phases:             MapSlice(in.PlanPhases, newPhaseFromWire),
	}
	if in.Status != nil {
		wanted.Status = catalog.PlanStatus(*in.Status)
	}
	var pricesErr, adjustmentsErr error
	wanted.Prices, pricesErr = entriesFromWire("prices", in.Prices, planPriceFromWire)
	wanted.Adjustments, adjustmentsErr = entriesFromWire("adjustments", in.Adjustments, planAdjustmentFromWire)
	return wanted, fault.Join(pricesErr, adjustmentsErr, distinct("prices", in.Prices))
}

func newPhaseFromWire(in gen.NewPlanPhase) catalog.NewPhase {
	wanted := catalog.NewPhase{
		Order: in.Order, Duration: in.Duration,
		Aligned: in.AlignBillingWithPhaseStartDate != nil && *in.AlignBillingWithPhaseStartDate,
	}
	if in.DurationUnit != nil {
		unit := catalog.PhaseUnit(*in.DurationUnit)
		wanted.DurationUnit = &unit
	}
	return wanted
}

// distinct refuses an entry that equals one before it.
func distinct[Wire any](field string, in []Wire) error {
	var faults []error
	for i, each := range in {
		if slices.ContainsFunc(in[:i], func(before Wire) bool { return reflect.DeepEqual(before, each) }) {
			faults = append(faults, fault.Bad(contract.IndexPath(field, i), "must differ from the entries before it"))
		}
	}
	return fault.Join(faults...)
}

func planPriceFromWire(in gen.PlanPriceEntry) (catalog.PlanPrice, error) {
	entry, err := oneKindOfPriceFromWire(in.Price, in.AllocationPrice, in.LicenseAllocationPrice)
	entry.PhaseOrder = in.PlanPhaseOrder
	return entry, err
}

// oneKindOfPriceFromWire reads the price of an entry, which has exactly one of three kinds.
func oneKindOfPriceFromWire(price *gen.NullableNewPlanPrice, allocation *gen.NewAllocationPrice, license *gen.NewLicenseAllocationPrice) (catalog.PlanPrice, error) {
	given := 0
	for _, is := range []bool{price != nil, allocation != nil, license != nil} {
		if is {
			given++
		}
	}
	var entry catalog.PlanPrice
	var err error
	switch {
	case given != 1:
		return entry, fault.Bad("price, allocation_price, license_allocation_price", "exactly one must be specified")
	case price != nil:
		entry.Price, entry.ReferenceID, err = ReadPrice(price)
		return entry, fault.In("price", err)
	case allocation != nil:
		entry.Price, err = allocationFromWire(*allocation)
		return entry, fault.In("allocation_price", err)
	default:
		entry.Price, entry.ReferenceID, err = licenseAllocationFromWire(*license)
		return entry, fault.In("license_allocation_price", err)
	}
}

func planAdjustmentFromWire(in gen.PlanAdjustmentEntry) (catalog.PlanAdjustment, error) {
	wanted, err := newAdjustmentFromWire(in.Adjustment)
	return catalog.PlanAdjustment{Adjustment: wanted, PhaseOrder: in.PlanPhaseOrder}, fault.In("adjustment", err)
}

// LoadPlan returns a plan with the prices of its default version.
func LoadPlan(tx *store.Tx, plan catalog.Plan) (gen.Plan, error) {
	plans, err := LoadPlans(tx, []catalog.Plan{plan})
	if err != nil {
		return gen.Plan{}, err
	}
	return plans[0], nil
}

// LoadPlans returns plans with the prices of their default versions. The number of queries does not
// depend on the number of plans.
func LoadPlans(tx *store.Tx, plans []catalog.Plan) ([]gen.Plan, error) {
	versions, err := catalog.DefaultVersions(tx, plans)
	if err != nil {
		return nil, err
	}
	var all []catalog.Price
	for _, version := range versions {
		all = append(all, version.Prices...)
	}
	names, err := LoadItemNames(tx, all)
	return MapSlice(plans, func(p catalog.Plan) gen.Plan { return planToWire(p, versions[p.ID], names) }), err
}

func planToWire(plan catalog.Plan, version catalog.PlanVersion, itemNames map[string]string) gen.Plan {
	legacy := legacyToWire(atInvoiceLevel(version.Adjustments), plan.Currency)
	return gen.Plan{
		ID:                 plan.ID,
		Name:               plan.Name,
		ExternalPlanID:     plan.ExternalPlanID,
		Description:        plan.Description,
		Status:             gen.PlanStatus(plan.Status),
		Version:            plan.Version,
		CreatedAt:          Instant(plan.CreatedAt),
		Currency:           gen.Currency(plan.Currency),
		InvoicingCurrency:  gen.Currency(plan.InvoicingCurrency),
		NetTerms:           plan.NetTermsDays,
		DefaultInvoiceMemo: plan.DefaultInvoiceMemo,
		Prices:             Prices(version.Prices, itemNames, version.Adjustments...),
		Adjustments:        adjustmentsToWire(version.Adjustments, plan.Currency),
		PlanPhases:         phasesToWire(version, plan.Currency),
		Product:            gen.Product{ID: plan.ProductID, Name: plan.Name, CreatedAt: Instant(plan.CreatedAt)},
		TrialConfig:        gen.TrialConfig{TrialPeriod: plan.TrialDays, TrialPeriodUnit: gen.TrialPeriodUnitDays},
		Discount:           legacy.Discount,
		Minimum:            legacy.Minimum,
		MinimumAmount:      legacy.MinimumAmount,
		Maximum:            legacy.Maximum,
		MaximumAmount:      legacy.MaximumAmount,
		Metadata:           Metadata(plan.Metadata),
	}
}

// phasesToWire shows the phases of a plan, nil where it has none, each with its
// adjustments in their legacy form.
func phasesToWire(version catalog.PlanVersion, currency money.Currency) []gen.PlanPhase {
	var shown []gen.PlanPhase
	for _, phase := range version.Phases {
		legacy := legacyToWire(atInvoiceLevel(inPhase(phase.Order, version.Adjustments)), currency)
		shown = append(shown, gen.PlanPhase{
			ID:            phase.ID,
			Name:          phase.Name(),
			Order:         phase.Order,
			Duration:      phase.Duration,
			DurationUnit:  (*gen.PhaseDurationUnit)(phase.DurationUnit),
			Discount:      legacy.Discount,
			Minimum:       legacy.Minimum,
			MinimumAmount: legacy.MinimumAmount,
			Maximum:       legacy.Maximum,
			MaximumAmount: legacy.MaximumAmount,
		})
	}
	return shown
}
