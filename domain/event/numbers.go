package event

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// The SQL of numbers, moments and the horizon. The functions of the database that it names are
// in store/functions/event_numbers.sql. A number that is stored has the era of the database
// added, so no statement may compare it with a transaction number of PostgreSQL.
const (
	// Moment is the pg_snapshot of the events that the statement can see.
	Moment = "event_moment()"
	// Horizon is a seq: no event that is stored later has a lower one.
	Horizon = "event_horizon()"
)

// InSnapshot is the condition that an event e was there at a moment, an expression in SQL.
func InSnapshot(moment string) string {
	return "pg_visible_in_snapshot((e.seq >> 20)::text::xid8, " + moment + "::pg_snapshot)"
}

// Oldest is a seq, in SQL: all events below it were there at the moment.
func Oldest(moment string) string {
	return "(pg_snapshot_xmin(" + moment + "::pg_snapshot)::text::bigint << 20)"
}

// Next is a seq, in SQL: no event at or above it was there at the moment.
func Next(moment string) string {
	return "(pg_snapshot_xmax(" + moment + "::pg_snapshot)::text::bigint << 20)"
}

// unsettled is the SQLSTATE with which a database that was read from a dump numbers no event.
const unsettled = "TK001"

// Settle begins another era of numbers where the database was read from a dump: the events to
// come have higher numbers than all that are stored. It reports whether it was.
func Settle(ctx context.Context, st *store.Store) (restored bool, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error { return db.Raw("SELECT settle_event_numbering()").Row().Scan(&restored) })
	if err != nil {
		return false, fmt.Errorf("settle how events are numbered: %w", err)
	}
	return restored, nil
}
