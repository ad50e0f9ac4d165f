package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tollkeeper/server"
	"tollkeeper/store/cluster"
)

// backupState is what there is to restore a private PostgreSQL from.
type backupState struct {
	archives bool // the postmaster archives its log
	fails    bool // the last attempt to archive a segment failed
	newest   *cluster.Backup
	shown    server.Backups
}

// readBackups asks the private PostgreSQL at url, and looks for base backups in dir that its log can be applied to.
func readBackups(ctx context.Context, url, dir string) (state backupState, err error) {
	var command string
	err = asked(ctx, url, `
		SELECT current_setting('archive_mode') = 'on', current_setting('archive_command'),
			last_failed_time IS NOT NULL AND last_failed_time > coalesce(last_archived_time, '-infinity'),
			last_archived_time, failed_count, (SELECT min(modification) FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready')
		FROM pg_stat_archiver`, nil, &state.archives, &command, &state.fails,
		&state.shown.ArchivedAt, &state.shown.Failures, &state.shown.WaitingSince)
	if err != nil {
		return state, err
	}
	all, err := cluster.Backups(dir)
	if err != nil {
		return state, err
	}
	for i := range all { // the oldest first
		if strings.Contains(command, all[i].Of) {
			state.newest = &all[i]
			state.shown.BackedUpAt = &all[i].Ended
		}
	}
	return state, nil
}

// Times of the watch over backups.
const (
	backupsLookedAt = 5 * time.Second
	logWaitsLong    = time.Minute      // a segment takes seconds; more is a place that hangs
	backupIsOld     = 48 * time.Hour   // one a day is usual
	failureRepeated = 15 * time.Minute // in the log, while it lasts
	oldRepeated     = 24 * time.Hour   // in the log, while it lasts
)

// backupWatch says in the log that backups fail, and shows their state to /metrics.
type backupWatch struct {
	url, dir string
	log      *slog.Logger
	show     func(server.Backups)

	began    time.Time
	failing  bool
	failedAt time.Time // when the log said last that the log of the database is not archived
	oldAt    time.Time // when it said last that there is no new base backup
}

// watchBackups looks at the backups of a private PostgreSQL until ctx ends.
func watchBackups(ctx context.Context, db database, dir string, log *slog.Logger, show func(server.Backups)) {
	if db.private == nil || dir == "" {
		return
	}
	w := backupWatch{url: db.private.URL("postgres"), dir: dir, log: log, show: show, began: time.Now()} //nolint:forbidigo // real time
	tick := time.NewTicker(backupsLookedAt)
	defer tick.Stop()
	for {
		state, err := readBackups(ctx, w.url, dir)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // the database is away, which others say, or the place of backups is
			w.say(true, "error", err)
		default:
			w.see(state)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// see compares a state with the one before.
func (w *backupWatch) see(state backupState) {
	w.show(state.shown)
	now := time.Now() //nolint:forbidigo // real time
	waits := time.Duration(0)
	if state.shown.WaitingSince != nil {
		waits = now.Sub(*state.shown.WaitingSince).Round(time.Second)
	}
	w.say(!state.archives || state.fails || waits > logWaitsLong, "failed_attempts", state.shown.Failures, "oldest_waits", waits.String())
	last := w.began.Add(backupIsOld / -2) // a server that has just begun has a day for its first backup
	if state.newest != nil {
		last = state.newest.Ended
	}
	if now.Sub(last) > backupIsOld && now.Sub(w.oldAt) > oldRepeated {
		w.oldAt = now
		w.log.Warn("there is no base backup of the last two days: run `tollkeeper backup` once a day", "dir", w.dir)
	}
}

// say logs that the log of the database is not archived: once, again while it lasts, and when it is over.
func (w *backupWatch) say(fails bool, about ...any) {
	now := time.Now() //nolint:forbidigo // real time
	about = append([]any{"dir", w.dir}, about...)
	switch {
	case fails && (!w.failing || now.Sub(w.failedAt) > failureRepeated):
		w.failing, w.failedAt = true, now
		w.log.Warn("the log of the private PostgreSQL cannot be archived: what is written now is in no backup, and the log fills the disk of the data directory; "+
			"look at the place of TOLLKEEPER_BACKUP_DIR, and at postgres.log in the data directory", about...)
	case !fails && w.failing:
		w.failing = false
		w.log.Info("the log of the private PostgreSQL is archived again", about...)
	}
}
