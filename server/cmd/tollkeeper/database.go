package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// privateDatabase is the one that is used in a private cluster.
const privateDatabase = "tollkeeper"

// serverLogin is what the server logs in as in a private cluster. It owns nothing.
const serverLogin = "tollkeeper_server"

// database is the one the commands work on: configured, or private.
type database struct {
	url     string           // with the login of the server
	owner   string           // with the login of the owner, for migrations and what an operator does; the same where one login is both
	private *cluster.Cluster // nil when configured
}

// reach finds the database. A private one is started; it is made where there is none only if
// make is set.
func reach(ctx context.Context, env environment, make bool) (database, error) {
	if env.DatabaseURL != "" {
		configured := database{url: env.DatabaseURL, owner: env.ownerURL()}
		return configured, nameMissing(configured.check(ctx))
	}
	if make {
		if err := env.makeFolders(); err != nil {
			return database{}, err
		}
	}
	opts := env.cluster()
	opts.Existing = !make
	c, err := cluster.Start(ctx, opts)
	if errors.Is(err, cluster.ErrNone) {
		return database{}, fmt.Errorf("there is no database in %s: start one with `tollkeeper serve`, or set TOLLKEEPER_DATA_DIR or TOLLKEEPER_DATABASE_URL", env.DataDir)
	}
	if err != nil {
		return database{}, fmt.Errorf("private PostgreSQL: %w", err)
	}
	if err := c.CreateDatabase(ctx, privateDatabase); err != nil {
		return database{}, errors.Join(fmt.Errorf("private PostgreSQL: %w", err), c.Stop())
	}
	return privateIn(c), nil
}

// makeFolders makes the folders of the private PostgreSQL, or says which cannot be made.
func (e environment) makeFolders() error {
	for _, folder := range [][2]string{{"TOLLKEEPER_DATA_DIR", e.DataDir}, {"TOLLKEEPER_BACKUP_DIR", e.BackupDir}} {
		if folder[1] == "" {
			continue
		}
		if err := os.MkdirAll(folder[1], 0o700); err != nil {
			return fmt.Errorf("%s: must be a folder that can be made: %w", folder[0], err)
		}
	}
	return nil
}

// nameMissing tells how to make the database, in an error that there is none of its name.
func nameMissing(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "3D000" { // invalid_catalog_name
		return errors.New("TOLLKEEPER_DATABASE_URL: the server has no such database (" + pg.Message + "); make it with CREATE DATABASE ... OWNER ... ENCODING 'UTF8' TEMPLATE template0")
	}
	return err
}

// check refuses a database that the server cannot work in, before anything is made in it.
func (d database) check(ctx context.Context) error {
	if err := d.checkPooler(ctx); err != nil {
		return err
	}
	if err := d.checkSame(ctx); err != nil {
		return err
	}
	if err := store.CheckEncoding(ctx, d.owner); err != nil {
		return err
	}
	return store.CheckSchema(ctx, d.owner)
}

// checkSame refuses logins of owner and server in different databases.
func (d database) checkSame(ctx context.Context) error {
	if d.owner == d.url {
		return nil
	}
	if err := store.CheckSameDatabase(ctx, d.owner, d.url); err != nil {
		return fmt.Errorf("TOLLKEEPER_MIGRATE_URL and TOLLKEEPER_DATABASE_URL: %w", err)
	}
	return nil
}

// checkPooler refuses a pooler that lends its connections, on the way of either login.
func (d database) checkPooler(ctx context.Context) error {
	err := store.CheckPooler(ctx, d.owner)
	if err == nil && d.owner != d.url {
		err = store.CheckPooler(ctx, d.url)
		if !errors.Is(err, store.ErrPooled) {
			err = nil // the login may not exist yet
		}
	}
	return err
}

// privateIn is the database of a private cluster.
func privateIn(c *cluster.Cluster) database {
	return database{c.URLAs(serverLogin, privateDatabase), c.URL(privateDatabase), c}
}

// ownerURL is that of the owner's login in a configured database.
func (e environment) ownerURL() string { return cmp.Or(e.MigrateURL, e.DatabaseURL) }

// leave stops a private cluster that no other process uses.
func (d database) leave() error {
	if d.private == nil {
		return nil
	}
	return d.private.Stop()
}

// supervise keeps a private cluster running until ctx ends. A configured database is in other
// hands.
func (d database) supervise(ctx context.Context, restarted func()) error {
	if d.private == nil {
		<-ctx.Done()
		return nil
	}
	if err := d.private.Supervise(ctx, cluster.Supervision{Restarted: restarted}); err != nil {
		return exit{err, databaseLost}
	}
	return nil
}

// databaseLost is the exit status of a server whose private PostgreSQL ended and could not
// be restarted.
const databaseLost = 3

