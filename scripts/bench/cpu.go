package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// spent is processor time by who used it.
type spent struct{ server, database, bench time.Duration }

func (s spent) sub(o spent) spent {
	return spent{s.server - o.server, s.database - o.database, s.bench - o.bench}
}

func (s spent) add(o spent) spent {
	return spent{s.server + o.server, s.database + o.database, s.bench + o.bench}
}

// each shows it in microseconds for one of n events.
func (s spent) each(n int) string {
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
	return fmt.Sprintf("%8.1f %7.1f %7.1f", per(s.server), per(s.database), per(s.bench))
}

// watch tells what the processes have used so far. Those of the database are the
// postmaster's children that live; connections are kept, so none gets lost.
type watch struct{ server, postmaster int }

func (w watch) now() spent {
	s := spent{server: used(w.server).cpu, bench: used(os.Getpid()).cpu}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		var pid int
		_, _ = fmt.Sscan(filepath.Base(dir), &pid)
		if p := used(pid); p.parent == w.postmaster {
			s.database += p.cpu
		}
	}
	return s
}

type usage struct {
	parent int
	cpu    time.Duration
}

// tick is the unit of processor time in /proc, the same on every Linux.
const tick = time.Second / 100

func used(pid int) (u usage) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, fields, _ := strings.Cut(string(text), ") ") // the name before may hold anything
	var state string
	var skip [9]int64
	var user, system int64
	_, err := fmt.Sscan(fields, &state, &u.parent, &skip[0], &skip[1], &skip[2], &skip[3], &skip[4], &skip[5], &skip[6], &skip[7], &skip[8], &user, &system)
	if err == nil {
		u.cpu = time.Duration(user+system) * tick
	}
	return u
}

// postmaster is the process that runs a private PostgreSQL.
func postmaster(dir string) (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	return pid, err
}
