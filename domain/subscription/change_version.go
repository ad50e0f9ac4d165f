package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// MoveTo puts a subscription that is on a plan on another version of it, from now on or
// from its start. Prices and adjustments that both versions have go on as they are, and
// so do those that are the subscription's own; what takes the place of one that the
// subscription does not have, since it was removed or replaced, does not come. A
// subscription that is not on the plan any more, on the version already, or over is left
// as it is.
func MoveTo(tx *store.Tx, t Terms, planID string, number int) error {
	at := later(tx.Now, t.StartAt)
	planInterval := t.PlanInterval(at)
	if t.Status(tx.Now) == StatusEnded || planInterval.PlanID != planID || planInterval.PlanVersion == number {
		return nil
	}
	from, err := catalog.FindVersion(tx, planID, planInterval.PlanVersion)
	if err != nil {
		return err
	}
	to, err := catalog.FindVersion(tx, planID, number)
	if err != nil {
		return err
	}
	standsFor, err := catalog.Succeed(tx, from, to)
	if err != nil {
		return err
	}
	v := versionChange{tx: tx, terms: t, old: planInterval, planInterval: planInterval, from: from, to: to, standsFor: standsFor, at: at}
	return v.make()
}

// versionChange is a change of a plan interval's version.
type versionChange struct {
	tx                *store.Tx
	terms             Terms
	old, planInterval PlanInterval // before and after; the same where the plan interval begins with the change
	from, to          catalog.PlanVersion
	standsFor         catalog.Succession
	phases            []Phase // of the plan interval
	at                time.Time
}

func (v *versionChange) make() error {
	var intervals []PriceInterval
	if err := v.tx.Where("plan_interval_id = ?", v.old.ID).Order("position, seq").Find(&intervals).Error; err != nil {
		return err
	}
	var adjustments []AdjustmentInterval
	if err := v.tx.Where("plan_interval_id = ?", v.old.ID).Order("position, seq").Find(&adjustments).Error; err != nil {
		return err
	}
	if err := v.blocked(intervals); err != nil {
		return err
	}
	if err := v.begin(); err != nil {
		return err
	}
	var err error
	if v.phases, err = phasesOfPlanInterval(v.tx, v.planInterval.ID); err != nil {
		return err
	}
	if err := v.prices(intervals); err != nil {
		return err
	}
	return v.adjustments(adjustments)
}

// blocked refuses to end a price that an adjustment of the subscription names, which
// would be lost on the price that takes its place (semantics 5.2.7).
func (v *versionChange) blocked(intervals []PriceInterval) error {
	for _, a := range v.terms.Adjustments {
		if a.Adjustment.SubscriptionID == nil || v.over(a.EndAt) {
			continue
		}
		for _, f := range a.Adjustment.Filters {
			if f.Field != rating.FilterPriceID || f.Operator != rating.FilterIncludes {
				continue
			}
			for _, i := range intervals {
				if !v.over(i.EndAt) && v.leaves(i) && slices.Contains(f.Values, i.PriceID) {
					return fault.Refused("adjustment %s of the subscription names price %s, which version %d does not have", a.AdjustmentID, i.PriceID, v.to.Version)
				}
			}
		}
	}
	return nil
}

// over reports whether what ends then does not reach the change.
func (v *versionChange) over(end *time.Time) bool { return end != nil && !end.After(v.at) }

// leaves reports whether a price is one of the plan that the new version has not.
func (v *versionChange) leaves(i PriceInterval) bool {
	is := func(p catalog.Price) bool { return p.ID == i.PriceID }
	return slices.ContainsFunc(v.from.Prices, is) && !slices.ContainsFunc(v.to.Prices, is)
}

// begin makes the plan interval of the new version, to which the phases go over, or gives that to
// the one that begins then.
func (v *versionChange) begin() error {
	if v.at.Equal(v.old.StartAt) {
		v.planInterval.PlanVersion = v.to.Version
		if err := v.tx.Model(&v.planInterval).Select("plan_version").Updates(&v.planInterval).Error; err != nil {
			return err
		}
		if v.terms.CurrentPlanIntervalID != v.planInterval.ID {
			return nil
		}
		return v.tx.Model(&Subscription{}).Where("id = ?", v.terms.ID).Update("plan_version", v.to.Version).Error
	}
	v.planInterval = PlanInterval{
		Record: v.tx.Record("planinterval"), SubscriptionID: v.terms.ID, PlanID: v.old.PlanID, PlanVersion: v.to.Version,
		StartAt: v.at, Scope: v.old.Scope, TrialEndAt: v.old.TrialEndAt, EndsAt: v.old.EndsAt,
	}
	if err := v.tx.Create(&v.planInterval).Error; err != nil {
		return err
	}
	return v.tx.Model(&Phase{}).Where("plan_interval_id = ? AND (end_at IS NULL OR end_at > ?)", v.old.ID, v.at).Update("plan_interval_id", v.planInterval.ID).Error
}

