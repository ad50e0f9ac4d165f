package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// PlanInterval is the time that a subscription spends on a version of a plan. What belongs to
// it begins and ends with it.
type PlanInterval struct {
	store.Record
	SubscriptionID string
	PlanID         string
	PlanVersion    int
	StartAt        time.Time
	EndAt          *time.Time `gorm:"-"` // where the next one starts; nil: open

	AnchorDay   *int // where billing cycles begin from then on; nil: where they did
	AnchorMonth *int
	AnchorYear  *int

	AutoCollection     *bool // settings of the subscription from then on; nil: as before
	AutoIssuance       *bool
	DefaultInvoiceMemo *string
	NetTermsDays       *int
	InvoicingThreshold *money.Decimal

	Scope // of the usage prices that begin with it

	TrialEndAt *time.Time // until when fees are not charged and usage is free; nil: no trial
	EndsAt     *time.Time // where the last phase of the plan ends the subscription; nil: nowhere

	Plan catalog.Plan `gorm:"-"`

	tried period.Period // its trial, as far as that lasts; empty: none
}

// Anchor is where billing cycles begin from its start on, if that is somewhere else than
// before.
func (s PlanInterval) Anchor() (anchor period.Anchor, realigned bool) {
	if s.AnchorDay == nil {
		return anchor, false
	}
	return period.Anchor{Day: *s.AnchorDay, Month: s.AnchorMonth, Year: s.AnchorYear}, true
}

// PlanInterval is the one at an instant. Before the start it is the one with which the
// subscription begins.
func (t Terms) PlanInterval(at time.Time) PlanInterval {
	if at.Before(t.StartAt) {
		at = t.StartAt
	}
	current := t.PlanIntervals[0]
	for _, s := range t.PlanIntervals {
		if !s.StartAt.After(at) {
			current = s
		}
	}
	return current
}

// Origin is the plan interval from which one goes on that a migration made, which brings along
// what was billed before; any other is its own.
func (t Terms) Origin(s PlanInterval) PlanInterval {
	for k := len(t.PlanIntervals) - 1; k > 0; k-- {
		brought := func(i PriceInterval) bool { return t.of(i).ID == s.ID && i.StartAt.Before(s.StartAt) }
		if t.PlanIntervals[k].ID == s.ID && slices.ContainsFunc(t.Intervals, brought) {
			s = t.PlanIntervals[k-1]
		}
	}
	return s
}

// clipToPlanIntervals cuts what belongs to plan intervals to their time. What they do not reach is left out.
func (t *Terms) clipToPlanIntervals() {
	byID := map[string]PlanInterval{}
	for _, s := range t.PlanIntervals {
		byID[s.ID] = s
	}
	cut := func(end **time.Time, at *time.Time) {
		if at != nil && (*end == nil || at.Before(**end)) {
			*end = at
		}
	}
	t.Intervals = slices.DeleteFunc(t.Intervals, func(i PriceInterval) bool {
		return t.of(i).beginsAfterEnd(i.StartAt)
	})
	for k := range t.Intervals {
		i := &t.Intervals[k]
		s := t.of(*i)
		i.PlanID = s.PlanID
		cut(&i.EndAt, s.EndAt)
	}
	t.Adjustments = slices.DeleteFunc(t.Adjustments, func(a AdjustmentInterval) bool {
		return a.PlanIntervalID != nil && byID[*a.PlanIntervalID].beginsAfterEnd(a.StartAt)
	})
	for k := range t.Adjustments {
		a := &t.Adjustments[k]
		if a.PlanIntervalID != nil {
			cut(&a.EndAt, byID[*a.PlanIntervalID].EndAt)
		}
		if a.CouponID != nil {
			cut(&a.EndAt, t.EndAt)
		}
	}
	t.Phases = slices.DeleteFunc(t.Phases, func(p Phase) bool { return byID[p.PlanIntervalID].beginsAfterEnd(p.StartAt) })
	for k := range t.Phases {
		cut(&t.Phases[k].EndAt, byID[t.Phases[k].PlanIntervalID].EndAt)
	}
	t.resolveTrials()
}

