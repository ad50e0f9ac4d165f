package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// privateDatabase is the one that is used in a private cluster.
const privateDatabase = "tollkeeper"

// database is the one the commands work on: configured, or private.
type database struct {
	url     string
	private *cluster.Cluster // nil when configured
}

// reach finds the database. A private one is started; it is made where there is none only if
// make is set.
func reach(ctx context.Context, env environment, make bool) (database, error) {
	if env.DatabaseURL != "" {
		return database{url: env.DatabaseURL}, nil
	}
	c, err := cluster.Start(ctx, cluster.Options{Dir: env.DataDir, Log: os.Stderr, Existing: !make, Buffers: env.SharedBuffers << 20})
	if errors.Is(err, cluster.ErrNone) {
		return database{}, fmt.Errorf("there is no database in %s: start one with `tollkeeper serve`, or set TOLLKEEPER_DATA_DIR or TOLLKEEPER_DATABASE_URL", env.DataDir)
	}
	if err != nil {
		return database{}, fmt.Errorf("private PostgreSQL: %w", err)
	}
	if err := c.CreateDatabase(ctx, privateDatabase); err != nil {
		return database{}, errors.Join(fmt.Errorf("private PostgreSQL: %w", err), c.Stop())
	}
	return database{c.URL(privateDatabase), c}, nil
}

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

// withStore runs do on the migrated database.
func withStore(ctx context.Context, env environment, do func(st *store.Store) error) (err error) {
	db, err := reach(ctx, env, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	st, err := store.Open(ctx, db.url)
	if err != nil {
		return fmt.Errorf("%w (a new database, or one of an older version, needs `tollkeeper migrate` first)", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := settle(ctx, st); err != nil {
		return err
	}
	st.BeforeCommit(func(tx *store.Tx, _ []any) error { return audit.Write(tx) })
	return do(st)
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
	return db.migrate(ctx)
}

// printRoles prints the statements that the roles of the database are in want of.
func printRoles(ctx context.Context, env environment, out io.Writer) error {
	if env.DatabaseURL == "" {
		return errors.New("TOLLKEEPER_DATABASE_URL: is not set; a private PostgreSQL makes its roles by itself")
	}
	statements, err := store.MissingRoles(ctx, env.DatabaseURL)
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

func (d database) migrate(ctx context.Context) error {
	steps, err := store.Migrate(ctx, d.url)
	if err == nil && steps > 0 {
		_, _ = fmt.Fprintf(os.Stderr, "%d migrations applied\n", steps)
	}
	return err
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
