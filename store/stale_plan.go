package store

import (
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// stalePlan reports the failure of a statement that its connection prepared before a migration
// changed the columns of the result. A newer version that starts beside this server does that.
// The transaction is rolled back, so it may be run again. The text of the message depends on the
// language of the database; the routine does not.
func stalePlan(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "0A000" && pg.Routine == "RevalidateCachedQuery"
}

// forgetPlans closes the connections of a pool that are not in use. All of them may have statements
// that were prepared before the migration.
func forgetPlans(pool *sql.DB, most int) {
	pool.SetMaxIdleConns(-1)
	pool.SetMaxIdleConns(most)
}

// prepared repeats do while a statement in it was prepared before a migration. Each time at least
// the connection that had it is closed, so that this ends.
func (s *Store) prepared(do func() error) (err error) {
	for range s.transactions() {
		if err = do(); !stalePlan(err) {
			return err
		}
		forgetPlans(s.sql, s.transactions())
	}
	return err
}