// prices lets intervals go on, end, and be followed by others.
func (v *versionChange) prices(intervals []PriceInterval) error {
	last := 0
	for _, i := range intervals {
		last = max(last, i.Position)
		if v.over(i.EndAt) {
			continue
		}
		// What ends amid a cycle waits for the next regular invoice, so that the change
		// alone makes none (semantics 5.2.8).
		closed := map[string]any{"plan_interval_id": v.planInterval.ID, "end_at": v.at, "can_defer_billing": true}
		if err := v.pass(&PriceInterval{}, i.ID, i.StartAt, v.leaves(i), closed); err != nil {
			return err
		}
	}
	for _, price := range v.to.Prices {
		old, isNew := v.standsFor.Prices[price.ID]
		switch {
		case !isNew:
		case old == "":
			last++
			if in, reached := v.span(price.PhaseOrder); reached {
				added := PriceInterval{
					Record: v.tx.Record("pint"), SubscriptionID: v.terms.ID, PlanIntervalID: &v.planInterval.ID, PriceID: price.ID, Position: last,
					StartAt: in.start, EndAt: in.end, Parameters: price.Parameters,
				}
				if err := v.tx.Create(&added).Error; err != nil {
					return err
				}
			}
		default:
			for _, i := range intervals {
				if i.PriceID == old && !v.over(i.EndAt) {
					if err := v.replace(i, price); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// replace lets another price follow, with all that the subscription says about the one
// before: a quantity that was changed stays.
func (v *versionChange) replace(i PriceInterval, price catalog.Price) error {
	var changes []Transition
	if err := v.tx.Where("interval_id = ? AND NOT resumes", i.ID).Order("effective_at").Find(&changes).Error; err != nil {
		return err
	}
	next := i
	next.Record, next.PlanIntervalID, next.PriceID, next.StartAt = v.tx.Record("pint"), &v.planInterval.ID, price.ID, later(i.StartAt, v.at)
	if err := v.tx.Create(&next).Error; err != nil {
		return err
	}
	for k, c := range changes {
		if k+1 < len(changes) && !changes[k+1].EffectiveAt.After(next.StartAt) {
			continue // the one after it holds by then
		}
		c.Record, c.IntervalID, c.EffectiveAt = v.tx.Record("qty"), next.ID, later(c.EffectiveAt, next.StartAt)
		if err := v.tx.Create(&c).Error; err != nil {
			return err
		}
	}
	return nil
}

// adjustments lets them go on, end, and be followed by others likewise.
func (v *versionChange) adjustments(intervals []AdjustmentInterval) error {
	last := 0
	leaves := func(i AdjustmentInterval) bool {
		is := func(a catalog.Adjustment) bool { return a.ID == i.AdjustmentID }
		return slices.ContainsFunc(v.from.Adjustments, is) && !slices.ContainsFunc(v.to.Adjustments, is)
	}
	for _, i := range intervals {
		last = max(last, i.Position)
		if v.over(i.EndAt) {
			continue
		}
		closed := map[string]any{"plan_interval_id": v.planInterval.ID, "end_at": v.at}
		if err := v.pass(&AdjustmentInterval{}, i.ID, i.StartAt, leaves(i), closed); err != nil {
			return err
		}
	}
	for _, adjustment := range v.to.Adjustments {
		old, isNew := v.standsFor.Adjustments[adjustment.ID]
		if !isNew {
			continue
		}
		made := AdjustmentInterval{SubscriptionID: v.terms.ID, AdjustmentID: adjustment.ID}
		in, reached := v.span(adjustment.PhaseOrder)
		last++
		made.Position, made.StartAt, made.EndAt = last, in.start, in.end
		if old != "" {
			at := slices.IndexFunc(intervals, func(i AdjustmentInterval) bool { return i.AdjustmentID == old && !v.over(i.EndAt) })
			if reached = at >= 0; reached {
				made = intervals[at]
				made.AdjustmentID, made.StartAt = adjustment.ID, later(made.StartAt, v.at)
			}
		}
		if !reached {
			continue
		}
		made.Record, made.PlanIntervalID = v.tx.Record("aint"), &v.planInterval.ID
		if err := v.tx.Create(&made).Error; err != nil {
			return err
		}
	}
	return nil
}

// pass gives an interval to the plan interval, to go on or to end with the change. What would
// only begin after that is gone. Row is empty: GORM writes what it updates into a row that it is
// given, and so would move the end of the interval that another is to follow.
func (v *versionChange) pass(row any, id string, start time.Time, leaves bool, closed map[string]any) error {
	rows := v.tx.Model(row).Where("id = ?", id)
	switch {
	case leaves && !start.Before(v.at):
		return v.tx.Where("id = ?", id).Delete(row).Error
	case leaves:
		return rows.Updates(closed).Error
	}
	return rows.Update("plan_interval_id", v.planInterval.ID).Error
}

// span is the time that is left of a phase, or with nil of the subscription. It is false
// for a phase that is over or not reached.
func (v *versionChange) span(phase *int) (span, bool) {
	line := schedule{sub: v.terms.Subscription, phases: v.phases}
	in, reached := line.of(phase)
	if !reached || v.over(in.end) {
		return in, false
	}
	in.start = later(in.start, v.at)
	return in, true
}
