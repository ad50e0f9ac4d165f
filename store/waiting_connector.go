package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// waitingConnector makes connections of a pool. Where PostgreSQL, or the role, has as many as it may have, it waits for one to
// end: another server that is about to be stopped may have them.
type waitingConnector struct{ driver.Connector }

func (c waitingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	return patiently(ctx, c.Connector.Connect)
}

// patiently connects, and tries again while PostgreSQL has no room for one more connection, for as long as a
// transaction waits for one.
func patiently[C any](ctx context.Context, connect func(context.Context) (C, error)) (conn C, err error) {
	late := time.NewTimer(connectionWithin)
	defer late.Stop()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if conn, err = connect(ctx); !noRoom(err) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return conn, err
		case <-late.C:
			return conn, err
		case <-time.After(pause):
		}
	}
}

// connectWith is pgx.ConnectConfig for a caller that waits for room.
func connectWith(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.Conn, error) {
	return patiently(ctx, func(ctx context.Context) (*pgx.Conn, error) { return pgx.ConnectConfig(ctx, cfg) })
}

// noRoom reports that PostgreSQL refused a connection because the server, the database or the role has as many as it
// may have.
func noRoom(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "53300" // too_many_connections
}
