//go:build unix

package cluster

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Restore makes the database of opts.Dir, which has none yet, from the backups in opts.Backups:
// with all that was committed until to, or with all that was archived when to is zero. Of
// backups of several data directories, of names one. It writes nothing where the backups are. The database appears complete or not at all, and does not run.
func Restore(ctx context.Context, opts Options, of string, to time.Time) (from Backup, err error) {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return from, err
	}
	if opts.Backups, err = filepath.Abs(opts.Backups); err != nil {
		return from, err
	}
	if from, err = choose(opts.Backups, of, to); err != nil {
		return from, err
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return from, fmt.Errorf("make the data directory: %w", err)
	}
	c := &Cluster{dir: opts.Dir, log: opts.Log}
	changing, err := c.change(ctx)
	if err != nil {
		return from, err
	}
	defer changing.release()
	if _, err := os.Stat(dataDir(opts.Dir)); !errors.Is(err, os.ErrNotExist) {
		return from, errors.Join(fmt.Errorf("%s has a database already: move it away, or restore into another directory", opts.Dir), err)
	}
	work, err := os.MkdirTemp(opts.Dir, "restore-")
	if err != nil {
		return from, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	cache := opts.Cache
	if cache == "" {
		cache = opts.Dir
	}
	copied := &Cluster{dir: work, from: source{cache, opts.Mirror}, buffers: opts.Buffers, log: opts.Log}
	if err := copied.recoverFrom(ctx, shelf(filepath.Join(opts.Backups, from.Of)), from, to); err != nil {
		return from, err
	}
	return from, os.Rename(dataDir(work), dataDir(opts.Dir))
}

// choose finds the newest backup that ended before to.
func choose(dir, of string, to time.Time) (Backup, error) {
	all, err := Backups(dir)
	if err != nil {
		return Backup{}, err
	}
	var owners []string
	usable := slices.DeleteFunc(all, func(b Backup) bool {
		if !slices.Contains(owners, b.Of) {
			owners = append(owners, b.Of)
		}
		return of != "" && b.Of != of || !to.IsZero() && b.Ended.After(to)
	})
	if of == "" && len(owners) > 1 {
		return Backup{}, fmt.Errorf("%s has backups of several data directories: choose one of %v", dir, owners)
	}
	if len(usable) == 0 {
		return Backup{}, fmt.Errorf("%s has no backup that ended before the instant to restore", dir)
	}
	return usable[len(usable)-1], nil
}

// recoverFrom unpacks a backup and lets PostgreSQL replay the log until to, then stops it.
func (c *Cluster) recoverFrom(ctx context.Context, s shelf, from Backup, to time.Time) (err error) {
	binaries, err := obtain(ctx, c.from, from.Major, c.log)
	if err != nil {
		return err
	}
	id, err := identify(binaries)
	if err != nil {
		return err
	}
	if id.owner != nil {
		return errors.New("here PostgreSQL runs as another user than root (user namespaces are forbidden), who cannot read backups of root: restore as an ordinary user")
	}
	say(c.log, "unpacking the backup %s", from.Name)
	if err := unpack(filepath.Join(s.base(), from.Name+".tar.gz"), dataDir(c.dir)); err != nil {
		return fmt.Errorf("unpack %s: %w", from.Name, err)
	}
	if err := os.WriteFile(filepath.Join(dataDir(c.dir), "recovery.signal"), nil, 0o600); err != nil {
		return err
	}
	c.recovery = []string{fetching(s), "recovery_target_action=promote"}
	if !to.IsZero() {
		c.recovery = append(c.recovery, "recovery_target_time="+to.UTC().Format("2006-01-02 15:04:05.999999-07"))
	}
	if c.socket, err = socketDir(c.dir, id); err != nil {
		return err
	}
	defer c.removeSocketDir()
	said, err := c.run(ctx, binaries, id, false)
	if err != nil {
		return fmt.Errorf("replay the log: %w: %s", err, said)
	}
	defer func() { err = errors.Join(err, c.end(ctx)) }()
	return c.awaitRecovery(ctx)
}

// awaitRecovery waits until all of the log is replayed and the database takes changes.
func (c *Cluster) awaitRecovery(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		recovering := true
		if err == nil {
			err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&recovering)
			_ = conn.Close(ctx)
		}
		if err == nil && !recovering {
			return nil
		}
		select {
		case <-c.exited:
			said, _ := os.ReadFile(logFile(c.dir))
			return fmt.Errorf("PostgreSQL ended while it replayed the log; it says:\n%s", said)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// unpack writes the files of a base backup into a new directory.
func unpack(file, dir string) error {
	packed, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case entry.Typeflag == tar.TypeDir:
			if err := root.Mkdir(filepath.Clean(entry.Name), 0o700); err != nil {
				return err
			}
		default:
			if err := unpackFile(root, entry.Name, entries); err != nil {
				return err
			}
		}
	}
}

func unpackFile(root *os.Root, name string, content io.Reader) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content) //nolint:gosec // a backup of one's own, as large as the database
	return errors.Join(err, file.Close())
}
