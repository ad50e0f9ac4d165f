package catalog

import (
	"fmt"

	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Phase is a part of a plan's time, such as a ramp has. The same phases are in
// all versions of the plan; prices and adjustments belong to one each.
type Phase struct {
	store.Record
	PlanID       string
	Order        int        `gorm:"column:phase_order"` // from 1, without gaps
	Duration     *int       // in units, positive; nil: open-ended, in the last phase only
	DurationUnit *PhaseUnit // never nil beside a duration
	Aligned      bool       // billing cycles start again where the phase starts
}

// TableName is the table of the phases of plans.
func (Phase) TableName() string { return "plan_phases" }

// PhaseUnit is what the duration of a phase counts.
type PhaseUnit string

// The units, as the wire spells them.
const (
	PhaseDaily      PhaseUnit = "daily"
	PhaseMonthly    PhaseUnit = "monthly"
	PhaseQuarterly  PhaseUnit = "quarterly"
	PhaseSemiAnnual PhaseUnit = "semi_annual"
	PhaseAnnual     PhaseUnit = "annual"
)

// Name is what the phase is called (semantics 5.1.11).
func (p Phase) Name() string { return fmt.Sprintf("Phase %d", p.Order) }

// Length is how long the phase is; the zero Length for one that is open-ended.
func (p Phase) Length() period.Length {
	if p.Duration == nil {
		return period.Length{}
	}
	return p.DurationUnit.times(*p.Duration)
}

// NewPhase is what a client asks for.
type NewPhase struct {
	Order        int
	Duration     *int
	DurationUnit *PhaseUnit // nil: months
	Aligned      bool
}

// century is as long as a phase may be: it ends at an instant that can be written.
var century = period.Length{Months: 1200}

// newPhases makes the phases of a plan, which the client may give in any order
// (semantics 5.1.6).
func newPhases(tx *store.Tx, planID string, wanted []NewPhase) ([]Phase, error) {
	phases := make([]Phase, len(wanted))
	faults := make([]error, len(wanted))
	for i, in := range wanted {
		phase, err := in.record(tx, planID)
		orderErr := in.checkOrder(phases)
		if orderErr == nil {
			phases[in.Order-1] = phase
		}
		faults[i] = fault.In(fmt.Sprintf("plan_phases[%d]", i), fault.Join(orderErr, err))
	}
	return phases, fault.Join(faults...)
}

// checkOrder tells whether the phase has a place among all: those that are placed
// already have ids.
func (in NewPhase) checkOrder(phases []Phase) error {
	switch {
	case in.Order < 1 || in.Order > len(phases):
		return fault.Bad("order", "must be from 1 to the number of phases")
	case phases[in.Order-1].ID != "":
		return fault.Bad("order", "must differ from those of the phases before it")
	case in.Duration == nil && in.Order < len(phases):
		return fault.Bad("duration", "is required, since only the last phase may be open-ended")
	}
	return nil
}

func (in NewPhase) record(tx *store.Tx, planID string) (Phase, error) {
	phase := Phase{
		Record: tx.Record("phase"), PlanID: planID,
		Order: in.Order, Duration: in.Duration, DurationUnit: in.DurationUnit, Aligned: in.Aligned,
	}
	if in.Duration == nil {
		return phase, nil
	}
	if in.DurationUnit == nil {
		monthly := PhaseMonthly
		phase.DurationUnit = &monthly
	}
	const days = 36_525 // of a century
	switch {
	case *in.Duration < 1:
		return phase, fault.Bad("duration", "must be positive")
	case *in.Duration > days || phase.Length().Compare(century) > 0:
		return phase, fault.Bad("duration", "must be at most a hundred years")
	}
	return phase, nil
}

// checkPhase tells whether an entry of a request names a phase as it has to.
func checkPhase(order *int, phases int) error {
	const field = "plan_phase_order"
	switch {
	case phases == 0 && order != nil:
		return fault.Bad(field, "must not be given, since the plan has no phases")
	case phases > 0 && order == nil:
		return fault.Bad(field, "is required, since the plan has phases")
	case order != nil && (*order < 1 || *order > phases):
		return fault.Bad(field, "must be that of a phase of the plan")
	}
	return nil
}

func (u PhaseUnit) times(n int) period.Length {
	switch u {
	case PhaseDaily:
		return period.Length{Days: n}
	case PhaseQuarterly:
		return period.Length{Months: 3 * n}
	case PhaseSemiAnnual:
		return period.Length{Months: 6 * n}
	case PhaseAnnual:
		return period.Length{Months: 12 * n}
	}
	return period.Length{Months: n}
}
