package main

import (
	"context"
	"time"
)

// examineBackups tells whether the private PostgreSQL at url can be restored from what is in dir.
func examineBackups(ctx context.Context, url, dir string) finding {
	const subject = "backups"
	if dir == "" {
		return good(subject, "none; to have some, set TOLLKEEPER_BACKUP_DIR, for serve too, to a directory on another disk")
	}
	state, err := readBackups(ctx, url, dir)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	switch {
	case !state.archives:
		return wrong(subject, "the server was started without TOLLKEEPER_BACKUP_DIR and archives no log: start it again with it")
	case state.fails:
		return wrong(subject, "the log cannot be archived in %s, and fills the disk of the data directory until it can; postgres.log there says why", dir)
	case state.newest == nil:
		return good(subject, "the log is archived in %s, but there is no backup that it can be applied to: run `tollkeeper backup`", dir)
	}
	return good(subject, "the newest is of %s; the log after it is archived in %s", state.newest.Ended.UTC().Format(time.RFC3339), dir)
}
