package license

import (
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Hangs is whose usage, and from when on, what licenses cover of a price in a period hangs
// on: all prices that draw on the same credits, from the first allowance that touches it.
// It is none of a price that does not draw on licenses.
func Hangs(t subscription.Terms, i subscription.PriceInterval, in period.Period) (on []subscription.PriceInterval, since period.Period) {
	if i.Price.LicenseTypeID == nil || !draws(i, *i.Price.LicenseTypeID) {
		return nil, in
	}
	kind := *i.Price.LicenseTypeID
	for _, a := range allowances(t, kind, in) {
		in = spanning(in, period.Period{Start: a.Period.Start, End: in.End})
	}
	for _, other := range t.Intervals {
		if draws(other, kind) && other.Overlaps(in) {
			on = append(on, other)
		}
	}
	return on, in
}

// Held reports whether the licenses of a type that were active in a period are those that
// they were before an instant.
func Held(tx *store.Tx, subscriptionID, typeID string, in period.Period, since time.Time) (held bool, err error) {
	err = tx.Raw(`SELECT NOT EXISTS (SELECT FROM licenses
		WHERE account_id = ? AND subscription_id = ? AND license_type_id = ? AND start_at < ?
		AND (created_at >= ? AND (end_at IS NULL OR end_at > ?)
			OR changed_at >= ? AND (end_at < ? OR changed_at < ?)))`, // an end is moved before it is past
		tx.AccountID, subscriptionID, typeID, in.End, since, in.Start, since, in.End, in.End).Scan(&held).Error
	return held, err
}
