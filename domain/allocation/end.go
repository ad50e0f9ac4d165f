package allocation

import (
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Cut is a grant whose price ended within the period: what was unspent was taken back.
type Cut struct {
	BlockID string
	Days    period.Period // of the period that are left; whole local days, the day of the end included
	Whole   period.Period // the period in whole local days
}

// CutGrant finds the grant of the period of a price that began at an instant, if the price has
// ended within it by now, without another in its place, and the credits would have lasted beyond
// that end.
func CutGrant(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, start time.Time) (cut Cut, found bool, err error) {
	a, periodic := t.AllowanceAt(i, start)
	if !periodic {
		return cut, false, nil
	}
	s := shareOf(t, a).last(t)
	if !s.Period.End.Before(s.End) || s.Period.End.After(tx.Now) {
		return cut, false, nil
	}
	loc := t.Customer.Location()
	if lasts := s.lasts(loc); lasts != nil && !lasts.After(s.Period.End) {
		return cut, false, nil
	}
	given, err := grantsOf(tx, t.ID)
	g, known := given[shareOf(t, a).key()]
	return Cut{g.BlockID, days(s.Period.End, s.End, loc), days(a.Period.Start, s.End, loc)}, known, err
}

// days are the whole local days from an instant on up to another: that of the first is one.
func days(from, to time.Time, loc *time.Location) period.Period {
	midnight := func(at time.Time) time.Time { return period.DateOf(at, loc).In(loc) }
	return period.Period{Start: midnight(from), End: midnight(to)}
}

// FindGrant finds the grant of the period of a price that began at an instant, which the terms need
// not have any more.
func FindGrant(tx *store.Tx, intervalID string, start time.Time) (g Grant, found bool, err error) {
	var rows []Grant
	err = tx.Where("interval_id = ? AND start_at = ?", intervalID, start).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return g, false, err
	}
	return rows[0], true, nil
}
