package subscription

import (
	"errors"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// TriggerPhase begins the next phase of the plan on a local day, today if nil, that lies
// in the present one. The phases after it keep their lengths, and what the plan ends
// itself ends with the last of them (semantics 6.3.9).
func TriggerPhase(tx *store.Tx, t Terms, day *period.Date) error {
	loc := t.Customer.Location()
	if day == nil {
		today := period.DateOf(tx.Now, loc)
		day = &today
	}
	at := day.In(loc)
	current := t.PhaseAt(tx.Now)
	switch {
	case current == nil:
		return fault.Refused("the subscription is in no phase of a plan")
	case at.Before(current.StartAt), current.EndAt != nil && !at.Before(*current.EndAt):
		return fault.Bad("effective_date", "must lie in the present phase")
	}
	before, err := phasesOfPlanInterval(tx, current.PlanIntervalID)
	if err != nil {
		return err
	}
	after, err := t.triggered(tx, before, *current, at)
	if err != nil {
		return err
	}
	shift := shifted{from: before, to: after, current: current.PhaseOrder}
	if err := errors.Join(shift.phases(tx), shift.prices(tx, current.PlanIntervalID), shift.adjustments(tx, current.PlanIntervalID)); err != nil {
		return err
	}
	planInterval, end := t.of(PriceInterval{PlanIntervalID: &current.PlanIntervalID}), after[len(after)-1].EndAt
	if !same(t.EndAt, planInterval.EndsAt) {
		return nil
	}
	planInterval.EndsAt = end
	return errors.Join(tx.Model(&planInterval).Select("ends_at").Updates(&planInterval).Error, t.setEnd(tx, end))
}

// triggered are the phases from the present one on as they are when the next begins at
// an instant. Those that a planned end of the subscription has cut off do not come back:
// the last one that is left goes on up to it, and stays open where that end was taken back.
func (t Terms) triggered(tx *store.Tx, before []Phase, current Phase, at time.Time) ([]Phase, error) {
	planInterval := t.of(PriceInterval{PlanIntervalID: &current.PlanIntervalID})
	version, err := catalog.FindVersion(tx, planInterval.PlanID, planInterval.PlanVersion)
	if err != nil {
		return nil, err
	}
	var ramp []catalog.Phase
	for _, p := range version.Phases {
		if _, planned := phaseIn(before, p.Order); planned && p.Order > current.PhaseOrder {
			ramp = append(ramp, p)
		}
	}
	if len(ramp) == 0 {
		return nil, fault.Refused("the subscription is in the last phase of its plan")
	}
	rest := t.Subscription
	rest.StartAt = at
	if same(t.EndAt, planInterval.EndsAt) {
		rest.EndAt = nil
	}
	current.EndAt = &at
	phases := append([]Phase{current}, unroll(tx, rest, planInterval.ID, ramp, t.Customer.Location())...)
	last := &phases[len(phases)-1]
	if rest.EndAt != nil {
		last.EndAt = rest.EndAt
	}
	if old, planned := phaseIn(before, last.PhaseOrder); planned && old.EndAt == nil {
		last.EndAt = nil
	}
	return phases, nil
}

// shifted moves what belongs to phases along with them.
type shifted struct {
	from, to []Phase // those that are not in to are not reached any more
	current  int     // order of the phase that is cut
}

func (s shifted) phases(tx *store.Tx) error {
	for _, old := range s.from {
		if old.PhaseOrder < s.current {
			continue
		}
		if err := tx.Where("id = ?", old.ID).Delete(&Phase{}).Error; err != nil {
			return err
		}
	}
	return tx.Create(&s.to).Error
}

func (s shifted) prices(tx *store.Tx, planIntervalID string) error {
	var rows []PriceInterval
	if err := tx.Where("plan_interval_id = ?", planIntervalID).Find(&rows).Error; err != nil {
		return err
	}
	ids := make([]string, len(rows))
	for k, row := range rows {
		ids[k] = row.PriceID
	}
	prices, err := catalog.FindPrices(tx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		began := row.StartAt
		if err := s.move(tx, &row, row.ID, prices[row.PriceID].PhaseOrder, span{row.StartAt, row.EndAt}); err != nil {
			return err
		}
		// the quantity that a fee is to begin with stays that
		err := tx.Exec(`UPDATE quantity_transitions AS q SET effective_at = i.start_at FROM price_intervals AS i
			WHERE i.account_id = q.account_id AND i.id = q.interval_id AND i.id = ? AND q.account_id = ? AND q.effective_at = ?`,
			row.ID, tx.AccountID, began).Error
		if err != nil {
			return err
		}
	}
	return nil
}

func (s shifted) adjustments(tx *store.Tx, planIntervalID string) error {
	var rows []AdjustmentInterval
	if err := tx.Where("plan_interval_id = ?", planIntervalID).Find(&rows).Error; err != nil {
		return err
	}
	ids := make([]string, len(rows))
	for k, row := range rows {
		ids[k] = row.AdjustmentID
	}
	adjustments, err := catalog.FindAdjustments(tx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.move(tx, &row, row.ID, adjustments[row.AdjustmentID].PhaseOrder, span{row.StartAt, row.EndAt}); err != nil {
			return err
		}
	}
	return nil
}

// move gives an interval of a phase the time of that phase. Bounds of its own, inside
// of the phase, stay where they are.
func (s shifted) move(tx *store.Tx, row any, id string, order *int, at span) error {
	if order == nil || *order < s.current {
		return nil
	}
	old, _ := phaseIn(s.from, *order)
	now, reached := phaseIn(s.to, *order)
	if !reached {
		return tx.Where("id = ?", id).Delete(row).Error
	}
	if at.start.Equal(old.StartAt) || at.start.Before(now.StartAt) {
		at.start = now.StartAt
	}
	if same(at.end, old.EndAt) || now.EndAt != nil && (at.end == nil || at.end.After(*now.EndAt)) {
		at.end = now.EndAt
	}
	if at.end != nil && at.end.Before(at.start) {
		at.start = *at.end
	}
	return tx.Model(row).Where("id = ?", id).Select("start_at", "end_at").
		Updates(map[string]any{"start_at": at.start, "end_at": at.end}).Error
}

func phaseIn(phases []Phase, order int) (Phase, bool) {
	for _, p := range phases {
		if p.PhaseOrder == order {
			return p, true
		}
	}
	return Phase{}, false
}

func phasesOfPlanInterval(tx *store.Tx, planIntervalID string) (phases []Phase, err error) {
	err = tx.Where("plan_interval_id = ?", planIntervalID).Order("start_at, seq").Find(&phases).Error
	return phases, err
}
