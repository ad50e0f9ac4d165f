package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Lock takes a lock of that name for the whole installation if it is free, and keeps it
// until release is called or the connection of the locks is lost. It is for work of several
// transactions that only one request or server may do at a time.
//
// All locks of a process are on one connection outside of the pool: work that holds a lock
// needs connections of the pool for its transactions, and must not occupy one meanwhile.
func (s *Store) Lock(ctx context.Context, name string) (release func(), ok bool, err error) {
	return s.locks.take(ctx, name)
}

// locker holds the named locks of one process.
type locker struct {
	config *pgx.ConnConfig
	turn   chan struct{}   // holds a value while a caller uses what is below
	conn   *pgx.Conn       // nil before the first lock
	held   map[string]bool // by name; session locks do not exclude their own session
}

func newLocker(config *pgx.ConnConfig) *locker {
	return &locker{config: config, turn: make(chan struct{}, 1), held: map[string]bool{}}
}

func (l *locker) take(ctx context.Context, name string) (release func(), ok bool, err error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	defer func() { <-l.turn }()
	if l.held[name] {
		return nil, false, nil
	}
	// A request that ends in the middle of a statement would break the connection, and
	// with it the locks of other requests.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTimeout)
	defer cancel()
	if ok, err = l.lock(ctx, name); err != nil {
		ok, err = l.lock(ctx, name) // the connection may have been lost since the last lock
	}
	if err != nil || !ok {
		return nil, false, err
	}
	l.held[name] = true
	return func() { l.release(name) }, true, nil
}

// lock asks the database. It connects first where there is no connection.
func (l *locker) lock(ctx context.Context, name string) (ok bool, err error) {
	if l.conn == nil {
		if err := l.connect(ctx); err != nil {
			return false, err
		}
	}
	err = l.conn.QueryRow(ctx, tryLock, name).Scan(&ok)
	if err != nil {
		l.disconnect()
		return false, fmt.Errorf("take the lock %q: %w", name, err)
	}
	return ok, nil
}

const tryLock = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"

// connect also takes the locks back that were lost with the last connection, where another
// server was not faster.
func (l *locker) connect(ctx context.Context) (err error) {
	if l.conn, err = connectWith(ctx, l.config); err != nil {
		return fmt.Errorf("connect for locks: %w", err)
	}
	for name := range l.held {
		if _, err := l.conn.Exec(ctx, tryLock, name); err != nil {
			l.disconnect()
			return fmt.Errorf("take the lock %q back: %w", name, err)
		}
	}
	return nil
}

// disconnect gives up all locks in the database.
func (l *locker) disconnect() {
	if l.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = l.conn.Close(ctx)
		l.conn = nil
	}
}

func (l *locker) release(name string) {
	l.turn <- struct{}{} // a caller keeps the turn for two lockTimeouts at most
	defer func() { <-l.turn }()
	delete(l.held, name)
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_unlock(hashtextextended($1, 0))", name); err != nil {
		l.disconnect()
	}
}

// close gives up all locks for good.
func (l *locker) close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.disconnect()
}
