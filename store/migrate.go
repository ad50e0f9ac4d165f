package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that migrations run through
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database to this version, as its owner. Servers that start
// together wait for one of them to do it. It reports how many steps were taken.
func Migrate(ctx context.Context, url string) (steps int, err error) {
	suffix, err := prepareRoles(ctx, url)
	if err != nil {
		return 0, err
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		return 0, fmt.Errorf("database URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("make the migration lock: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, withSuffix(files, suffix), goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}
