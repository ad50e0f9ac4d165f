package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/lock"
	"github.com/sethvargo/go-retry"
)

// A statement that waits for a table lock stops every request that needs the table afterwards,
// and a dump holds locks on all tables for hours. So a step of a migration waits for a lock no
// longer than lockWithin, gives up all its locks, lets requests pass, and tries again.

// MigrateWait is how long each step of a migration tries to get its locks by default.
const MigrateWait = 5 * time.Minute

// lockWithin is how long a step waits for a lock. It is far below the ten seconds that requests
// wait, and below deadlock_timeout (a second): where a step and a request wait for each other, the
// step gives way before PostgreSQL looks for a deadlock.
const lockWithin = 500 * time.Millisecond

// Pauses between tries double from the first to the last, by half more or less.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 4 * time.Second
)

// Intervals at which a step that takes long is looked at: often at first, since a short wait has to be seen too.
const (
	firstLook = 100 * time.Millisecond
	laterLook = 2 * time.Second
)

// tellEvery is how often [Migration.Waiting] hears of a step that goes on waiting.
const tellEvery = 30 * time.Second

// migrator does the steps of a migration, one after another.
type migrator struct {
	Migration
	config  *pgx.ConnConfig
	db      *sql.DB   // of that
	watcher *pgx.Conn // sees what a step waits for; nil before it is needed

	backend atomic.Int64  // the process of the session that a step works in
	within  time.Duration // lock_timeout of the step
	vacuum  bool          // the step waited for autovacuum
	told    time.Time     // when Waiting heard of the step
}

// newMigrator connects to nothing yet.
func newMigrator(url string, migration Migration) (*migrator, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["application_name"] = "tollkeeper migrate"
	m := &migrator{Migration: migration, config: cfg, within: lockWithin}
	m.db = stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(m.begin), stdlib.OptionResetSession(m.begin))
	return m, nil
}

func (m *migrator) close(ctx context.Context) {
	if m.watcher != nil {
		_ = m.watcher.Close(context.WithoutCancel(ctx))
	}
	_ = m.db.Close()
}

// begin prepares a session for what is done in it next.
func (m *migrator) begin(ctx context.Context, conn *pgx.Conn) error {
	var backend int64 // of PostgreSQL; a pooler has numbers of its own
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid(), set_config('lock_timeout', $1, false)", milliseconds(m.within)).Scan(&backend, nil)
	if err != nil {
		return fmt.Errorf("limit the wait for locks: %w", err)
	}
	m.backend.Store(backend)
	if m.vacuum {
		return outlastVacuum(ctx, conn)
	}
	return nil
}

// outlastVacuum sets a limit above deadlock_timeout, since PostgreSQL stops an autovacuum only for a session that has
// waited that long.
func outlastVacuum(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT set_config('lock_timeout', (setting::integer + $1)::text, false) FROM pg_settings WHERE name = 'deadlock_timeout'",
		lockWithin.Milliseconds())
	if err != nil {
		return fmt.Errorf("limit the wait for locks: %w", err)
	}
	return nil
}

// wait is how long a step tries.
func (m *migrator) wait() time.Duration {
	if m.Wait > 0 {
		return m.Wait
	}
	return MigrateWait
}

// step does a step that waits for locks a short time only, again and again until it gets them.
func (m *migrator) step(ctx context.Context, name string, do func() error) error {
	m.within = lockWithin
	return m.try(ctx, name, do)
}

// patientStep does a step whose locks stop no reading and no writing. It waits for them as long as it may
// try: giving up would cost the work that it has done.
func (m *migrator) patientStep(ctx context.Context, name string, do func() error) error {
	m.within = m.wait()
	return m.try(ctx, name, do)
}

func (m *migrator) try(ctx context.Context, name string, do func() error) error {
	m.vacuum, m.told = false, time.Time{}
	until := time.Now().Add(m.wait()) //nolint:forbidigo // real time
	var sessions []Session
	pauses := retry.WithJitterPercent(50, retry.WithCappedDuration(lastPause, retry.NewExponential(firstPause)))
	err := retry.Do(ctx, retry.WithMaxDuration(m.wait(), pauses), func(ctx context.Context) error {
		seen, err := m.watch(ctx, LockWait{Step: name, Until: until}, do)
		if len(seen) > 0 {
			sessions = seen
		}
		var held *heldError
		switch {
		case errors.As(err, &held):
			sessions = held.sessions
		case !gaveWay(err):
			return err
		}
		m.vacuum = waitsForVacuum(sessions)
		m.tell(LockWait{Step: name, Sessions: sessions, Until: until})
		return retry.RetryableError(err)
	})
	var held *heldError
	if gaveWay(err) || errors.As(err, &held) {
		return &LockedError{Step: name, Wait: m.wait(), Sessions: sessions, err: err}
	}
	return err
}

