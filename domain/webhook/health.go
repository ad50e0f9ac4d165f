package webhook

import (
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// An endpoint is given up that answered more than hopelessPercent of its deliveries of
// the last watched days with a fault of its own, if those are at least fewest (semantics
// 13.1.3). A delivery counts by its last answer.
const (
	watched         = 7 * 24 * time.Hour
	fewest          = 100
	hopelessPercent = 99
)

// disableHopeless disables an endpoint that is to be given up by now, which is real time.
func disableHopeless(tx *store.Tx, endpointID string, now time.Time) (bool, error) {
	var count struct{ Deliveries, Faults int64 }
	err := tx.Model(&Delivery{}).Where("endpoint_id = ? AND last_attempt_at > ?", endpointID, now.Add(-watched)).
		Select("count(*) AS deliveries, count(*) FILTER (WHERE last_status >= 500) AS faults").Scan(&count).Error
	if err != nil || count.Deliveries < fewest || count.Faults*100 <= count.Deliveries*hopelessPercent {
		return false, err
	}
	return disable(tx, endpointID)
}

// disable tells whether the endpoint was enabled until now.
func disable(tx *store.Tx, endpointID string) (bool, error) {
	disabled := tx.Model(&Endpoint{}).Where("id = ? AND enabled", endpointID).Update("enabled", false)
	return disabled.RowsAffected > 0, disabled.Error
}

// ignoreMissing is nil for what is not there any more.
func ignoreMissing(err error) error {
	if fault.Is(err, fault.KindMissing) {
		return nil
	}
	return err
}
