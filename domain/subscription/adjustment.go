package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// AdjustmentInterval is the time over which an adjustment works on a
// subscription.
type AdjustmentInterval struct {
	store.Record
	SubscriptionID string
	PlanIntervalID *string // nil: of the subscription, on any plan
	AdjustmentID   string
	Position       int // order of creation, which decides within a step
	StartAt        time.Time
	EndAt          *time.Time // nil: open
	CouponID       *string    // the coupon that was redeemed for it

	Adjustment catalog.Adjustment `gorm:"-"`
}

// Covers reports whether the adjustment works on the line of a service, as far as
// its dates go. In advance the start of the service decides, in arrears its end:
// what ends with the interval still gets it (semantics 6.3.7). A decrease gives back with the
// adjustments of what it takes back (semantics 6.3.6). A change of quantity gets no usage
// discount, which its fee has. None works on a trial, which is free.
func (i AdjustmentInterval) Covers(s ServicePeriod) bool {
	if s.TrialOf != "" || s.Before != nil && i.Adjustment.Kind == rating.UsageDiscount {
		return false
	}
	if s.Interval.Price.InAdvance() {
		start := s.DiscountedAt()
		return !start.Before(i.StartAt) && (i.EndAt == nil || start.Before(*i.EndAt))
	}
	end := s.servedUntil()
	return end.After(i.StartAt) && (i.EndAt == nil || !end.After(*i.EndAt))
}

// AppliesTo are the price intervals that the adjustment is for.
func (t Terms) AppliesTo(a AdjustmentInterval) []PriceInterval {
	var found []PriceInterval
	adjustment := a.Adjustment.Rating()
	for _, i := range t.Intervals {
		if i.overlaps(a.StartAt, a.EndAt) && adjustment.Matches(i.Price.Priced()) {
			found = append(found, i)
		}
	}
	return found
}

func adjustmentsOf(tx *store.Tx, in tableSource, has optionalParts, subscriptionIDs []string) (map[string][]AdjustmentInterval, error) {
	if !has.Adjustments {
		return nil, nil
	}
	var rows []AdjustmentInterval
	err := in("adjustment_intervals").Where("subscription_id IN ?", subscriptionIDs).Order("subscription_id, position, seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for k, row := range rows {
		ids[k] = row.AdjustmentID
	}
	adjustments, err := catalog.FindAdjustments(tx, ids)
	if err != nil {
		return nil, err
	}
	bySubscription := map[string][]AdjustmentInterval{}
	for _, row := range rows {
		row.Adjustment = adjustments[row.AdjustmentID]
		bySubscription[row.SubscriptionID] = append(bySubscription[row.SubscriptionID], row)
	}
	return bySubscription, nil
}
