package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

	"tollkeeper/store/fault"
)

// Tx is a transaction of one account. It carries its request's context and one
// reading of that account's clock, so everything written together bears the
// same time.
type Tx struct {
	*gorm.DB  // scoped to the account: a query cannot see another account's rows
	AccountID string
	Now       time.Time // UTC, whole microseconds
	AuditID   string    // of its entry in the audit log; "" for none
	Origin    string    // of the addresses that are shown to people: see [Store.PublishAt]
	Mailed    bool      // mails have links that begin with Origin

	notes *[]any // see [Tx.Note]
}

// Record is what every row of an account begins with.
type Record struct {
	AccountID string `gorm:"primaryKey"`
	ID        string `gorm:"primaryKey"`
	CreatedAt time.Time
	Seq       int64 `gorm:"->"` // order of creation; instants repeat under a clock that is stopped
}

type accountKey struct{}

// WithAccount returns a context whose transactions are those of the account.
func WithAccount(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, accountKey{}, id)
}

// AccountID returns the account of the context, "" when there is none.
func AccountID(ctx context.Context) string {
	id, _ := ctx.Value(accountKey{}).(string)
	return id
}

var errNoAccount = errors.New("store: a transaction without an account")

// ErrNoAccount says that a context names an account that there is not.
var ErrNoAccount = errors.New("store: no account")

// attempts bounds how often a transaction that lost against another is run.
const attempts = 5

// Update runs fn in a read-write transaction and commits unless fn fails.
// fn may run more than once (serialization failure, deadlock, a migration by a newer
// version), so it has no effect outside tx. View is the same over one read-only snapshot.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	return s.again(ctx, func() error {
		if id := AuditID(ctx); id != "" {
			begin := beginning{"SELECT begin_account($1) FROM set_config('tollkeeper.audit', $2, true)", []any{id}}
			return s.run(ctx, readWrite, begin, func(tx *Tx) error {
				tx.AuditID = id
				return fn(tx)
			})
		}
		return s.run(ctx, readWrite, beginning{"SELECT begin_account($1)", nil}, fn)
	})
}

// View runs fn in a read-only transaction over one snapshot.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	free, err := s.processor(ctx)
	if err != nil {
		return err
	}
	defer free()
	if done, err := s.viewOnReplica(ctx, AccountID(ctx), fn); done {
		return err
	}
	return s.prepared(func() error {
		return s.run(ctx, snapshot, beginning{"SELECT begin_account($1)", nil}, fn)
	})
}

// UpdateAt is Update for work that fell due: tx.Now is the instant it fell
// due, and a clock that is set by hand is moved there in the same transaction.
func (s *Store) UpdateAt(ctx context.Context, at time.Time, fn func(tx *Tx) error) error {
	return s.again(ctx, func() error {
		return s.run(ctx, readWrite, beginning{"SELECT begin_due($1, $2)", []any{at}}, fn)
	})
}

// Shared runs fn in a transaction of no account. No row of an account can be reached, except
// through functions of the database.
func (s *Store) Shared(ctx context.Context, fn func(db *gorm.DB) error) error {
	return s.again(ctx, func() error {
		return s.transact(s.db.WithContext(ctx), nil, func(db *gorm.DB) error {
			if audit := AuditID(ctx); audit != "" {
				if err := db.Exec("SELECT set_config('tollkeeper.audit', ?, true)", audit).Error; err != nil {
					return err
				}
			}
			return fn(db)
		})
	})
}

// Call runs a function of the database that is a whole transaction of the account:
// one round trip, where Update takes four and more. The function is given the
// account before args and begins as Update does, with begin_account. Its one row
// is read into results.
func (s *Store) Call(ctx context.Context, function string, args []any, results ...any) error {
	account := AccountID(ctx)
	if account == "" {
		return errNoAccount
	}
	statement := "SELECT * FROM " + function + "($1"
	for i := range args {
		statement += fmt.Sprintf(", $%d", i+2)
	}
	args = append([]any{account}, args...)
	return s.again(ctx, func() error {
		free, err := s.connection(ctx)
		if err != nil {
			return err
		}
		defer free()
		conn, err := s.sql.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		return conn.Raw(func(driver any) error {
			return driver.(*stdlib.Conn).Conn().QueryRow(ctx, statement+")", args...).Scan(results...)
		})
	})
}

