package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

// StatementTimeout is the deadline of every statement the server sends. Work that may
// take longer sets its own in its transaction.
const StatementTimeout = 30 * time.Second

// Deadlines of what comes between statements.
const (
	lockTimeout = 10 * time.Second
	idleTimeout = 30 * time.Second
)

// connectTimeout bounds the attempt to reach the database, unless its URL sets another bound.
const connectTimeout = 10 * time.Second

// appRole is what every connection works as, with the suffix of the database.
const appRole = "tollkeeper_app"

// Store is a pool of connections to one migrated database.
type Store struct {
	db  *gorm.DB
	sql *sql.DB

	tracer pgx.QueryTracer // of statements; nil for none

	most        map[Use]int     // transactions of a use at one time
	connections map[Use]*Shares // of the pool, see connection
	processors  *Shares         // for costly reads, see processor
	locks       *locker
	replica     *replica // nil without one

	beforeCommit atomic.Pointer[func(tx *Tx, notes []any) error] // see [Store.BeforeCommit]
	published    atomic.Pointer[published]                       // see [Store.PublishAt]
}

// Options of a store that a server works on.
type Options struct {
	Tracer      pgx.QueryTracer // of statements; nil for none
	Connections int             // how many are open at most, a replica's aside; 0: [UsualConnections]
}

// Open connects to a migrated database. It fails when none answers.
func Open(ctx context.Context, url string) (*Store, error) { return OpenWith(ctx, url, Options{}) }

// OpenWith is Open with options.
func OpenWith(ctx context.Context, url string, options Options) (*Store, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	cfg.Tracer = options.Tracer
	pool, db, err := openPool(cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, sql: pool, tracer: options.Tracer, connections: map[Use]*Shares{}, processors: newProcessors(), locks: newLocker(cfg)}
	s.most = partition(cmp.Or(options.Connections, UsualConnections))
	pool.SetMaxOpenConns(s.transactions() + 1) // one for Ping
	pool.SetMaxIdleConns(s.transactions())
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	for use, most := range s.most {
		s.connections[use] = NewShares(most)
	}
	return s, nil
}

// parse is configure for the connections of a server.
func parse(url string) (*pgx.ConnConfig, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	afterConnect(cfg, workInPublic+"; "+sessionSettings)
	return cfg, nil
}

// sessionSettings hold for every connection of a server. Compiling a long metric (jit) takes minutes, and
// no deadline stops it.
var sessionSettings = "SET statement_timeout = " + milliseconds(StatementTimeout) +
	"; SET lock_timeout = " + milliseconds(lockTimeout) +
	"; SET idle_in_transaction_session_timeout = " + milliseconds(idleTimeout) +
	"; SET jit = off"

// openPool makes a pool of connections that work as the role of the server. It connects to
// nothing yet.
func openPool(cfg *pgx.ConnConfig) (*sql.DB, *gorm.DB, error) {
	pool := sql.OpenDB(waitingConnector{stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		var role string
		err := conn.QueryRow(ctx, `SELECT set_config('tollkeeper.role_suffix', suffix, false), set_config('tollkeeper.own_rows', 'on', false),
			set_config('role', $1 || suffix, false) FROM role_names`, appRole).Scan(nil, nil, &role)
		if err != nil {
			return fmt.Errorf("work as %s: %w", appRole, err)
		}
		return nil
	}))})
	db, err := gorm.Open(postgres.New(postgres.Config{Conn: pool}), &gorm.Config{
		Logger:                 logger.Discard, // errors are returned and logged once, by the server
		SkipDefaultTransaction: true,
		TranslateError:         false,
		DisableAutomaticPing:   true,
		NowFunc:                noClock,
		ClauseBuilders:         map[string]clause.ClauseBuilder{clause.Limit{}.Name(): buildLimit},
	})
	if err != nil {
		_ = pool.Close()
		return nil, nil, fmt.Errorf("set up the query builder: %w", err)
	}
	if err := registerScope(db); err != nil {
		_ = pool.Close()
		return nil, nil, fmt.Errorf("register the account scope: %w", err)
	}
	return pool, db, nil
}

// noClock is what GORM gets for the time, which it asks for at every insert:
// records take theirs from [Tx.Record].
func noClock() time.Time { return time.Time{} }

// buildLimit says in the text of a statement that one row is wanted. PostgreSQL takes a
// limit that comes as an argument for a tenth of all rows and, where it thinks of many,
// plans the statement again each time.
func buildLimit(c clause.Clause, to clause.Builder) {
	limit, plain := c.Expression.(clause.Limit)
	if !plain || limit.Limit == nil || *limit.Limit != 1 || limit.Offset > 0 {
		c.Build(to)
		return
	}
	_, _ = to.WriteString("LIMIT 1") // never fails
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// published is where people reach the server.
type published struct {
	origin string
	mailed bool
}

// PublishAt sets where people reach the server, such as https://billing.example. It stands in the
// links that transactions make; in those of mails too if mailed, which an address that works on this
// machine alone is not.
func (s *Store) PublishAt(origin string, mailed bool) {
	s.published.Store(&published{origin, mailed})
}

// reached is what links begin with; the address of a server on this machine where none is set.
func (s *Store) reached() published {
	if set := s.published.Load(); set != nil {
		return *set
	}
	return published{origin: "http://127.0.0.1:8080"}
}

// Close returns all connections.
func (s *Store) Close() error {
	s.locks.close()
	return errors.Join(s.replica.close(), s.sql.Close())
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.sql.PingContext(ctx) }

// Unique reports whether err is a violation of that unique constraint or index.
func Unique(err error, constraint string) bool { return violates(err, "23505", constraint) }

// Excluded reports whether err is a violation of that exclusion constraint.
func Excluded(err error, constraint string) bool { return violates(err, "23P01", constraint) }

func violates(err error, code, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code && pg.ConstraintName == constraint
}

// Raised reports whether err is one that a function of the database raises with that code.
func Raised(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// TimedOut reports whether err is that of a statement that met its deadline.
func TimedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "57014"
}

// LockTimedOut reports whether err is that of a statement that did not get a lock in time.
func LockTimedOut(err error) bool { return Raised(err, "55P03") }
