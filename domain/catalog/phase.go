package catalog

import (
	"fmt"

	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Phase is a part of a plan's time, such as a ramp has. The same phases are in
// all versions of the plan; prices and adjustments belong to one each.
type Phase struct {
	store.Record
	PlanID       string
	Order        int        `gorm:"column:phase_order"` // from 1, without gaps
	Duration     *int       // in units, positive; nil: open-ended, in the last phase only
	DurationUnit *PhaseUnit // never nil beside a duration
	Aligned      bool       // billing cycles begin anew where the phase starts
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
