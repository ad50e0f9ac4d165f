package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// replica is a standby that reads may be done on. What a read finds there is what it would find
// in the database: it begins when the standby has replayed all that was committed before.
type replica struct {
	url    string
	db     *gorm.DB
	sql    *sql.DB
	shares *Shares
	away   atomic.Bool // do not ask it for now
	direct atomic.Bool // no pooler lends its connections
	reads  [numReplicaReads]atomic.Int64
}

// ReplicaRead is how a read ended that a replica may do.
type ReplicaRead int

// Outcomes. All but the first were read in the database.
const (
	ReadThere     ReplicaRead = iota
	ReplicaBehind             // it had not replayed in time
	ReplicaAway               // it did not answer, is no standby of the database, or ended the read
	numReplicaReads
)

// Bounds of a replica.
const (
	replayWithin = 50 * time.Millisecond // a read waits for it to catch up
	replayPoll   = 2 * time.Millisecond
	replicaRest  = 5 * time.Second // it is not asked after it failed
)

// UseReplica has reads done by a standby of the database where [OnReplica] allows it. A standby
// that does not answer is no error: the database does the reads.
func (s *Store) UseReplica(url string) error {
	cfg, err := parse(url)
	if err != nil {
		return err
	}
	cfg.Tracer = s.tracer
	pool, db, err := openPool(cfg)
	if err != nil {
		return err
	}
	s.replica = &replica{url: url, db: db, sql: pool, shares: NewShares(s.most[Requests])}
	pool.SetMaxOpenConns(s.most[Requests])
	pool.SetMaxIdleConns(s.most[Requests])
	return nil
}

// ReplicaReads counts the reads that ended so.
func (s *Store) ReplicaReads(how ReplicaRead) int64 {
	if s.replica == nil {
		return 0
	}
	return s.replica.reads[how].Load()
}

type replicaKey struct{}

// OnReplica returns a context whose Views a replica may do. Their fn may run twice.
func OnReplica(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaKey{}, true)
}

// viewOnReplica is View on the replica. It reports false where the database has to do it.
func (s *Store) viewOnReplica(ctx context.Context, account string, fn func(tx *Tx) error) (done bool, err error) {
	allowed, _ := ctx.Value(replicaKey{}).(bool)
	r := s.replica
	if r == nil || !allowed || account == "" {
		return false, nil
	}
	if r.away.Load() {
		r.reads[ReplicaAway].Add(1)
		return false, nil
	}
	now, err := s.position(ctx)
	if err != nil {
		return false, nil // the read itself says what is wrong, if it still is
	}
	free, err := r.shares.Take(ctx, account, connectionWithin)
	if err != nil {
		return true, err
	}
	defer free()
	how := r.reach(ctx)
	if how != ReadThere {
		r.reads[how].Add(1)
		return false, nil
	}
	err = r.db.WithContext(ctx).Connection(func(db *gorm.DB) (err error) {
		if how, err = now.await(ctx, db); err != nil || how != ReadThere {
			return err
		}
		return db.Set(scopeSetting, account).Transaction(func(db *gorm.DB) error {
			return s.inAccount(db, account, beginning{"SELECT begin_account($1)", nil}, fn)
		}, snapshot)
	})
	if stalePlan(err) { // the database does the read, this time
		forgetPlans(r.sql, s.most[Requests])
		return false, nil
	}
	if ctx.Err() == nil && endedByReplica(err) {
		how = ReplicaAway
	}
	r.reads[how].Add(1)
	if how == ReplicaAway {
		r.rest()
	}
	return how == ReadThere, err
}

// reach asks the replica once whether it can be used at all.
func (r *replica) reach(ctx context.Context) ReplicaRead {
	if r.direct.Load() {
		return ReadThere
	}
	if err := CheckPooler(ctx, r.url); err != nil {
		r.rest()
		return ReplicaAway
	}
	r.direct.Store(true)
	return ReadThere
}

// endedByReplica reports a failure that the database might not have: the replica does not
// answer, does not have the roles yet, or ended a statement that kept it from replaying.
func endedByReplica(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "42501" || pg.Code == "42P01" || pg.Code == "42883" || pg.Code == "25006") {
		return true
	}
	return OutageOf(err) != NoOutage && !errors.Is(err, ErrBusy)
}

// rest leaves the replica alone for a while.
func (r *replica) rest() {
	if r.away.CompareAndSwap(false, true) {
		time.AfterFunc(replicaRest, func() { r.away.Store(false) })
	}
}

func (r *replica) close() error {
	if r == nil {
		return nil
	}
	return r.sql.Close()
}

// position is how far the log of the database is written: all that anybody can have seen is
// before it. A commit is seen when it is flushed.
type position struct {
	lsn      string
	timeline string // in hexadecimal; another one has other contents at the same place
}

// position asks the database.
func (s *Store) position(ctx context.Context) (p position, err error) {
	free, err := s.connection(ctx)
	if err != nil {
		return p, err
	}
	defer free()
	err = s.sql.QueryRowContext(ctx, `SELECT lsn::text, left(pg_walfile_name(lsn), 8) FROM pg_current_wal_flush_lsn() AS lsn`).Scan(&p.lsn, &p.timeline)
	return p, err
}

// await waits for the standby to have replayed so far. The timeline of a standby that follows
// another one is known from its next restart point on; until then it is not read.
func (p position) await(ctx context.Context, db *gorm.DB) (how ReplicaRead, err error) {
	late := time.NewTimer(replayWithin)
	defer late.Stop()
	for {
		var standby, replayed, follows sql.NullBool
		err := db.Statement.ConnPool.QueryRowContext(ctx, `
			SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= $1::pg_lsn,
				lpad(upper(to_hex(greatest(c.timeline_id, r.min_recovery_end_timeline))), 8, '0') = $2
			FROM pg_control_checkpoint() AS c, pg_control_recovery() AS r`, p.lsn, p.timeline).Scan(&standby, &replayed, &follows)
		switch {
		case err != nil:
			return ReplicaAway, err
		case !standby.Bool, !follows.Bool:
			return ReplicaAway, nil
		case replayed.Bool:
			return ReadThere, nil
		}
		select {
		case <-ctx.Done():
			return ReplicaBehind, ctx.Err()
		case <-late.C:
			return ReplicaBehind, nil
		case <-time.After(replayPoll):
		}
	}
}
