//go:build unix

package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Backends whose postmaster was killed end by themselves, but one that computes or was
// stopped does not notice. As long as it lives it holds the shared memory, and PostgreSQL
// refuses to start. Ending it is what a loss of power would do: what was committed is
// recovered, and what was not is undone.

// orphansLeave is how long orphans may take to end by themselves, and then to end when asked.
const orphansLeave = time.Second

// endOrphans ends the processes of PostgreSQL that work in the data directory. The caller
// holds the lock for changes, and no postmaster runs. Where the system does not list
// processes in /proc, it does nothing.
func (c *Cluster) endOrphans(ctx context.Context) {
	for _, signal := range []syscall.Signal{0, syscall.SIGQUIT, syscall.SIGKILL} {
		for _, pid := range c.orphans() {
			_ = syscall.Kill(pid, signal) // 0 tells it nothing
		}
		for until := time.Now().Add(orphansLeave); len(c.orphans()) > 0 && time.Now().Before(until) && ctx.Err() == nil; {
			pause(ctx)
		}
	}
}

// orphans lists the processes that run PostgreSQL's program in the data directory.
func (c *Cluster) orphans() (pids []int) {
	places, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, place := range places {
		dir, err := os.Readlink(place)
		if err != nil || !sameDir(dir, dataDir(c.dir)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(place)))
		if err != nil {
			continue
		}
		program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err == nil && filepath.Base(strings.TrimSuffix(program, " (deleted)")) == "postgres" && runs(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