// gaveWay reports that a step ended because another session was in its way. Nothing of the
// transaction was done.
func gaveWay(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	// Statements that change the same row of the catalog do not wait for each other.
	concurrently := pg.Code == "XX000" && strings.HasPrefix(pg.Message, "tuple concurrently ")
	return pg.Code == "55P03" || pg.Code == "40P01" || concurrently // lock_timeout, a deadlock
}

// waitsForVacuum reports that a process of PostgreSQL itself was in the way of a step.
func waitsForVacuum(sessions []Session) bool {
	for _, session := range sessions {
		if session.PID != 0 && session.User == "" {
			return true
		}
	}
	return false
}

// watch does something, and returns the sessions that it waited for last.
func (m *migrator) watch(ctx context.Context, wait LockWait, do func() error) (sessions []Session, err error) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for interval := firstLook; ; interval = min(interval+interval/2, laterLook) {
			select {
			case <-done:
				return
			case <-time.After(interval):
			}
			seen := m.look(ctx)
			if len(seen) == 0 {
				continue
			}
			sessions = seen
			if m.within > lockWithin {
				wait.Sessions = seen
				m.tell(wait)
			}
		}
	})
	err = do()
	close(done)
	watching.Wait()
	return sessions, err
}

// tell says that a step waits, at bounded rate.
func (m *migrator) tell(wait LockWait) {
	now := time.Now() //nolint:forbidigo // real time
	if m.Waiting == nil || len(wait.Sessions) == 0 || now.Sub(m.told) < tellEvery {
		return
	}
	m.told = now
	m.Waiting(wait)
}

// mostSessions bounds how many sessions an error names.
const mostSessions = 3

// namedSessions shows sessions of PostgreSQL whose processes are in the array %s.
const namedSessions = `SELECT p.pid, coalesce(a.usename, ''), coalesce(a.application_name, ''), a.query_start
	FROM unnest(%s) AS p (pid) LEFT JOIN pg_stat_activity AS a ON a.pid = p.pid
	WHERE a.pid IS NOT NULL OR p.pid = 0
	ORDER BY a.xact_start NULLS LAST, p.pid LIMIT %d`

// look returns the sessions that the step waits for, none where it waits for no lock or they cannot be seen:
// they are for people to read.
func (m *migrator) look(ctx context.Context) (sessions []Session) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if m.watcher == nil {
		conn, err := pgx.ConnectConfig(ctx, m.config)
		if err != nil {
			return nil
		}
		m.watcher = conn
	}
	rows, err := m.watcher.Query(ctx, fmt.Sprintf(namedSessions, "pg_blocking_pids($1)", mostSessions), m.backend.Load())
	if err == nil {
		sessions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Session])
	}
	if err != nil {
		_ = m.watcher.Close(ctx)
		m.watcher = nil
		return nil
	}
	return sessions
}

// heldError reports that another server migrates the database.
type heldError struct{ sessions []Session }

// Error says so.
func (e *heldError) Error() string { return "another server migrates the database" }

// lock takes the lock that one server at a time has, in a session that keeps it until it is closed. It
// asks and does not wait in the database: an index that is built beside writers waits for statements
// that began before it.
func (m *migrator) lock(ctx context.Context) (holder *sql.Conn, err error) {
	holder, err = m.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	err = m.step(ctx, "the start of the migration", func() error {
		var free bool
		if err := holder.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", lock.DefaultLockID).Scan(&free); err != nil || free {
			return err
		}
		return m.heldBy(ctx, holder)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the migration lock: %w", err), holder.Close())
	}
	return holder, nil
}

// heldBy names the session that has the lock.
func (m *migrator) heldBy(ctx context.Context, conn *sql.Conn) error {
	held := &heldError{}
	return errors.Join(conn.Raw(func(driver any) error {
		rows, err := driver.(*stdlib.Conn).Conn().Query(ctx, fmt.Sprintf(namedSessions, `ARRAY(SELECT pid FROM pg_locks
			WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1::bigint::oid AND objsubid = 1
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, mostSessions), lock.DefaultLockID)
		if err == nil {
			held.sessions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Session])
		}
		return err
	}), held)
}
