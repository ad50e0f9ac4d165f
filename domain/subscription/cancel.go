package subscription

import (
	"errors"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Cancellation is what a client asks for.
type Cancellation struct {
	Option ChangeOption
	Date   *string // date or date-time in the customer's zone; with ChangeRequested only
}

// EndAt is when a canceled subscription ends: the end of the longest cadence's
// current cycle, now, or the date asked for, which may be past. One that has not begun
// ends where it would begin (semantics 6.3.1).
func (in Cancellation) EndAt(t Terms, now time.Time) (time.Time, error) {
	if err := dateOf(in.Option, "cancel_option", "cancellation_date", in.Date); err != nil {
		return time.Time{}, err
	}
	requested, err := readDate("cancellation_date", in.Date, t.Customer.Location())
	if err != nil {
		return time.Time{}, err
	}
	switch status := t.Status(now); {
	case status == StatusEnded:
		return time.Time{}, fault.Refused("the subscription has ended")
	case status == StatusUpcoming && in.Option != ChangeImmediate:
		return time.Time{}, fault.Refused("a subscription that has not begun can only be canceled immediately")
	case status == StatusUpcoming:
		return t.StartAt, nil
	case in.Option == ChangeEndOfTerm:
		return t.EndOfTerm(now), nil
	case in.Option == ChangeImmediate:
		return now, nil
	case requested.Before(t.StartAt):
		return time.Time{}, fault.Bad("cancellation_date", "must not be before the start of the subscription")
	}
	return *requested, nil
}

// dateOf refuses a date without the option that takes it, and the other way round.
func dateOf(option ChangeOption, optionField, dateField string, date *string) error {
	switch requested := option == ChangeRequested; {
	case requested && date == nil:
		return fault.Bad(dateField, "is required with %s %s", optionField, ChangeRequested)
	case !requested && date != nil:
		return fault.Bad(dateField, "must not be given unless %s is %s", optionField, ChangeRequested)
	}
	return nil
}

// EndOfTerm is the end of the term that an instant lies in.
func (t Terms) EndOfTerm(at time.Time) time.Time {
	_, term := t.cycle(t.longest(at), at)
	return term.End
}

// Cancel lets a subscription end at an instant, and with it all that would go on.
// What would only begin then is gone, and coupons that were redeemed for it can be
// redeemed again. Another end that was planned does not count any more.
func Cancel(tx *store.Tx, t Terms, end time.Time) error {
	if err := errors.Join(reopen(tx, t), dropPlanIntervals(tx, t, t.from(end))); err != nil {
		return err
	}
	gone := "start_at > ?"
	if end.After(t.StartAt) {
		gone = "start_at >= ?"
	}
	if err := returnCoupons(tx, tx.Where("subscription_id = ? AND "+gone, t.ID, end)); err != nil {
		return err
	}
	for _, rows := range []any{&PriceInterval{}, &AdjustmentInterval{}, &Phase{}} {
		if err := tx.Where("subscription_id = ? AND "+gone, t.ID, end).Delete(rows).Error; err != nil {
			return err
		}
	}
	for _, rows := range t.ending(tx) {
		if err := rows.Where("end_at IS NULL OR end_at > ?", end).Update("end_at", end).Error; err != nil {
			return err
		}
	}
	if end.After(tx.Now) && end.After(t.StartAt) {
		webhook.Announce(tx, webhook.SubscriptionCancellationScheduled, t.ID, webhook.Properties{"cancellation_date": end})
	}
	return t.setEnd(tx, &end)
}

// UnscheduleCancellation lets a subscription go on that is to end. What was cut there
// is open from then on (semantics 6.3.3).
func UnscheduleCancellation(tx *store.Tx, t Terms) error {
	if t.EndAt == nil || t.Status(tx.Now) != StatusActive {
		return fault.Refused("only an active subscription that is to end can go on")
	}
	webhook.Announce(tx, webhook.SubscriptionCancellationUnscheduled, t.ID, webhook.Properties{"original_cancellation_date": *t.EndAt})
	return errors.Join(reopen(tx, t), t.setEnd(tx, nil))
}

// reopen takes the end of a subscription from all that ends with it.
func reopen(tx *store.Tx, t Terms) error {
	if t.EndAt == nil {
		return nil
	}
	for _, rows := range t.ending(tx) {
		if err := rows.Where("end_at = ?", *t.EndAt).Update("end_at", nil).Error; err != nil {
			return err
		}
	}
	return nil
}

// ending are the rows that are cut where a subscription is to end, and move with a trial.
// That of a coupon is cut when it is read: its months stay what they are, whatever happens
// of the end.
func (s Subscription) ending(tx *store.Tx) []*gorm.DB {
	return []*gorm.DB{
		tx.Model(&PriceInterval{}).Where("subscription_id = ?", s.ID),
		tx.Model(&AdjustmentInterval{}).Where("subscription_id = ? AND coupon_id IS NULL", s.ID),
		tx.Model(&Phase{}).Where("subscription_id = ?", s.ID),
	}
}

func (s Subscription) setEnd(tx *store.Tx, end *time.Time) error {
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).Updates(map[string]any{
		"end_at": end, "next_news_at": gorm.Expr("CASE WHEN next_news_at = start_at THEN start_at ELSE ?::timestamptz END", end),
	}).Error
}
