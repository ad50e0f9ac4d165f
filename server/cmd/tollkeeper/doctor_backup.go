package main

import (
	"context"
	"strings"
	"time"

	"tollkeeper/store/cluster"
)

// examineBackups tells whether the private PostgreSQL at url can be restored from what is in dir.
func examineBackups(ctx context.Context, url, dir string) finding {
	const subject = "backups"
	if dir == "" {
		return good(subject, "none; to have some, set TOLLKEEPER_BACKUP_DIR, for serve too, to a directory on another disk")
	}
	var command string
	var archives, fails bool
	err := asked(ctx, url, `
		SELECT current_setting('archive_mode') = 'on', current_setting('archive_command'),
			last_failed_time IS NOT NULL AND last_failed_time > coalesce(last_archived_time, '-infinity')
		FROM pg_stat_archiver`, nil, &archives, &command, &fails)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	all, err := cluster.Backups(dir)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	var newest *cluster.Backup
	for i := range all { // the oldest first
		if strings.Contains(command, all[i].Of) {
			newest = &all[i]
		}
	}
	switch {
	case !archives:
		return wrong(subject, "the server was started without TOLLKEEPER_BACKUP_DIR and archives no log: start it again with it")
	case fails:
		return wrong(subject, "the log cannot be archived in %s, and fills the disk of the data directory until it can; postgres.log there says why", dir)
	case newest == nil:
		return good(subject, "the log is archived in %s, but there is no backup that it can be applied to: run `tollkeeper backup`", dir)
	}
	return good(subject, "the newest is of %s; the log after it is archived in %s", newest.Ended.UTC().Format(time.RFC3339), dir)
}
