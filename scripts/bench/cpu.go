package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

func sum(works []spent) (all spent) {
	for _, work := range works {
		all = all.add(work)
	}
	return all
}

// each shows it in microseconds for one of n events.
func (s spent) each(n int) string {
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
	return fmt.Sprintf("%8.1f %7.1f %7.1f", per(s.server), per(s.database), per(s.bench))
}

// watch tells what the processes have used so far.
type watch struct{ server, postmaster int }

func (w watch) now() spent {
	s := spent{server: used(w.server).cpu, database: used(w.postmaster).ended, bench: used(os.Getpid()).cpu}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		var pid int
		_, _ = fmt.Sscan(filepath.Base(dir), &pid)
		if p := used(pid); pid == w.postmaster || p.parent == w.postmaster {
			s.database += p.cpu
		}
	}
	return s
}

// times are those of one process, and of its children that have ended.
type times struct {
	parent     int
	cpu, ended time.Duration
}

// tick is the unit of processor time in /proc, the same on every Linux.
const tick = time.Second / 100

func used(pid int) (u times) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, line, _ := strings.Cut(string(text), ") ") // the name before may hold anything
	fields := strings.Fields(line)                // from the third on, as proc(5) counts them
	if len(fields) < 15 {
		return times{}
	}
	u.parent, _ = strconv.Atoi(fields[1])
	ticks := func(user int) time.Duration {
		n, _ := strconv.Atoi(fields[user])
		m, _ := strconv.Atoi(fields[user+1])
		return time.Duration(n+m) * tick
	}
	u.cpu, u.ended = ticks(11), ticks(13)
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
