package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Phase is the time that a phase of the plan takes in a subscription.
type Phase struct {
	store.Record
	SubscriptionID string
	PlanIntervalID string
	PhaseOrder     int // as the plan counts them, from 1
	StartAt        time.Time
	EndAt          *time.Time // exclusive; nil: open
	Aligned        bool       // billing cycles start again where it starts
}

// TableName is the table of phases.
func (Phase) TableName() string { return "subscription_phases" }

// PhaseAt returns the phase in force at an instant, nil on a plan without phases
// and outside of the subscription's life.
func (t Terms) PhaseAt(at time.Time) *Phase {
	if t.Status(at) != StatusActive {
		return nil
	}
	for k, phase := range t.Phases {
		if !at.Before(phase.StartAt) && (phase.EndAt == nil || at.Before(*phase.EndAt)) {
			return &t.Phases[k]
		}
	}
	return nil
}

// unroll places the phases of a plan, from the initial one on, one after the
// other from the start of a subscription. Months keep the start's day of the
// month, also after a month that lacks it (semantics 1.1.6). Phases that would
// begin at the end or after it are left out; the last one ends with it.
func unroll(tx *store.Tx, sub Subscription, planIntervalID string, plan []catalog.Phase, loc *time.Location) []Phase {
	var phases []Phase
	first := period.DateOf(sub.StartAt, loc)
	start, months, day := sub.StartAt, 0, first.Day
	for _, p := range plan {
		if sub.EndAt != nil && !start.Before(*sub.EndAt) {
			break
		}
		phase := Phase{
			Record: tx.Record("phase"), SubscriptionID: sub.ID, PlanIntervalID: planIntervalID, PhaseOrder: p.Order,
			StartAt: start, EndAt: sub.EndAt, Aligned: p.Aligned,
		}
		if length := p.Length(); !length.OneTime() {
			if length.Days > 0 { // months count again from where the days end
				first, months = period.DateOf(start, loc).AddDays(length.Days), 0
				day = first.Day
			}
			months += length.Months
			end := first.AddMonths(months, day).In(loc)
			if sub.EndAt == nil || end.Before(*sub.EndAt) {
				phase.EndAt = &end
			}
			start = end
		}
		phases = append(phases, phase)
	}
	return phases
}

// from leaves out the phases before the initial one.
func from(initial *int, plan []catalog.Phase) ([]catalog.Phase, error) {
	if initial == nil {
		return plan, nil
	}
	for k, phase := range plan {
		if phase.Order == *initial {
			return plan[k:], nil
		}
	}
	return nil, fault.NotPartOf("initial_phase_order", "must be a phase of the plan")
}

func phasesOf(in tableSource, has optionalParts, subscriptionIDs []string) (map[string][]Phase, error) {
	if !has.Phases {
		return nil, nil
	}
	var rows []Phase
	err := in("subscription_phases").Where("subscription_id IN ?", subscriptionIDs).Order("subscription_id, start_at, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	bySubscription := map[string][]Phase{}
	for _, row := range rows {
		bySubscription[row.SubscriptionID] = append(bySubscription[row.SubscriptionID], row)
	}
	return bySubscription, nil
}
