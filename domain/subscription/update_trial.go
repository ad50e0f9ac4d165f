package subscription

import (
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// TrialUpdate is what a client asks for.
type TrialUpdate struct {
	EndDate string // date or date-time in the customer's zone, or trialImmediate
	Shift   bool   // what comes after the trial moves along with its end
}

const trialImmediate = "immediate"

// UpdateTrial gives a trial that has not ended another end, which may be past (semantics
// 6.3.8).
func UpdateTrial(tx *store.Tx, t Terms, in TrialUpdate) error {
	planInterval := t.PlanInterval(tx.Now)
	origin := t.Origin(planInterval)
	switch trial, on := origin.trial(); {
	case t.Status(tx.Now) == StatusEnded:
		return fault.Refused("the subscription has ended")
	case !on:
		return fault.Refused("the subscription has no trial")
	case !tx.Now.Before(trial.End):
		return fault.Refused("the trial has ended")
	}
	end := later(tx.Now, origin.StartAt)
	if in.EndDate != trialImmediate {
		given, err := period.ParseInstant(in.EndDate, t.Customer.Location())
		switch {
		case err != nil:
			return fault.Bad("trial_end_date", "%s, or %s", err, trialImmediate)
		case given.Before(origin.StartAt):
			return fault.Bad("trial_end_date", "must not be before the start of the trial")
		case t.EndAt != nil && given.After(*t.EndAt):
			return fault.Bad("trial_end_date", "must not be after the end of the subscription")
		}
		end = given
	}
	if in.Shift {
		s := shift{from: *planInterval.TrialEndAt, to: end, loc: t.Customer.Location()}
		if err := s.move(tx, t, planInterval); err != nil {
			return err
		}
	}
	if !end.After(tx.Now) {
		webhook.Announce(tx, webhook.SubscriptionTrialEnded, t.ID, nil)
	}
	return tx.Model(&PlanInterval{}).Where("subscription_id = ? AND start_at BETWEEN ? AND ?", t.ID, origin.StartAt, planInterval.StartAt).
		Update("trial_end_at", end).Error
}

// shift moves the dates of a plan interval that are not before an instant as far as that moves:
// by local days, and the time of the day.
type shift struct {
	from, to time.Time
	loc      *time.Location
}

func (s shift) of(at *time.Time) *time.Time {
	if at == nil || at.Before(s.from) {
		return at
	}
	midnight := func(of time.Time) time.Time { return period.DateOf(of, s.loc).In(s.loc) }
	days := period.Days(period.Period{Start: midnight(s.from), End: midnight(s.to)}, s.loc)
	if s.to.Before(s.from) {
		days = -period.Days(period.Period{Start: midnight(s.to), End: midnight(s.from)}, s.loc)
	}
	clock := s.to.Sub(midnight(s.to)) - s.from.Sub(midnight(s.from)) + at.Sub(midnight(*at))
	moved := period.DateOf(*at, s.loc).AddDays(days).In(s.loc).Add(clock)
	return &moved
}

// move moves the intervals, phases and quantities of a plan interval, and its own end. What the
// planned end of the subscription does not let be reached any more is gone.
func (s shift) move(tx *store.Tx, t Terms, planInterval PlanInterval) error {
	limit := t.EndAt
	if planInterval.EndsAt != nil && same(limit, planInterval.EndsAt) {
		planInterval.EndsAt = s.of(planInterval.EndsAt)
		limit = planInterval.EndsAt
		if err := errors.Join(tx.Model(&planInterval).Select("ends_at").Updates(&planInterval).Error, t.setEnd(tx, limit)); err != nil {
			return err
		}
	}
	var err error
	for _, i := range t.Intervals {
		if t.of(i).ID != planInterval.ID {
			continue
		}
		err = errors.Join(err, s.quantities(tx, i.Transitions))
	}
	for _, rows := range t.ending(tx) {
		err = errors.Join(err, s.rows(rows.Where("plan_interval_id = ?", planInterval.ID), t.EndAt, limit))
	}
	return err
}

// quantities moves changes of a fee's quantity, given by instant. Where the trial becomes
// shorter, those of the days that it loses move to the last of them, at its new end. The
// changes after its old end keep their order behind it.
func (s shift) quantities(tx *store.Tx, changes []Transition) error {
	var lost, moved []Transition
	for _, c := range changes {
		if !c.EffectiveAt.Before(s.to) && c.EffectiveAt.Before(s.from) {
			lost = append(lost, c)
		}
	}
	for k, c := range changes {
		at := s.of(&c.EffectiveAt)
		switch last := len(lost) - 1; {
		case !slices.ContainsFunc(lost, func(l Transition) bool { return l.ID == c.ID }):
		case c.ID != lost[last].ID || k+1 < len(changes) && changes[k+1].EffectiveAt.Equal(s.from):
			if err := tx.Where("id = ?", c.ID).Delete(&Transition{}).Error; err != nil {
				return err
			}
			continue
		default:
			at = &s.to
		}
		moved = append(moved, Transition{Record: c.Record, EffectiveAt: *at})
	}
	if s.to.After(s.from) {
		slices.Reverse(moved) // no two changes are of one instant, at any moment
	}
	for _, c := range moved {
		if err := tx.Model(&Transition{}).Where("id = ?", c.ID).Update("effective_at", c.EffectiveAt).Error; err != nil {
			return err
		}
	}
	return nil
}

// rows moves what a plan interval has of one kind.
func (s shift) rows(of *gorm.DB, end, limit *time.Time) error {
	of = of.Session(&gorm.Session{})
	var rows []struct {
		ID      string
		StartAt time.Time
		EndAt   *time.Time
	}
	if err := of.Find(&rows).Error; err != nil {
		return err
	}
	for _, row := range rows {
		start, until := s.of(&row.StartAt), limit
		if !same(row.EndAt, end) {
			until = s.of(row.EndAt)
		}
		if limit != nil && (until == nil || until.After(*limit)) {
			until = limit
		}
		var err error
		if until != nil && !until.After(*start) {
			err = of.Where("id = ?", row.ID).Delete(of.Statement.Model).Error
		} else {
			err = of.Where("id = ?", row.ID).Updates(map[string]any{"start_at": start, "end_at": until}).Error
		}
		if err != nil {
			return err
		}
	}
	return nil
}
