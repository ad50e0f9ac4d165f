//go:build !unix

package cluster

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// A private cluster needs sockets in directories, locks on files and signals, in the way of
// Unix. Elsewhere the server works with a database that is configured.
var errUnsupported = errors.New("there is none on " + runtime.GOOS + ": set TOLLKEEPER_DATABASE_URL to a database of your own (PostgreSQL 15 or newer)")

// Cluster is a running PostgreSQL. There is none on this system.
type Cluster struct{}

// Start fails and says what to do.
func Start(context.Context, Options) (*Cluster, error) { return nil, errUnsupported }

// Running finds no cluster.
func Running(context.Context, string) (*Cluster, error) { return nil, errUnsupported }

// Backup fails.
func (*Cluster) Backup(context.Context, int) (Backup, error) { return Backup{}, errUnsupported }

// Backups fails.
func Backups(string) ([]Backup, error) { return nil, errUnsupported }

// Restore fails.
func Restore(context.Context, Options, string, time.Time) (Backup, error) {
	return Backup{}, errUnsupported
}

// Find lists nothing: what is installed cannot be used.
func Find(string) []Binaries { return nil }

// Fetchable lists nothing.
func Fetchable() []int { return nil }

// URL is empty.
func (*Cluster) URL(string) string { return "" }

// URLAs is empty.
func (*Cluster) URLAs(string, string) string { return "" }

// CreateDatabase fails.
func (*Cluster) CreateDatabase(context.Context, string) error { return errUnsupported }

// Supervise fails.
func (*Cluster) Supervise(context.Context, Supervision) error { return errUnsupported }

// Kill does nothing.
func (*Cluster) Kill() error { return nil }

// Stop does nothing.
func (*Cluster) Stop() error { return nil }