// How transactions see what others do.
var (
	readWrite = &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	snapshot  = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
)

// beginning is the statement that makes a transaction that of an account, which is its
// first argument, and tells the time in it.
type beginning struct {
	statement string
	more      []any // arguments
}

func (s *Store) run(ctx context.Context, opts *sql.TxOptions, begin beginning, fn func(tx *Tx) error) error {
	account := AccountID(ctx)
	if account == "" {
		return errNoAccount
	}
	db := s.db.WithContext(ctx).Set(scopeSetting, account)
	return s.transact(db, opts, func(db *gorm.DB) error { return s.inAccount(db, account, begin, fn) })
}

// inAccount does what a transaction of an account does.
func (s *Store) inAccount(db *gorm.DB, account string, begin beginning, fn func(tx *Tx) error) error {
	at := s.reached()
	tx := &Tx{DB: db, AccountID: account, Origin: at.origin, Mailed: at.mailed, notes: new([]any)}
	var now sql.NullTime
	if err := tx.Conn().QueryRowContext(tx.Context(), begin.statement, append([]any{account}, begin.more...)...).Scan(&now); err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if !now.Valid {
		return fmt.Errorf("%w %s", ErrNoAccount, account)
	}
	tx.Now = now.Time.UTC()
	if err := fn(tx); err != nil {
		return err
	}
	return s.conclude(tx)
}

// transact runs fn in a transaction, which it commits unless fn fails.
func (s *Store) transact(db *gorm.DB, opts *sql.TxOptions, fn func(db *gorm.DB) error) error {
	free, err := s.connection(db.Statement.Context)
	if err != nil {
		return err
	}
	defer free()
	committing := false
	err = db.Transaction(func(db *gorm.DB) error {
		err := fn(db)
		committing = err == nil
		return err
	}, opts)
	if err != nil && committing {
		return uncertain{err}
	}
	return err
}

// uncertain is the failure of a COMMIT, which may have been done if no answer said that it
// was not. The driver takes a connection that breaks then for one that nothing was sent on.
type uncertain struct{ error }

func (u uncertain) Unwrap() error     { return u.error }
func (u uncertain) SafeToRetry() bool { return false }

// again repeats do while it is only lost.
func (s *Store) again(ctx context.Context, do func() error) (err error) {
	for range attempts {
		if err = s.prepared(do); !lost(err) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// lost reports a serialization failure, a deadlock, or a connection that was gone
// before anything was sent: nothing was done, and the same may well succeed now.
func lost(err error) bool {
	var pg *pgconn.PgError
	return pgconn.SafeToRetry(err) || errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// Context is that of the request.
func (tx *Tx) Context() context.Context { return tx.Statement.Context }

// Conn is the transaction without the query builder: placeholders are $1, and
// slices travel as arrays. Statements name the account themselves.
func (tx *Tx) Conn() gorm.ConnPool { return tx.Statement.ConnPool }

// Record begins a row: a new id with that prefix, and the transaction's time.
func (tx *Tx) Record(prefix string) Record {
	return Record{AccountID: tx.AccountID, ID: NewID(prefix), CreatedAt: tx.Now}
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewID returns the prefix, an underscore and 20 random base-62 characters.
func NewID(prefix string) string {
	return prefix + "_" + Random(20)
}

// Random returns n random base-62 characters.
func Random(n int) string {
	text := make([]byte, 0, n)
	var bytes [32]byte
	for len(text) < n {
		_, _ = rand.Read(bytes[:]) // never fails
		for _, b := range bytes {
			// Six bits are a character, unless they are one of the two that are too many.
			if k := int(b & 63); k < len(base62) && len(text) < n {
				text = append(text, base62[k])
			}
		}
	}
	return string(text)
}

// Found turns the error of a look-up that found nothing into fault.Missing.
func Found(err error, noun, identifier string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.Missing(noun, identifier)
	}
	return err
}
