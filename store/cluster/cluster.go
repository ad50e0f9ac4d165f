//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// superuser owns every database of a private cluster.
const superuser = "postgres"

// Cluster is a running PostgreSQL that this process uses.
type Cluster struct {
	dir      string
	from     source        // of binaries that are fetched
	socket   string        // directory of the socket
	exited   chan struct{} // closed when the postmaster this process started has ended; nil when it joined one
	using    lock          // held together by all processes that use the cluster
	reaper   *reaper       // of a throwaway cluster
	buffers  int64         // shared memory in bytes; 0 for what fits the machine
	backups  string        // directory of backups; "" for none
	recovery []string      // settings with which a backup is restored
	left     atomic.Bool   // by Stop or Kill
	log      io.Writer
}

func dataDir(dir string) string { return filepath.Join(dir, "postgres") }
func logFile(dir string) string { return filepath.Join(dir, "postgres.log") }

// Start joins the postmaster that runs in opts.Dir, or starts one, making the
// cluster first when there is none. It returns when connections are accepted.
func Start(ctx context.Context, opts Options) (_ *Cluster, err error) {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return nil, err
	}
	if opts.Backups != "" {
		if opts.Backups, err = filepath.Abs(opts.Backups); err != nil {
			return nil, err
		}
	}
	if opts.Cache == "" {
		opts.Cache = opts.Dir
	}
	if opts.Existing {
		if _, err := os.Stat(dataDir(opts.Dir)); errors.Is(err, os.ErrNotExist) {
			return nil, ErrNone
		}
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	c := &Cluster{dir: opts.Dir, buffers: opts.Buffers, backups: opts.Backups, from: source{opts.Cache, opts.Mirror}, log: opts.Log}
	changing, err := c.change(ctx)
	if err != nil {
		return nil, err
	}
	defer changing.release()
	if c.using, err = take(ctx, filepath.Join(c.dir, "users.lock"), together); err != nil {
		return nil, fmt.Errorf("note the use of %s: %w", c.dir, err)
	}
	defer func() {
		if err != nil {
			c.using.release()
		}
	}()
	if joined, err := c.join(ctx); joined || err != nil {
		return c, err
	}
	return c, c.start(ctx, opts)
}

// change takes the lock under which a postmaster is started or stopped.
func (c *Cluster) change(ctx context.Context) (lock, error) {
	l, err := take(ctx, filepath.Join(c.dir, "change.lock"), alone)
	if err != nil {
		return lock{}, fmt.Errorf("wait for another command to start or stop PostgreSQL in %s: %w", c.dir, err)
	}
	return l, nil
}

// join uses a postmaster that is running already. One whose socket refuses is
// dead, and its file a leftover.
func (c *Cluster) join(ctx context.Context) (bool, error) {
	master, err := readPostmaster(c.dir)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.socket = master.socket
	switch err := c.await(ctx, nil); {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	c.removeSocketDir()
	c.socket = ""
	return false, nil
}

// URL connects to a database of the cluster as its superuser. Settings of the
// environment do not lead it elsewhere.
func (c *Cluster) URL(database string) string { return c.URLAs(superuser, database) }

// URLAs is URL for another role of the cluster. No role needs a password: who reaches the socket
// may connect.
func (c *Cluster) URLAs(role, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {c.socket}, "port": {"5432"}, "sslmode": {"disable"}}.Encode(),
	}
	return u.String()
}

// CreateDatabase makes a database unless it is there.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "42P04" || refused.Code == "23505") {
		return nil
	}
	return err
}

// await returns nil when the cluster accepts connections. A cluster that is
// still recovering is waited for; otherwise the end of exited, or without
// exited the first refusal, is a failure.
func (c *Cluster) await(ctx context.Context, exited <-chan struct{}) error {
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		var refused *pgconn.PgError
		busy := errors.As(err, &refused) && refused.Code == "57P03"
		if exited == nil && !busy {
			return err
		}
		select {
		case <-exited:
			return errExited
		default:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		pause(ctx)
	}
}

var errExited = errors.New("PostgreSQL ended while starting")
