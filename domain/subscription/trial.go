package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// setTrial gives a plan interval the trial of so many days that is asked for, nil for that of the
// plan. It ends at the local midnight as many days after the plan interval's first (semantics
// 6.3.8); 0 days are none.
func (s *PlanInterval) setTrial(days *int, plan catalog.Plan, loc *time.Location) {
	if days == nil {
		days = plan.TrialDays
	}
	if days != nil && *days > 0 {
		end := period.DateOf(s.StartAt, loc).AddDays(*days).In(loc)
		s.TrialEndAt = &end
	}
}

// resolveTrials gives each plan interval its trial, which ends with it. Where a migration made the
// next one, the trial goes on, and is of the plan interval that it began with.
func (t *Terms) resolveTrials() {
	for _, s := range t.PlanIntervals {
		if s.TrialEndAt == nil || !s.TrialEndAt.After(s.StartAt) {
			continue
		}
		end := *s.TrialEndAt
		if s.EndAt != nil && s.EndAt.Before(end) {
			end = *s.EndAt
		}
		origin := t.Origin(s)
		at := slices.IndexFunc(t.PlanIntervals, func(o PlanInterval) bool { return o.ID == origin.ID })
		t.PlanIntervals[at].tried = period.Period{Start: origin.StartAt, End: end}
	}
}

// trial is the time of the trial that began with a plan interval, false without one.
func (s PlanInterval) trial() (period.Period, bool) { return s.tried, s.tried.End.After(s.tried.Start) }

// TrialEndsAfter reports whether a trial ends after an instant.
func (t Terms) TrialEndsAfter(at time.Time) bool {
	return slices.ContainsFunc(t.PlanIntervals, func(s PlanInterval) bool {
		trial, has := s.trial()
		return has && trial.End.After(at)
	})
}

// NotifyTrialEnd announces a trial that ends now.
func (t Terms) NotifyTrialEnd(tx *store.Tx) {
	for _, s := range t.PlanIntervals {
		if trial, has := s.trial(); has && trial.End.Equal(tx.Now) {
			webhook.Announce(tx, webhook.SubscriptionTrialEnded, t.ID, nil)
		}
	}
}

// trialAt is the plan interval whose trial an instant lies in, and the time of that trial.
func (t Terms) trialAt(at time.Time) (in PlanInterval, trial period.Period, found bool) {
	for _, s := range t.PlanIntervals {
		if trial, has := s.trial(); has && trial.Contains(at) {
			return s, trial, true
		}
	}
	return in, trial, false
}

// afterTrial is a part of a cycle without the trial that it begins with.
func (t Terms) afterTrial(part period.Period, at time.Time) period.Period {
	for _, s := range t.PlanIntervals {
		if trial, has := s.trial(); has && trial.End.After(part.Start) && !trial.End.After(at) {
			part.Start = trial.End
		}
	}
	return part
}

// trialService is the service of a usage price for the time of a trial, which is billed with
// all of it where the trial or the subscription ends.
func (t Terms) trialService(i PriceInterval, s PlanInterval, trial period.Period) (ServicePeriod, bool) {
	part, ok := t.clip(trial, i)
	if !ok {
		return ServicePeriod{}, false
	}
	on := trial.End
	if t.EndAt != nil && t.EndAt.Before(on) {
		on = *t.EndAt
	}
	return ServicePeriod{Interval: i, Period: part, Cycle: part, BilledOn: on, From: part.Start, TrialOf: s.ID}, true
}
