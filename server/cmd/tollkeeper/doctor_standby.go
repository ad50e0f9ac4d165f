package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// examineFailover tells whether answered requests survive the loss of the database's machine, when a
// standby takes its place.
func examineFailover(ctx context.Context, url string) finding {
	const subject = "failover"
	var names, commit string
	var standbys, synchronous, hidden int
	err := asked(ctx, url, `
		SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), count(s), count(s) FILTER (WHERE s.state = 'streaming'
			AND s.sync_state IN ('sync', 'quorum')), count(s) FILTER (WHERE s.sync_state IS NULL)
		FROM (SELECT) AS one LEFT JOIN pg_stat_replication AS s ON true`, nil, &names, &commit, &standbys, &synchronous, &hidden)
	switch {
	case err != nil:
		return wrong(subject, "%v", err)
	case names == "" && standbys == 0:
		return good(subject, "no standby is connected: what was answered is kept on the disk of this database alone")
	case names == "":
		return good(subject, "what was answered is NOT kept: %s without the database waiting for it; to have it wait, set synchronous_standby_names", receives(standbys))
	case commit == "local" || commit == "off":
		return good(subject, "what was answered is NOT kept: synchronous_commit = %s waits for no standby; set it to on", commit)
	case synchronous > 0:
		return good(subject, "what was answered is kept: a commit waits for a standby (synchronous_standby_names = %s)", names)
	case hidden > 0:
		return good(subject, "synchronous_standby_names = %s, but this login does not see whether a standby follows: GRANT pg_monitor TO it", names)
	}
	return wrong(subject, "synchronous_standby_names = %s, but no such standby follows: every change waits until one does", names)
}

func receives(standbys int) string {
	if standbys == 1 {
		return "a standby receives it"
	}
	return fmt.Sprintf("%d standbys receive it", standbys)
}

// examineReplica tells whether reads can be done on the replica, and how far it is behind.
func examineReplica(ctx context.Context, database, url string) finding {
	const subject = "replica"
	var lsn, of, is string
	var standby bool
	var behind int64
	err := asked(ctx, database, "SELECT pg_current_wal_flush_lsn()::text, (SELECT system_identifier::text FROM pg_control_system())", nil, &lsn, &of)
	if err != nil {
		return wrong(subject, "cannot compare it with the database: %v", err)
	}
	err = asked(ctx, url, `SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
		greatest(pg_wal_lsn_diff($1::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0')), 0)::bigint`, []any{lsn}, &standby, &is, &behind)
	switch {
	case err != nil:
		return wrong(subject, "does not answer, so the database does all reads: %s", strings.TrimSpace(err.Error()))
	case is != of:
		return wrong(subject, "TOLLKEEPER_REPLICA_URL leads to a copy of another database")
	case !standby:
		return wrong(subject, "TOLLKEEPER_REPLICA_URL leads to no standby, so the database does all reads")
	}
	return good(subject, "follows, %d bytes of the log behind", behind)
}

// asked reads the one row of a query.
func asked(ctx context.Context, url, query string, args []any, into ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return conn.QueryRow(ctx, query, args...).Scan(into...)
}
