package usage

import (
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// FromBuckets reports whether buckets answer a request, in part at least.
func FromBuckets(tx *store.Tx, req Request) (bool, error) {
	from, err := stored(tx, []Request{req})
	return err == nil && from.standing.choose(req) != nil, err
}

// FromSixHours reports whether buckets of six-hour buckets answer a request, in part at least.
func FromSixHours(tx *store.Tx, req Request) (bool, error) {
	from, err := stored(tx, []Request{req})
	if err != nil {
		return false, err
	}
	k := from.standing.choose(req)
	return k != nil && len(k.sixHours) > 0, nil
}

// MeasureEvents is Measure from events alone, in the same snapshot.
func MeasureEvents(tx *store.Tx, req Request) ([]Reading, error) {
	other := *tx
	other.DB = tx.WithContext(ReadEvents(tx.Context()))
	return Measure(&other, req)
}

// BucketsRead is how many buckets a request reads.
func BucketsRead(tx *store.Tx, req Request) (rows int, err error) {
	from, err := stored(tx, []Request{req})
	if err != nil {
		return 0, err
	}
	k := from.standing.choose(req)
	s := &statement{}
	s.add("SELECT count(*) FROM (")
	s.fragment(k.totals(req, from))
	s.add(") AS b")
	err = tx.Conn().QueryRowContext(tx.Context(), s.numbered(), s.args...).Scan(&rows)
	return rows, err
}

// Refilled is the part of a gap that is rebuilt first, and the events in it.
func Refilled(tx *store.Tx, subjects []string, p period.Period, most int64) (period.Period, int64, error) {
	return gap{Subjects: subjects, Period: p}.part(tx, most)
}
