package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/store/fault"
)

// checkOverlaps tells why the intervals that a request has added or edited cannot be in force
// beside the others: an invoice has a price once, usage and licenses are not charged
// twice, and prices in force together have one billing day (semantics 6.3.7). at is
// where the request has intervals, by id.
func (t Terms) checkOverlaps(at map[string]string) error {
	var faults []error
	for k, later := range t.Intervals {
		for _, earlier := range t.Intervals[:k] {
			place, asked := at[later.ID]
			if !asked {
				place, asked = at[earlier.ID]
			}
			if asked && later.overlaps(earlier.StartAt, earlier.EndAt) {
				faults = append(faults, fault.In(place, t.checkPair(later, earlier)))
			}
		}
	}
	return fault.Join(faults...)
}

func (t Terms) checkPair(i, o PriceInterval) error {
	if i.PriceID == o.PriceID {
		return fault.Bad("start_date, end_date", "must not overlap another interval of the same price")
	}
	if err := catalog.CheckConflicts(i.Price, o.Price); err != nil {
		return fault.In("price", err)
	}
	if both := later(i.StartAt, o.StartAt); t.BillingDay(i, both) != t.BillingDay(o, both) {
		return fault.Bad("billing_cycle_day", "must be that of all prices in force at the same time")
	}
	return nil
}

// BillingDay is the day of the month on which cycles of an interval begin at an instant.
func (t Terms) BillingDay(i PriceInterval, at time.Time) int {
	if i.BillingDay != nil {
		return *i.BillingDay
	}
	without := t
	without.Intervals = nil
	return without.AnchorAt(at).Day
}
