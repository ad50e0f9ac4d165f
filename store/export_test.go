package store

import (
	"context"
	"io/fs"
	"time"
)

// MigrateWith migrates with other files than those of this version.
func MigrateWith(ctx context.Context, url string, files fs.FS) (steps int, err error) {
	return Migration{Files: files}.Apply(ctx, url)
}

// Shares parts connections between accounts.
type Shares = shares

// NewShares are shares of so many connections.
var NewShares = newShares

// Take waits for a connection.
func (s *shares) Take(ctx context.Context, account string, within time.Duration) (free func(), err error) {
	return s.take(ctx, account, within)
}

// Waiting is how many wait for one.
func (s *shares) Waiting() int { return s.state().Waiting }

// State is that of its connections.
func (s *shares) State() ConnectionState { return s.state() }
