package usage

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// foldSize bounds one unit of the aggregator's work, in events.
const foldSize = 50_000

// progress is how far an account's buckets have come.
type progress struct {
	mark        int64     // seq that the events in them are below
	sixHourlyTo time.Time // six-hour buckets that start before are there too; the zero time: none
	coarse      bool      // a series may have quotients of too few digits
}

// lockProgress locks the account's progress, unless another has it, and makes it first.
func lockProgress(tx *store.Tx) (p progress, free bool, err error) {
	const lock = `SELECT mark, six_hourly_to, EXISTS (SELECT FROM usage_series WHERE account_id = $1 AND quotient_places < $2)
		FROM usage_progress WHERE account_id = $1 FOR UPDATE SKIP LOCKED`
	var sixHourlyTo sql.NullTime
	err = tx.Conn().QueryRowContext(tx.Context(), lock, tx.AccountID, metric.QuotientPlaces).Scan(&p.mark, &sixHourlyTo, &p.coarse)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.Conn().ExecContext(tx.Context(),
			"INSERT INTO usage_progress (account_id, mark) VALUES ($1, 0) ON CONFLICT DO NOTHING", tx.AccountID)
		return p, false, err
	}
	p.sixHourlyTo = sixHourlyTo.Time
	return p, err == nil, err
}

// analyze tells the planner of buckets: when there are many more than it knows of, since
// readers and the next unit look for theirs among them, and when a series has caught up,
// since it is read from now on.
func analyze(tx *store.Tx, function string) error {
	if err := tx.Exec("SELECT " + function + "()").Error; err != nil {
		return fmt.Errorf("analyze buckets: %w", err)
	}
	return nil
}
