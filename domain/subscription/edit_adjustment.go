package subscription

import (
	"slices"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// AdjustmentEdit changes the dates of an adjustment of a subscription. Dates that are not given do
// not change.
type AdjustmentEdit struct {
	ID    string
	Start *string
	End   Sent[*string] // nil: open
}

// editAdjustment changes the dates of an adjustment. If it then ends when it starts, it is removed.
func (t Terms) editAdjustment(tx *store.Tx, e AdjustmentEdit) error {
	k := slices.IndexFunc(t.Adjustments, func(a AdjustmentInterval) bool { return a.ID == e.ID })
	if k < 0 {
		return fault.NotPartOf("adjustment_interval_id", "must be an adjustment interval of the subscription")
	}
	a := t.Adjustments[k]
	planInterval := PlanInterval{StartAt: t.StartAt} // of an adjustment that applies to all plans
	for _, s := range t.PlanIntervals {
		if a.PlanIntervalID != nil && s.ID == *a.PlanIntervalID {
			planInterval = s
		}
	}
	in, err := t.edited(tx.Now, span{a.StartAt, a.EndAt}, planInterval, e.Start, e.End)
	if err != nil {
		return err
	}
	if in.end != nil && in.end.Equal(in.start) {
		return a.remove(tx)
	}
	if a.CouponID != nil && e.End.Value == nil {
		in.end = nil // even if the subscription has an end
	}
	columns := in.columns(e.Start, e.End)
	if len(columns) == 0 {
		return nil
	}
	return tx.Model(&AdjustmentInterval{}).Where("id = ?", a.ID).Updates(columns).Error
}

// remove deletes an adjustment. If it is the discount of a coupon and has not begun, the coupon can be
// redeemed again (semantics 15.1.6).
func (i AdjustmentInterval) remove(tx *store.Tx) error {
	row := tx.Where("id = ?", i.ID)
	if i.StartAt.After(tx.Now) {
		if err := returnCoupons(tx, row); err != nil {
			return err
		}
	}
	return row.Delete(&AdjustmentInterval{}).Error
}
