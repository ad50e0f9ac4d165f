package subscription

import (
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/coupon"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Alignment says where billing cycles begin after a change of the plan.
type Alignment string

// The alignments, as the wire spells them.
const (
	AlignUnchanged    Alignment = "unchanged"
	AlignChangeDate   Alignment = "plan_change_date"
	AlignStartOfMonth Alignment = "start_of_month"
)

// PlanChange is what a client asks for. Exactly one of the plan's identifiers is given.
type PlanChange struct {
	PlanID, ExternalPlanID *string
	PlanVersion            *int // nil: the default version
	InitialPhase           *int // order of the phase to begin with; nil: the first

	Option ChangeOption
	Date   *string // date or date-time in the customer's zone; with ChangeRequested only

	Alignment Alignment      // "": unchanged
	Anchor    *period.Anchor // instead

	TrialDays          *int    // 0 or more; nil: as the plan
	CouponCode         *string // redeemed from then on
	AutoCollection     *bool   // nil: as it is, like the others
	AutoIssuance       *bool
	DefaultInvoiceMemo *string
	NetTermsDays       *int
	InvoicingThreshold *money.Decimal

	Scope // what it leaves open stays as it is
	Customization
}

// EffectiveAt is when the plan changes: now, when the term ends, or on the date asked
// for, which may be past as far as the present plan reaches back.
func (in PlanChange) EffectiveAt(t Terms, now time.Time) (time.Time, error) {
	if err := fault.Join(in.check(), checkShown(in.InvoicingThreshold, t.Currency)); err != nil {
		return time.Time{}, err
	}
	at := now
	switch in.Option {
	case ChangeRequested:
		requested, err := readDate("change_date", in.Date, t.Customer.Location())
		if err != nil {
			return at, err
		}
		at = *requested
	case ChangeEndOfTerm:
		at = t.EndOfTerm(later(now, t.StartAt))
	default:
		at = later(now, t.StartAt)
	}
	switch {
	case t.Status(now) == StatusEnded, t.EndAt != nil && at.After(*t.EndAt):
		return at, fault.Refused("the subscription has ended by then")
	case at.Before(t.StartAt):
		return at, fault.Bad("change_date", "must not be before the start of the subscription")
	case at.Before(t.PlanInterval(now).StartAt):
		return at, fault.Bad("change_date", "must not be before a change of the plan that has taken effect")
	}
	return at, nil
}

func (in PlanChange) check() error {
	var planErr, anchorErr error
	if (in.PlanID == nil) == (in.ExternalPlanID == nil) {
		planErr = fault.Bad("plan_id, external_plan_id", "exactly one must be specified")
	}
	if in.Alignment != "" && in.Anchor != nil {
		anchorErr = fault.Bad("billing_cycle_anchor_configuration", "cannot be combined with billing_cycle_alignment")
	}
	return fault.Join(planErr, anchorErr, checkThreshold(in.InvoicingThreshold), dateOf(in.Option, "change_option", "change_date", in.Date))
}

// ChangePlan puts a subscription on a plan from an instant on. Changes of the plan that
// were planned for that day or later give way, and so does an end from then on (semantics
// 6.3.4).
func ChangePlan(tx *store.Tx, t Terms, in PlanChange, at time.Time) error {
	choice := NewSubscription{
		PlanID: in.PlanID, ExternalPlanID: in.ExternalPlanID, PlanVersion: in.PlanVersion,
	}
	plan, err := choice.plan(tx)
	switch {
	case err != nil:
		return err
	case plan.Status != catalog.PlanActive:
		return fault.Refused("a plan that is %s takes no subscriptions", plan.Status)
	case plan.InvoicingCurrency != t.Currency:
		return fault.Refused("the plan is invoiced in %s and the subscription in %s", plan.InvoicingCurrency, t.Currency)
	}
	version, err := choice.version(tx, plan)
	if err != nil {
		return err
	}
	ramp, err := from(in.InitialPhase, version.Phases)
	if err != nil {
		return err
	}
	custom, err := in.resolve(tx, version)
	if err != nil {
		return err
	}
	if err := in.Scope.Check(tx, t.Customer); err != nil {
		return err
	}
	loc := t.Customer.Location()
	if err := dropPlanIntervals(tx, t, t.ahead(period.DateOf(at, loc).In(loc), tx.Now)); err != nil {
		return err
	}
	if err := errors.Join(reopen(tx, t), t.setEnd(tx, nil)); err != nil {
		return err
	}
	begun := t.Subscription
	begun.StartAt, begun.EndAt = at, nil
	line := newSchedule(tx, begun, plan, version, ramp, loc)
	line.planInterval.Scope = in.Scope.or(t.PlanInterval(at).Scope)
	line.planInterval.setTrial(in.TrialDays, plan, loc)
	in.settle(&line.planInterval, at, loc)
	if at.After(tx.Now) {
		webhook.Announce(tx, webhook.SubscriptionPlanChangeScheduled, t.ID, webhook.Properties{
			"previous_plan_id": t.PlanInterval(at).PlanID, "new_plan_id": plan.ID, "change_date": at,
		})
	}
	return in.begin(tx, t, line, plan, version, custom)
}

// settle writes what else changes with the plan on its plan interval.
func (in PlanChange) settle(s *PlanInterval, at time.Time, loc *time.Location) {
	s.AutoCollection, s.AutoIssuance = in.AutoCollection, in.AutoIssuance
	s.DefaultInvoiceMemo, s.NetTermsDays, s.InvoicingThreshold = in.DefaultInvoiceMemo, in.NetTermsDays, in.InvoicingThreshold
	anchor := in.Anchor
	switch in.Alignment {
	case AlignChangeDate:
		anchor = &period.Anchor{Day: period.DateOf(at, loc).Day}
	case AlignStartOfMonth:
		anchor = &period.Anchor{Day: 1}
	}
	if anchor != nil {
		s.AnchorDay, s.AnchorMonth, s.AnchorYear = &anchor.Day, anchor.Month, anchor.Year
	}
}

// begin writes a plan interval and what belongs to it.
func (in PlanChange) begin(tx *store.Tx, t Terms, line schedule, plan catalog.Plan, version catalog.PlanVersion, custom Customization) error {
	if err := tx.Create(&line.planInterval).Error; err != nil {
		return err
	}
	if err := t.setEnd(tx, line.sub.EndAt); err != nil {
		return err
	}
	custom, at := custom.expandLegacy(version)
	has, err := catalog.Customize(tx, plan, version, t.ID, custom.difference())
	if err != nil {
		return at.of(err)
	}
	if err := custom.place(tx, line, has); err != nil {
		return err
	}
	if in.CouponCode == nil {
		return nil
	}
	begun, err := Find(tx, t.ID)
	if err != nil {
		return err
	}
	return Redeem(tx, &begun, Redemption{Code: in.CouponCode, planIntervalID: &line.planInterval.ID}, line.planInterval.StartAt)
}

// UnschedulePlanChanges takes back the changes of the plan that lie ahead. A planned end
// stays, unless it was that of a plan which is not reached any more.
func UnschedulePlanChanges(tx *store.Tx, t Terms) error {
	ahead := t.ahead(tx.Now, tx.Now)
	if len(ahead) == 0 {
		return nil
	}
	stays, last := t.PlanIntervals[len(t.PlanIntervals)-len(ahead)-1], ahead[len(ahead)-1]
	if err := dropPlanIntervals(tx, t, ahead); err != nil {
		return err
	}
	switch {
	case !same(t.EndAt, last.EndsAt):
		return nil
	case stays.EndsAt != nil:
		return Cancel(tx, t, *stays.EndsAt)
	}
	return errors.Join(reopen(tx, t), t.setEnd(tx, nil))
}

func same(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// from are the plan intervals from an instant on. The first one is not among them: it is where
// the subscription begins.
func (t Terms) from(at time.Time) (planIntervals []PlanInterval) {
	for _, s := range t.PlanIntervals[1:] {
		if !s.StartAt.Before(at) {
			planIntervals = append(planIntervals, s)
		}
	}
	return planIntervals
}

// ahead are the plan intervals from an instant on that have not begun by now.
func (t Terms) ahead(from, now time.Time) []PlanInterval {
	return slices.DeleteFunc(t.from(from), func(s PlanInterval) bool { return !s.StartAt.After(now) })
}

// dropPlanIntervals takes back the last plan intervals of a subscription, with the coupons that were
// redeemed for them. What began before them, and goes on in them, goes back to the one
// before.
func dropPlanIntervals(tx *store.Tx, t Terms, planIntervals []PlanInterval) error {
	if len(planIntervals) == 0 {
		return nil
	}
	ids := make([]string, len(planIntervals))
	for k, s := range planIntervals {
		ids[k] = s.ID
	}
	stays := t.PlanIntervals[len(t.PlanIntervals)-len(planIntervals)-1]
	for _, rows := range []any{&PriceInterval{}, &AdjustmentInterval{}, &Phase{}} {
		err := tx.Model(rows).Where("plan_interval_id IN ? AND start_at < ?", ids, planIntervals[0].StartAt).Update("plan_interval_id", stays.ID).Error
		if err != nil {
			return err
		}
	}
	if err := returnCoupons(tx, tx.Where("plan_interval_id IN ?", ids)); err != nil {
		return err
	}
	return tx.Where("id IN ?", ids).Delete(&PlanInterval{}).Error
}

// returnCoupons lets the coupons of redemptions that are taken back be redeemed again.
func returnCoupons(tx *store.Tx, of *gorm.DB) error {
	var coupons []string
	err := tx.Model(&AdjustmentInterval{}).Where(of).Where("coupon_id IS NOT NULL").Order("coupon_id").Pluck("coupon_id", &coupons).Error
	for _, id := range coupons {
		err = errors.Join(err, coupon.Return(tx, id))
	}
	return err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
