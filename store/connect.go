package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// workInPublic has a connection make and find all tables in the schema public. The search path of
// the cluster, the database or the role may begin with another schema, such as one with the name of the
// role ("$user"). It is a statement, since a pooler refuses it among the parameters of a connection.
const workInPublic = "SET search_path = public, pg_temp"

// configure reads a URL, and sets what holds for every connection.
func configure(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["application_name"] = "tollkeeper"
	afterConnect(cfg, workInPublic)
	return cfg, nil
}

// afterConnect has every connection begin with these statements.
func afterConnect(cfg *pgx.ConnConfig, statements string) {
	cfg.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		return conn.Exec(ctx, statements).Close()
	}
}

// connect opens one connection, for a caller that needs no pool.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	conn, err := connectWith(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return conn, nil
}
