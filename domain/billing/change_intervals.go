package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// ChangeIntervals adds and edits prices and adjustments of a subscription, for times
// ahead or past. What was issued otherwise is credited, or replaced, and what is not
// charged yet is invoiced (semantics 6.3.7).
func ChangeIntervals(tx *store.Tx, subscriptionID string, in subscription.IntervalChanges, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "change price intervals of subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, b history) error {
		if err := subscription.ChangeIntervals(tx, t, in); err != nil {
			return err
		}
		after, err := subscription.Find(tx, t.ID)
		if err != nil {
			return err
		}
		b.markChangedAdjustments(t, after)
		for _, i := range after.Intervals {
			at := slices.IndexFunc(t.Intervals, func(old subscription.PriceInterval) bool { return old.ID == i.ID })
			if at < 0 || !b.chargedUpTo(t.Intervals[at], i, tx.Now) {
				continue
			}
			if err := subscription.Resume(tx, after, i, *t.Intervals[at].EndAt); err != nil {
				return err
			}
		}
		return nil
	})
}

// chargedUpTo reports whether a fee in advance was charged up to the end that it had,
// and no further, which it is to go on after.
func (b history) chargedUpTo(before, after subscription.PriceInterval, now time.Time) bool {
	end := before.EndAt
	if end == nil || after.EndAt != nil && !after.EndAt.After(*end) {
		return false
	}
	if end.After(now) {
		return b.endsAt(before, *end)
	}
	for _, l := range b.linesInAdvance(before, b.Issued) {
		if l.StartAt.Before(*end) { // the newest of them
			return !l.EndAt.Before(*end) // what it charged for days after an end was credited
		}
	}
	return false
}

// endsAt reports whether a fee in advance was charged up to an instant and no unit of it
// for a time beyond. Units that came while the instant was the end are charged up to it, also
// where older ones are charged beyond: those would be charged twice from there on.
func (b history) endsAt(i subscription.PriceInterval, end time.Time) bool {
	newest, charged := time.Time{}, false
	for _, l := range b.linesInAdvance(i, b.Issued) {
		if !l.StartAt.Before(end) {
			continue
		}
		if l.EndAt.After(end) {
			return false
		}
		if !charged { // newest first
			newest, charged = l.EndAt, true
		}
	}
	return charged && newest.Equal(end)
}
