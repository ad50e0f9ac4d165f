package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql functions/*.sql
var schema embed.FS

// ErrOldDatabase is that of a database which a version before the baseline of migrations made.
// Its data is not carried over.
var ErrOldDatabase = errors.New("the database was made by a version of Tollkeeper before the first release, and this version cannot use it; " +
	"create a new database and start with that one")

// Migration is how a database is migrated. The zero value brings it to this version.
type Migration struct {
	Wait    time.Duration  // how long each step tries to get its locks; 0: [MigrateWait]
	Waiting func(LockWait) // hears of a step that waits for other sessions, and again while it does; nil: no one
	Files   fs.FS          // migrations/*.sql and functions/*.sql; nil: those of this version
}

// Migrate brings the database to this version. See [Migration.Apply].
func Migrate(ctx context.Context, url string) (steps int, err error) {
	return Migration{}.Apply(ctx, url)
}

// SchemaFiles are the migrations and functions of this version.
func SchemaFiles() fs.FS { return schema }

// Apply brings the database to a version, as its owner: new functions, then migrations, then
// functions whose text has changed (migrations/README.md says why in this order). Servers
// that start together wait for one of them to do it. It reports how many migrations were
// applied, without functions. The error is [ErrOldDatabase] where there is no way from there, and
// a [LockedError] where other sessions kept their locks for too long.
func (m Migration) Apply(ctx context.Context, url string) (steps int, err error) {
	if m.Files == nil {
		m.Files = schema
	}
	migrator, err := newMigrator(url, m)
	if err != nil {
		return 0, err
	}
	defer migrator.close(ctx)
	holder, err := migrator.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		_, unlocking := holder.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", lock.DefaultLockID)
		err = errors.Join(err, unlocking, holder.Close())
	}()
	return migrator.apply(ctx)
}

// apply does the work of Apply. The caller holds the lock.
func (m *migrator) apply(ctx context.Context) (steps int, err error) {
	if err := refuseOldDatabase(ctx, m.db); err != nil {
		return 0, err
	}
	var suffix string
	err = m.step(ctx, "making the roles of the server", func() (err error) {
		suffix, err = prepareRoles(ctx, m.db)
		return err
	})
	if err != nil {
		return 0, err
	}
	files := withSuffix(m.Files, suffix)
	migrations, err := fs.Sub(files, "migrations")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, m.db, migrations)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the version of the database: %w", err)
	}
	if isNewer(provider, version) {
		return 0, nil
	}
	functions, err := readFunctions(files)
	if err != nil {
		return 0, err
	}
	before := func() error { return restoreRights(ctx, m.db, suffix) }
	if err := m.step(ctx, "granting the rights of the server's roles", before); err != nil {
		return 0, err
	}
	if err := m.step(ctx, "making new functions", func() error { return functions.applyNew(ctx, m.db) }); err != nil {
		return 0, err
	}
	steps, err = m.applyFiles(ctx, provider, version, migrations)
	if err != nil {
		return steps, err
	}
	if err := m.step(ctx, "replacing functions", func() error { return functions.applyChanged(ctx, m.db) }); err != nil {
		return steps, err
	}
	after := func() error { return recordRights(ctx, m.db, suffix) }
	return steps, m.step(ctx, "recording the rights of the server's roles", after)
}

// patient marks a migration whose locks stop no reading and no writing (migrations/README.md).
var patient = regexp.MustCompile(`(?m)^-- Waits: `)

// applyFiles applies the migrations after a version, each as a step.
func (m *migrator) applyFiles(ctx context.Context, provider *goose.Provider, version int64, migrations fs.FS) (steps int, err error) {
	for _, source := range provider.ListSources() { // by version
		if source.Version <= version {
			continue
		}
		text, err := fs.ReadFile(migrations, source.Path)
		if err != nil {
			return steps, fmt.Errorf("read the migrations: %w", err)
		}
		try := m.step
		if patient.Match(text) {
			try = m.patientStep
		}
		err = try(ctx, "migration "+source.Path, func() error {
			_, err := provider.UpTo(ctx, source.Version)
			return err
		})
		if err != nil {
			return steps, fmt.Errorf("migrate: %w", err)
		}
		steps++
	}
	return steps, nil
}

// isNewer reports that a later version migrated the database. A server of this version that
// starts again beside servers of that one leaves everything as it is, functions too.
func isNewer(provider *goose.Provider, version int64) bool {
	known := provider.ListSources() // by version
	return version > known[len(known)-1].Version
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
