package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that migrations run through
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql functions/*.sql
var schema embed.FS

// ErrOldDatabase is that of a database which a version before the baseline of migrations made.
// Its data is not carried over.
var ErrOldDatabase = errors.New("the database was made by a version of Tollkeeper before the first release, and this version cannot use it; " +
	"create a new database and start with that one")

// Migrate brings the database to this version, as its owner: new functions, then migrations,
// then functions whose text has changed (migrations/README.md says why in this order). Servers
// that start together wait for one of them to do it. It reports how many migrations were
// applied, without functions. The error is [ErrOldDatabase] where there is no way from there.
func Migrate(ctx context.Context, url string) (steps int, err error) {
	return migrateWith(ctx, url, schema)
}

// migrateWith is Migrate with these files.
func migrateWith(ctx context.Context, url string, files fs.FS) (steps int, err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return 0, fmt.Errorf("database URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("make the migration lock: %w", err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return 0, fmt.Errorf("take the migration lock: %w", err)
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	return applySchema(ctx, db, url, files)
}

// applySchema does the work of Migrate. The caller holds the lock.
func applySchema(ctx context.Context, db *sql.DB, url string, files fs.FS) (steps int, err error) {
	if err := refuseOldDatabase(ctx, db); err != nil {
		return 0, err
	}
	suffix, err := prepareRoles(ctx, url)
	if err != nil {
		return 0, err
	}
	files = withSuffix(files, suffix)
	migrations, err := fs.Sub(files, "migrations")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	if newer, err := isNewer(ctx, provider); err != nil || newer {
		return 0, err
	}
	if err := restoreRights(ctx, db, suffix); err != nil {
		return 0, err
	}
	functions, err := readFunctions(files)
	if err != nil {
		return 0, err
	}
	if err := functions.applyNew(ctx, db); err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate: %w", err)
	}
	if err := functions.applyChanged(ctx, db); err != nil {
		return len(results), err
	}
	return len(results), recordRights(ctx, db, suffix)
}

// isNewer reports that a later version migrated the database. A server of this version that
// starts again beside servers of that one leaves everything as it is, functions too.
func isNewer(ctx context.Context, provider *goose.Provider) (bool, error) {
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return false, fmt.Errorf("read the version of the database: %w", err)
	}
	known := provider.ListSources() // by version
	return version > known[len(known)-1].Version, nil
}

// refuseOldDatabase tells the migrations before the baseline by what came with the baseline:
// the table of functions.
func refuseOldDatabase(ctx context.Context, db *sql.DB) error {
	var old bool
	err := db.QueryRowContext(ctx, `SELECT to_regclass('public.accounts') IS NOT NULL AND to_regclass('public.applied_functions') IS NULL`).Scan(&old)
	if err != nil {
		return fmt.Errorf("look for earlier migrations: %w", err)
	}
	if old {
		return ErrOldDatabase
	}
	return nil
}
