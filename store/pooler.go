package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrPooled reports that a pooler gives each transaction another connection of PostgreSQL. The
// role that the server works as, its deadlines and its locks belong to a connection: there they
// would be lost, and left to other clients.
var ErrPooled = errors.New("a pooler in front of PostgreSQL lends connections for one transaction each: " +
	"set pool_mode = session for this database (in pgbouncer.ini), or name PostgreSQL itself in the URL")

// poolerRounds is how often CheckPooler tries: other clients may take the connection in between.
const poolerRounds = 5

// CheckPooler fails with [ErrPooled] where the URL leads through such a pooler. It is called before
// anything else, because a pooler ends other work with errors that do not name it. A pooler that
// keeps one connection for a client as long as the client is connected does no harm.
func CheckPooler(ctx context.Context, url string) error {
	cfg, err := parse(url)
	if err != nil {
		return err
	}
	cfg.AfterConnect = nil
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	first, own, err := connectTo(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	if own == first.PgConn().PID() {
		return nil // a pooler invents the number of the process
	}
	for range poolerRounds {
		lent, err := lends(ctx, cfg, first, own)
		if err != nil {
			return fmt.Errorf("ask the pooler before PostgreSQL: %w", err)
		}
		if lent {
			return ErrPooled
		}
	}
	return nil
}

// lends reports whether a connection of PostgreSQL that was first's is given to another client,
// or first is given another one.
func lends(ctx context.Context, cfg *pgx.ConnConfig, first *pgx.Conn, own uint32) (lent bool, err error) {
	second, other, err := connectTo(ctx, cfg)
	if err != nil {
		return false, err
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	if other == own {
		return true, nil
	}
	if _, err := second.Exec(ctx, "BEGIN"); err != nil {
		return false, err
	}
	if other, err = backendOf(ctx, second); err != nil || other == own {
		return other == own, err
	}
	now, err := backendOf(ctx, first)
	return now != own, err
}

// connectTo also returns the process of PostgreSQL that answered first.
func connectTo(ctx context.Context, cfg *pgx.ConnConfig) (conn *pgx.Conn, backend uint32, err error) {
	if conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
		return nil, 0, fmt.Errorf("connect to the database: %w", err)
	}
	if backend, err = backendOf(ctx, conn); err != nil {
		return nil, 0, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return conn, backend, nil
}

func backendOf(ctx context.Context, conn *pgx.Conn) (backend uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend)
	return backend, err
}
