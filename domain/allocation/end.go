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
// ended within it by now and the credits would have lasted beyond that end.
func CutGrant(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, start time.Time) (cut Cut, found bool, err error) {
	if i.Price.Allocation == nil || i.Price.Length().OneTime() {
		return cut, false, nil
	}
	piece, served := t.PeriodOf(i, start)
	cycle, _ := t.CycleOf(i, start)
	if !served || !piece.End.Before(cycle.End) || piece.End.After(tx.Now) {
		return cut, false, nil
	}
	loc := t.Customer.Location()
	s := share{i, piece, cycle.End}
	if lasts := s.lasts(loc); lasts != nil && !lasts.After(piece.End) {
		return cut, false, nil
	}
	given, err := grantsOf(tx, t.ID)
	g, known := given[s.key()]
	midnight := func(at time.Time) time.Time { return period.DateOf(at, loc).In(loc) }
	from, to, whole := midnight(piece.End), midnight(cycle.End), midnight(piece.Start)
	return Cut{g.BlockID, period.Period{Start: from, End: to}, period.Period{Start: whole, End: to}}, known, err
}
