package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/coupon"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ChangeOption says when a change of a subscription takes effect.
type ChangeOption string

// The options, as the wire spells them.
const (
	ChangeImmediate ChangeOption = "immediate"
	ChangeRequested ChangeOption = "requested_date"
	ChangeEndOfTerm ChangeOption = "end_of_subscription_term"
)

// Redemption is what a client asks for. Exactly one of the coupon's identifiers is
// given.
type Redemption struct {
	CouponID, Code *string

	Option ChangeOption
	Date   *string // date or date-time in the customer's zone; with ChangeRequested only

	planIntervalID *string // of the plan change that redeems it; nil: none
}

// EffectiveAt is when the discount of a redemption begins: at the start of the
// subscription at the earliest, and before its end.
func (in Redemption) EffectiveAt(t Terms, now time.Time) (time.Time, error) {
	if err := in.check(); err != nil {
		return time.Time{}, err
	}
	if t.Status(now) == StatusEnded {
		return time.Time{}, fault.Refused("the subscription has ended")
	}
	at := now
	if at.Before(t.StartAt) {
		at = t.StartAt
	}
	switch in.Option {
	case ChangeRequested:
		given, err := readDate("change_date", in.Date, t.Customer.Location())
		if err != nil {
			return at, err
		}
		at = *given
	case ChangeEndOfTerm:
		at = t.EndOfTerm(at)
	}
	switch {
	case at.Before(t.StartAt):
		return at, fault.Refused("the subscription begins after the coupon would take effect")
	case t.EndAt != nil && !at.Before(*t.EndAt):
		return at, fault.Refused("the subscription ends before the coupon would take effect")
	}
	return at, nil
}

func (in Redemption) check() error {
	var idErr error
	if (in.CouponID == nil) == (in.Code == nil) {
		idErr = fault.Bad("coupon_id, coupon_redemption_code", "exactly one must be specified")
	}
	return fault.Join(idErr, dateOf(in.Option, "change_option", "change_date", in.Date))
}

func (in Redemption) take(tx *store.Tx) (coupon.Coupon, error) {
	if in.CouponID != nil {
		return coupon.Take(tx, *in.CouponID)
	}
	return coupon.TakeByCode(tx, *in.Code)
}

// Redeem gives a subscription the discount of a coupon from an instant on, behind
// the adjustments it has. Where the subscription is to have nothing by then that it could
// discount, the coupon is refused.
func Redeem(tx *store.Tx, t *Terms, in Redemption, from time.Time) error {
	if !slices.ContainsFunc(t.Intervals, func(i PriceInterval) bool { return i.discountable() && i.overlaps(from, nil) }) {
		return fault.Refused("the subscription has no price that a coupon could discount")
	}
	prices, err := in.prices(tx, *t, from)
	if err != nil {
		return err
	}
	taken, err := in.take(tx)
	if err != nil {
		return err
	}
	off := rating.Adjustment{Kind: taken.Kind, Value: taken.Value}
	discount, err := catalog.CreateDiscount(tx, t.ID, off, prices, "Coupon "+taken.RedemptionCode)
	if err != nil {
		return err
	}
	redemption := AdjustmentInterval{
		Record: tx.Record("aint"), SubscriptionID: t.ID, PlanIntervalID: in.planIntervalID, AdjustmentID: discount.ID, Adjustment: discount,
		StartAt: from, CouponID: &taken.ID,
	}
	if n := len(t.Adjustments); n > 0 {
		redemption.Position = t.Adjustments[n-1].Position + 1
	}
	if taken.DurationMonths != nil {
		end := monthsAfter(from, *taken.DurationMonths, t.Customer.Location())
		redemption.EndAt = &end
	}
	t.Adjustments = append(t.Adjustments, redemption)
	t.clipToPlanIntervals()
	return tx.Create(&redemption).Error
}

// discountable reports whether the price is in money: what is in custom units gets no
// discount.
func (i PriceInterval) discountable() bool { return i.Price.Currency.Valid() }

// prices are what a discount from an instant on is for: the prices that the subscription
// has or is to have, and none that are added later (semantics 15.1.3). Among them are
// those that something scheduled ends before that, or keeps from beginning: it may be
// taken back, and the redemption stays. One that comes with a change of the plan goes with
// it, and is for that plan alone.
func (in Redemption) prices(tx *store.Tx, t Terms, from time.Time) (ids []string, err error) {
	if tx.Now.Before(from) {
		from = tx.Now
	}
	rows, err := intervalsOf(tx, current(tx), optionalParts{}, []string{t.ID})
	for _, i := range rows[t.ID] {
		planInterval := t.of(i)
		over := planInterval.beginsAfterEnd(from) || !i.overlaps(from, nil)
		elsewhere := in.planIntervalID != nil && planInterval.ID != *in.planIntervalID
		if i.discountable() && !over && !elsewhere && !slices.Contains(ids, i.PriceID) {
			ids = append(ids, i.PriceID)
		}
	}
	return ids, err
}

// monthsAfter is so many calendar months after an instant: on that day of the month
// or the last before it, as long after midnight.
func monthsAfter(from time.Time, n int, loc *time.Location) time.Time {
	day := period.DateOf(from, loc)
	return day.AddMonths(n, day.Day).In(loc).Add(from.Sub(day.In(loc)))
}

// longest is the length of the subscription's terms at an instant (semantics
// 1.1.15): a month without a recurring price.
func (t Terms) longest(at time.Time) period.Length {
	var longest period.Length
	for _, i := range t.Intervals {
		if i.overlaps(at, nil) && !at.Before(i.StartAt) && i.Price.Length().Compare(longest) > 0 {
			longest = i.Price.Length()
		}
	}
	if longest.OneTime() {
		return period.Length{Months: 1}
	}
	return longest
}

// Redeemed is the discount of the coupon that was redeemed last, nil without one.
func (t Terms) Redeemed() *AdjustmentInterval {
	for k := len(t.Adjustments) - 1; k >= 0; k-- {
		if t.Adjustments[k].CouponID != nil {
			return &t.Adjustments[k]
		}
	}
	return nil
}
