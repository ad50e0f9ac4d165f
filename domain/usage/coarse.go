package usage

import (
	"fmt"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// coarse tells whether the totals of a series are of quotients with fewer digits than they
// have today. Readers read events instead until it has begun again.
func (s series) coarse(q *metric.Query) bool { return s.Places < metric.QuotientPlaces && q.Divides() }

// refineSeries begins series again whose totals are coarse, and notes of all others that they
// are not. It is done here and not by a migration: only now do all servers divide alike, and
// it takes as long as there are buckets.
func refineSeries(tx *store.Tx, p progress) (bool, error) {
	if !p.coarse {
		return false, nil
	}
	all, err := seriesWhere(tx, "quotient_places < $2", metric.QuotientPlaces)
	if err != nil {
		return false, err
	}
	var again []int64
	for _, s := range all {
		query, err := metric.Parse(s.Metric)
		if err != nil || s.coarse(query) { // what this version does not know fails as before
			again = append(again, s.ID)
		}
	}
	if err := restart(tx, again); err != nil {
		return false, err
	}
	err = tx.Exec("UPDATE usage_series SET quotient_places = ? WHERE account_id = ? AND quotient_places < ?",
		metric.QuotientPlaces, tx.AccountID, metric.QuotientPlaces).Error
	if err != nil {
		return false, fmt.Errorf("note how series divide: %w", err)
	}
	return true, nil
}
