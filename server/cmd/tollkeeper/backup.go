package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tollkeeper/store/cluster"
)

// errOwnPostgres refuses to back up or restore a database that is in other hands.
var errOwnPostgres = errors.New("TOLLKEEPER_DATABASE_URL: is set, and your own PostgreSQL has its own tools for this (docs/production.md)")

// backup is a command.
type backup struct {
	Keep int  `help:"Remove the oldest base backups but for so many, and the log that only they need. Without it all are kept."`
	List bool `help:"Make none; list those that are there."`
	JSON bool `help:"Print JSON."`
}

// Run makes a base backup of the private PostgreSQL, while the server runs. With the log that
// is archived all the time, it restores the database as of any later instant.
func (b backup) Run(ctx context.Context, env environment, out io.Writer) (err error) {
	if err := env.checkBackups(); err != nil {
		return err
	}
	if b.Keep < 0 {
		return errors.New("--keep: must be at least 1")
	}
	if b.List {
		found, err := cluster.Backups(env.BackupDir)
		if err != nil {
			return err
		}
		return b.print(out, found)
	}
	db, err := reach(ctx, env, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	made, err := db.private.Backup(ctx, b.Keep)
	if err != nil {
		return err
	}
	return b.print(out, []cluster.Backup{made})
}

func (b backup) print(out io.Writer, backups []cluster.Backup) error {
	if b.JSON {
		if backups == nil {
			backups = []cluster.Backup{}
		}
		return printJSON(out, map[string]any{"backups": backups})
	}
	rows := make([][]string, len(backups))
	for i, one := range backups {
		rows[i] = []string{one.Of, one.Name, fmt.Sprintf("PostgreSQL %d", one.Major), "restores what was committed until " + one.Ended.Format(time.RFC3339) + " and later"}
	}
	return printTable(out, rows)
}

// checkBackups refuses to work without a directory of backups.
func (e environment) checkBackups() error {
	if e.DatabaseURL != "" {
		return errOwnPostgres
	}
	if e.BackupDir == "" {
		return errors.New("TOLLKEEPER_BACKUP_DIR: is not set; set it, for serve too, to a directory on another disk")
	}
	return nil
}

// restore is a command.
type restore struct {
	To string `help:"The instant, as 2025-03-01T12:00:00Z: what was committed until then is restored. Without it, all that was archived."`
	Of string `help:"Whose backups, where there are those of several data directories: the first column of backup --list."`
}

// Run makes the database in TOLLKEEPER_DATA_DIR, where none is yet, from the backups in
// TOLLKEEPER_BACKUP_DIR.
func (r restore) Run(ctx context.Context, env environment, out io.Writer) error {
	if err := env.checkBackups(); err != nil {
		return err
	}
	var to time.Time
	if r.To != "" {
		var err error
		if to, err = time.Parse(time.RFC3339Nano, r.To); err != nil {
			return errors.New("--to: must be an instant, as 2025-03-01T12:00:00Z")
		}
	}
	from, err := cluster.Restore(ctx, env.cluster(), r.Of, to)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = fmt.Fprintf(out, "Restored %s from the backup %s. `tollkeeper serve` goes on with it; take a first backup of it then.\n", env.DataDir, from.Name)
	return err
}

// cluster is how the private PostgreSQL is run.
func (e environment) cluster() cluster.Options {
	return cluster.Options{Dir: e.DataDir, Log: os.Stderr, Buffers: e.SharedBuffers << 20, Mirror: e.Mirror, Backups: e.BackupDir}
}
