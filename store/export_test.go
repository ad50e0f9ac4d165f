package store

import (
	"context"
	"io/fs"
)

// MigrateWith migrates with other files than those of this version.
func MigrateWith(ctx context.Context, url string, files fs.FS) (steps int, err error) {
	return Migration{Files: files}.Apply(ctx, url)
}

// Waiting is how many wait for one.
func (s *Shares) Waiting() int { return s.state().Waiting }

// State is that of its connections.
func (s *Shares) State() ConnectionState { return s.state() }
