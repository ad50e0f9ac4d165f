//go:build unix

package cluster

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// Running joins the postmaster that runs in dir, and returns nil when none
// does. It starts and makes nothing.
func Running(ctx context.Context, dir string) (_ *Cluster, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(dataDir(dir)); err != nil {
		return nil, nil //nolint:nilerr // nothing is there to run
	}
	if _, err := majorOf(dir); err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, log: io.Discard}
	changing, err := c.change(ctx)
	if err != nil {
		return nil, err
	}
	defer changing.release()
	if c.using, err = take(ctx, filepath.Join(dir, "users.lock"), together); err != nil {
		return nil, err
	}
	if joined, err := c.join(ctx); !joined || err != nil {
		c.using.release()
		return nil, err
	}
	return c, nil
}
