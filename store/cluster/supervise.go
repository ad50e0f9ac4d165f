//go:build unix

package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// Times of Supervise.
const (
	watchEvery   = 200 * time.Millisecond
	giveUpAfter  = time.Minute
	firstBackoff = 250 * time.Millisecond // doubled after each failure
	lastBackoff  = 5 * time.Second
)

// Supervise restarts the postmaster whenever it has ended, until ctx ends. A restart that
// fails is tried again, after a longer wait each time; the reasons go to the log of the
// options. Processes that use the same cluster may all supervise it: one of them restarts
// it and the others join. Supervise returns an error when restarts failed for as long as
// how.GiveUp: then something is wrong that waiting does not mend. A postmaster that
// recovers after a crash is waited for, however long it takes.
func (c *Cluster) Supervise(ctx context.Context, how Supervision) error {
	if how.GiveUp == 0 {
		how.GiveUp = giveUpAfter
	}
	for sleep(ctx, watchEvery) {
		if c.alive() {
			continue
		}
		say(c.log, "PostgreSQL in %s has ended; restarting it", c.dir)
		if err := c.restartWithin(ctx, how.GiveUp); err != nil {
			return err
		}
		if ctx.Err() == nil && how.Restarted != nil {
			how.Restarted()
		}
	}
	return nil
}

// restartWithin tries to restart the postmaster until that succeeds, ctx ends, or the tries
// have failed for so long.
func (c *Cluster) restartWithin(ctx context.Context, patience time.Duration) error {
	began, wait := time.Now(), firstBackoff
	for {
		err := c.restart(ctx)
		if err == nil || ctx.Err() != nil {
			return nil //nolint:nilerr // it is to end
		}
		if time.Since(began) >= patience {
			return fmt.Errorf("PostgreSQL in %s could not be restarted for %s: %w", c.dir, patience, err)
		}
		say(c.log, "PostgreSQL does not start, next try in %s: %v", wait, err)
		sleep(ctx, wait)
		wait = min(2*wait, lastBackoff)
	}
}

// restart makes one try, unless another process was faster. The socket stays where it is:
// connections are opened by the same URL again.
func (c *Cluster) restart(ctx context.Context) error {
	changing, err := c.change(ctx)
	if err != nil {
		return err
	}
	defer changing.release()
	if c.alive() {
		return c.await(ctx, nil)
	}
	major, err := majorOf(c.dir)
	if err != nil {
		return err
	}
	binaries, err := obtain(ctx, c.from, major, c.log)
	if err != nil {
		return err
	}
	id, err := identify(binaries)
	if err != nil {
		return err
	}
	if err := c.keepSocketDir(id); err != nil {
		return err
	}
	c.endOrphans(ctx)
	if said, err := c.run(ctx, binaries, id, false); err != nil {
		return fmt.Errorf("%w; its log, %s, says: %s", err, logFile(c.dir), lastLine([]byte(said)))
	}
	say(c.log, "PostgreSQL %s runs again in %s", binaries.Version, c.dir)
	return nil
}

// keepSocketDir makes the directory of the socket where something removed it.
func (c *Cluster) keepSocketDir(id identity) error {
	if _, err := os.Stat(c.socket); err == nil || c.socket == dataDir(c.dir) {
		return err
	}
	if err := os.Mkdir(c.socket, 0o700); err != nil {
		return fmt.Errorf("make the directory of the socket: %w", err)
	}
	return id.own(c.socket)
}

// alive reports whether a postmaster runs on the data directory.
func (c *Cluster) alive() bool {
	master, err := readPostmaster(c.dir)
	return err == nil && runs(master.pid) && !c.foreign(master.pid)
}

// foreign reports that a process is certainly none of this cluster's: PostgreSQL works in
// its data directory. The number of a process that has ended may be another's by now.
func (c *Cluster) foreign(pid int) bool {
	place, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && !sameDir(place, dataDir(c.dir))
}

func sameDir(a, b string) bool {
	infoA, errA := os.Stat(strings.TrimSuffix(a, " (deleted)"))
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// sleep waits for d, and reports whether ctx has not ended by then.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
