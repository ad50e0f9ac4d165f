package subscription

import (
	"slices"

	"tollkeeper/domain/fault"
	"tollkeeper/store"
)

// AdjustmentEdit gives an adjustment of a subscription other dates. What is not given
// stays as it is.
type AdjustmentEdit struct {
	ID    string
	Start *string
	End   Sent[*string] // nil: open
}

// editAdjustment changes when an adjustment works, or removes it where it then ends as
// it starts.
func (t Terms) editAdjustment(tx *store.Tx, e AdjustmentEdit) error {
	k := slices.IndexFunc(t.Adjustments, func(a AdjustmentInterval) bool { return a.ID == e.ID })
	if k < 0 {
		return fault.Bad("adjustment_interval_id", "must be an adjustment interval of the subscription")
	}
	a := t.Adjustments[k]
	stint := Stint{StartAt: t.StartAt} // of one that is for all plans
	for _, s := range t.Stints {
		if a.StintID != nil && s.ID == *a.StintID {
			stint = s
		}
	}
	in, err := t.edited(tx.Now, life{a.StartAt, a.EndAt}, stint, e.Start, e.End)
	if err != nil {
		return err
	}
	if in.end != nil && in.end.Equal(in.start) {
		return tx.Where("id = ?", a.ID).Delete(&AdjustmentInterval{}).Error
	}
	columns := in.columns(e.Start, e.End)
	if len(columns) == 0 {
		return nil
	}
	return tx.Model(&AdjustmentInterval{}).Where("id = ?", a.ID).Updates(columns).Error
}
