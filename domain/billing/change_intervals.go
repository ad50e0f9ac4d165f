package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ChangeIntervals adds and edits price intervals and adjustments of a subscription, in the future or
// the past. Issued lines that no longer match the terms are credited or replaced, and uncharged
// service periods are invoiced (semantics 6.3.7).
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

// chargedUpTo reports whether a fee in advance was charged exactly up to its end before an edit
// that moves the end later. Charging then resumes from that end.
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
			return !l.EndAt.Before(*end) // days after the end, if it charged them, were credited
		}
	}
	return false
}

// endsAt reports whether a fee in advance was charged up to an instant and none of its units
// beyond it. Units that were added while the interval ended at the instant are charged up to it.
// If older units are charged beyond it, resuming there would charge those units twice.
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
