package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// configure reads a URL, and sets what holds for every connection.
func configure(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["application_name"] = "tollkeeper"
	return cfg, nil
}

// connect opens one connection, for a caller that needs no pool.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return conn, nil
}
