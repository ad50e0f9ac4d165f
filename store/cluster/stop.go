//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Stop leaves the cluster. The last to leave shuts it down fast: open
// transactions are rolled back, and all that was committed is kept. After Stop
// or Kill it does nothing.
func (c *Cluster) Stop() error {
	if c.left.Swap(true) {
		return nil
	}
	if c.reaper != nil {
		c.using.release()
		c.reaper.finish()
		return nil
	}
	ctx := context.Background()
	changing, err := c.change(ctx)
	if err != nil {
		return err
	}
	defer changing.release()
	last, err := c.using.try(alone)
	c.using.release()
	if err != nil || !last {
		return err
	}
	return c.end(ctx)
}

// end stops the postmaster, fast and in order.
func (c *Cluster) end(ctx context.Context) error {
	master, err := readPostmaster(c.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := syscall.Kill(master.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	c.gone(ctx, master.pid)
	c.removeSocketDir()
	return nil
}

// Kill ends the postmaster and its children at once, as a loss of power would,
// for all who use the cluster. The next Start recovers what was committed.
func (c *Cluster) Kill() error {
	c.left.Store(true)
	defer c.using.release()
	master, err := readPostmaster(c.dir)
	if err != nil {
		return fmt.Errorf("find PostgreSQL: %w", err)
	}
	// A stopped postmaster starts no more children.
	if err := syscall.Kill(master.pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("kill PostgreSQL: %w", err)
	}
	doomed := append(master.children(), master.pid)
	for _, pid := range doomed {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range doomed {
		c.gone(context.Background(), pid)
	}
	c.removeSocketDir()
	return nil
}

// gone waits until process pid has ended.
func (c *Cluster) gone(ctx context.Context, pid int) {
	for runs(pid) {
		pause(ctx)
	}
}