// withStore runs do on the migrated database, with the login of its owner: an operator may do
// what a server may not.
func withStore(ctx context.Context, env environment, do func(st *store.Store) error) (err error) {
	db, err := reach(ctx, env, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	st, err := store.Open(ctx, db.owner)
	if err != nil {
		return fmt.Errorf("%w (a new database, or one of an older version, needs `tollkeeper migrate` first)", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := settle(ctx, st); err != nil {
		return err
	}
	st.BeforeCommit(func(tx *store.Tx, _ []any) error { return audit.Write(tx) })
	return nameOwner(do(st))
}

// nameOwner tells where the owner's login belongs, in an error that it is needed.
func nameOwner(err error) error {
	if errors.Is(err, store.ErrNotOwner) {
		return fmt.Errorf("%w: set TOLLKEEPER_MIGRATE_URL to the owner's", err)
	}
	return err
}

// migration is how the database is migrated. What a step waits for is in the log: the server does not
// serve meanwhile.
func (e environment) migration() store.Migration {
	return store.Migration{Wait: e.MigrateWait, Waiting: func(w store.LockWait) {
		log, err := e.logger(os.Stderr)
		if err != nil {
			return // the environment was checked
		}
		sessions := make([]string, len(w.Sessions))
		for i, session := range w.Sessions {
			sessions[i] = session.String()
		}
		log.Warn("a step of the migration waits for other sessions; requests go on meanwhile", "step", w.Step,
			"sessions", strings.Join(sessions, "; "), "until", w.Until.UTC().Format(time.RFC3339))
	}}
}

// migrate is a command.
type migrate struct {
	PrintRoles bool `help:"Change nothing; print the SQL that an administrator of PostgreSQL runs first, where the owner of the database may make no roles."`
}

// Run brings the database to this version.
func (m migrate) Run(ctx context.Context, env environment, out io.Writer) (err error) {
	if m.PrintRoles {
		return printRoles(ctx, env, out)
	}
	db, err := reach(ctx, env, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	if owner, err := db.isOwners(ctx); err != nil || !owner {
		return cmp.Or(err, nameOwner(store.ErrNotOwner))
	}
	return db.migrate(ctx, env.migration())
}

// printRoles prints the statements that the roles of the database are in want of.
func printRoles(ctx context.Context, env environment, out io.Writer) error {
	if env.DatabaseURL == "" {
		return errors.New("TOLLKEEPER_DATABASE_URL: is not set; a private PostgreSQL makes its roles by itself")
	}
	statements, err := store.MissingRoles(ctx, env.ownerURL(), env.DatabaseURL)
	if err != nil {
		return err
	}
	if len(statements) == 0 {
		_, err = fmt.Fprintln(out, "-- no role or right is missing")
		return err
	}
	_, err = fmt.Fprintln(out, strings.Join(statements, ";\n")+";")
	return err
}

// isOwners reports whether the owner's login is known, so that the database can be migrated.
func (d database) isOwners(ctx context.Context) (bool, error) {
	if d.owner != d.url {
		return true, nil
	}
	login, err := store.ReadLogin(ctx, d.url)
	return login.Owner, err
}

// migrate brings the database to this version, and lets the login of the server work there.
func (d database) migrate(ctx context.Context, how store.Migration) error {
	steps, err := how.Apply(ctx, d.owner)
	var locked *store.LockedError
	if errors.As(err, &locked) {
		return fmt.Errorf("%w; TOLLKEEPER_MIGRATE_WAIT sets how long a step tries, and servers that run go on meanwhile", err)
	}
	if err != nil {
		return err
	}
	if steps > 0 {
		_, _ = fmt.Fprintf(os.Stderr, "%d migrations applied\n", steps)
	}
	if d.owner == d.url {
		return nil
	}
	return store.AdmitLogin(ctx, d.owner, d.url, d.private != nil)
}

// open opens the database for a server, migrated if the owner's login is known. Without it the
// database must be migrated already.
func (d database) open(ctx context.Context, how store.Migration, options store.Options) (st *store.Store, err error) {
	owner, err := d.isOwners(ctx)
	if err != nil {
		return nil, err
	}
	if owner {
		if err := d.migrate(ctx, how); err != nil {
			return nil, err
		}
	}
	if st, err = store.OpenWith(ctx, d.url, options); err != nil || owner {
		return st, err
	}
	if err := st.CheckMigrated(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: run `tollkeeper migrate` with TOLLKEEPER_MIGRATE_URL set to the owner's login", err), st.Close())
	}
	return st, nil
}

// settle begins another era of event numbers where the database was restored from a dump.
func settle(ctx context.Context, st *store.Store) error {
	restored, err := event.Settle(ctx, st)
	if restored {
		_, _ = fmt.Fprintln(os.Stderr, "the database was restored from a dump; events to come are numbered above those in it")
	}
	return err
}

// durability are the settings without which a committed row can be lost.
var durability = []string{"fsync", "full_page_writes", "synchronous_commit"}

// checkDurable refuses a server that may forget what it confirmed.
func checkDurable(ctx context.Context, url string) error {
	off, err := forgetful(ctx, url)
	if err == nil && len(off) > 0 {
		err = fmt.Errorf("the database runs with %s = off, and would lose events it confirmed; switch it on", strings.Join(off, " = off, "))
	}
	return err
}

// forgetful names the settings of durability that are off.
func forgetful(ctx context.Context, url string) (off []string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, setting := range durability {
		var value string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&value); err != nil {
			return nil, fmt.Errorf("read %s: %w", setting, err)
		}
		if value == "off" {
			off = append(off, setting)
		}
	}
	return off, nil
}
