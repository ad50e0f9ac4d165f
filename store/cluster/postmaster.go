//go:build unix

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// postmaster is what postmaster.pid tells of the process that runs, or ran, on
// a data directory.
type postmaster struct {
	pid    int
	socket string // directory
}

// readPostmaster fails with os.ErrNotExist when none runs and the last one
// ended in order.
func readPostmaster(dir string) (p postmaster, err error) {
	path := filepath.Join(dataDir(dir), "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	lines := strings.Split(string(text), "\n")
	if p.pid, err = strconv.Atoi(strings.TrimSpace(lines[0])); err != nil {
		return p, fmt.Errorf("%s is not PostgreSQL's: %w", path, err)
	}
	if len(lines) > 4 { // fewer while it is starting
		p.socket = strings.TrimSpace(lines[4])
	}
	return p, nil
}

// children lists the backends and helpers of the postmaster.
func (p postmaster) children() (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // gone meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		// pid (name) state parent …, and the name may hold anything
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(p.pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// runs reports whether process pid is alive: there, and not merely waiting to
// be reaped.
func runs(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) == 0 || string(fields[0]) != "Z"
}