// PlanIntervalOf is the plan interval that a price belongs to: the last one, if migrations let it go on.
func (t Terms) PlanIntervalOf(i PriceInterval) PlanInterval { return t.of(i) }

// of is the plan interval that a price belongs to.
func (t Terms) of(i PriceInterval) PlanInterval {
	for _, s := range t.PlanIntervals {
		if i.PlanIntervalID != nil && s.ID == *i.PlanIntervalID {
			return s
		}
	}
	return t.PlanInterval(i.StartAt)
}

// beginsAfterEnd reports whether what would begin then does not begin in the plan interval.
func (s PlanInterval) beginsAfterEnd(start time.Time) bool {
	return s.EndAt != nil && !start.Before(*s.EndAt)
}

// planIntervalsOf reads the plan intervals of subscriptions, by subscription and start, without their
// plans.
func planIntervalsOf(in tableSource, subscriptionIDs []string) (map[string][]PlanInterval, error) {
	var rows []PlanInterval
	err := in("plan_intervals").Where("subscription_id IN ?", subscriptionIDs).Order("subscription_id, start_at, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	bySubscription := map[string][]PlanInterval{}
	for _, row := range rows {
		before := bySubscription[row.SubscriptionID]
		if n := len(before); n > 0 {
			before[n-1].EndAt = &row.StartAt
		}
		bySubscription[row.SubscriptionID] = append(before, row)
	}
	return bySubscription, nil
}

// ActivatePlanInterval puts a subscription on the plan of the plan interval at tx.Now. One that has not begun
// stays on the plan that it was made with: a change of that can still be taken back.
func ActivatePlanInterval(tx *store.Tx, t *Terms) error {
	s := t.PlanInterval(tx.Now)
	if s.ID == t.CurrentPlanIntervalID || s.StartAt.After(tx.Now) {
		return nil
	}
	sub := &t.Subscription
	if s.PlanID != sub.PlanID {
		webhook.Announce(tx, webhook.SubscriptionPlanChanged, t.ID, webhook.Properties{"previous_plan_id": sub.PlanID})
	}
	sub.PlanID, sub.PlanVersion, sub.CurrentPlanIntervalID = s.PlanID, s.PlanVersion, s.ID
	t.Plan = s.Plan
	if s.AutoCollection != nil {
		sub.AutoCollection = s.AutoCollection
	}
	if s.AutoIssuance != nil {
		sub.AutoIssuance = s.AutoIssuance
	}
	if s.DefaultInvoiceMemo != nil {
		sub.DefaultInvoiceMemo = s.DefaultInvoiceMemo
	}
	if s.NetTermsDays != nil {
		sub.NetTermsDays = s.NetTermsDays
	}
	if s.InvoicingThreshold != nil {
		sub.InvoicingThreshold, sub.AccrualChanged = s.InvoicingThreshold, true
	}
	return tx.Model(sub).
		Select("invoicing_threshold", "accrual_changed", "plan_id", "plan_version", "current_plan_interval_id", "auto_collection", "auto_issuance", "default_invoice_memo", "net_terms_days").
		Updates(sub).Error
}

// ListSchedule returns a page of the plan intervals of a subscription, the last one first.
func ListSchedule(tx *store.Tx, subscriptionID string, started store.Range, page store.Page) (planIntervals []PlanInterval, next string, err error) {
	t, err := Find(tx, subscriptionID)
	if err != nil {
		return nil, "", err
	}
	query := started.On(tx.Model(&PlanInterval{}).Where("subscription_id = ?", t.ID), "start_at")
	rows, next, err := store.ListBy(query, page, "start_at", func(s PlanInterval) time.Time { return s.StartAt })
	for _, row := range rows {
		at := slices.IndexFunc(t.PlanIntervals, func(s PlanInterval) bool { return s.ID == row.ID })
		planInterval := t.PlanIntervals[at]
		if planInterval.EndAt == nil {
			planInterval.EndAt = t.EndAt
		}
		planIntervals = append(planIntervals, planInterval)
	}
	return planIntervals, next, err
}
