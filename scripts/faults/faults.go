package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// kinds of faults, by the name that figures have.
var kinds = []struct {
	name  string
	occur func(ctx context.Context, m *machine, random *rand.Rand) error
}{
	{"servers killed", killServer},
	{"pairs of servers killed", killTwo},
	{"backends killed", func(_ context.Context, m *machine, random *rand.Rand) error {
		return m.signalBackend(random, syscall.SIGKILL)
	}},
	{"postmasters killed", func(_ context.Context, m *machine, _ *rand.Rand) error { return m.killPostmaster() }},
	{"postmasters killed with their server", func(_ context.Context, m *machine, _ *rand.Rand) error {
		m.servers[0].signal(syscall.SIGKILL)
		return m.killPostmaster()
	}},
	{"connections cut before COMMIT", cutAt(true, false)},
	{"connections cut after COMMIT", cutAt(true, true)},
	{"connections cut before a statement", cutAt(false, false)},
	{"connections cut after a statement", cutAt(false, true)},
	{"statements failed", failStatement},
	{"servers stopped for a while", stopServer},
	{"backends stopped for a while", stopBackend},
	{"disks filled", fillDisk},
}

func killServer(_ context.Context, m *machine, random *rand.Rand) error {
	m.servers[random.IntN(len(m.servers))].signal(syscall.SIGKILL)
	return nil
}

func killTwo(_ context.Context, m *machine, random *rand.Rand) error {
	for _, k := range random.Perm(len(m.servers))[:2] {
		m.servers[k].signal(syscall.SIGKILL)
	}
	return nil
}

func stopServer(ctx context.Context, m *machine, random *rand.Rand) error {
	p := m.servers[random.IntN(len(m.servers))]
	p.signal(syscall.SIGSTOP)
	defer p.signal(syscall.SIGCONT)
	return sleep(ctx, time.Duration(500+random.IntN(2500))*time.Millisecond)
}

// postmaster returns the process of PostgreSQL, 0 when none runs.
func (m *machine) postmaster() int {
	text, err := os.ReadFile(filepath.Join(m.data, "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(first)
	if syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

func (m *machine) killPostmaster() error {
	if pid := m.postmaster(); pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	return nil
}

// backends are the processes of PostgreSQL that serve connections.
func (m *machine) backends() (pids []int) {
	master := strconv.Itoa(m.postmaster())
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range entries {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if len(fields) > 1 && fields[1] == master && strings.Contains(string(name), " tollkeeper ") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

func (m *machine) signalBackend(random *rand.Rand, s syscall.Signal) error {
	if pids := m.backends(); len(pids) > 0 {
		_ = syscall.Kill(pids[random.IntN(len(pids))], s) // it may have ended
	}
	return nil
}

func stopBackend(ctx context.Context, m *machine, random *rand.Rand) error {
	pids := m.backends()
	if len(pids) == 0 {
		return nil
	}
	pid := pids[random.IntN(len(pids))]
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
	err := sleep(ctx, time.Duration(500+random.IntN(2500))*time.Millisecond)
	_ = syscall.Kill(pid, syscall.SIGCONT)
	return err
}

// cutAt cuts a connection at the next COMMIT or at one of the next statements, and waits until that
// has occurred.
func cutAt(commit, answer bool) func(ctx context.Context, m *machine, random *rand.Rand) error {
	return func(ctx context.Context, m *machine, random *rand.Rand) error {
		armed := &cut{commit: commit, answer: answer}
		armed.after.Store(int64(1 + random.IntN(200)))
		before := m.cutter.done.Load()
		m.cutter.next.Store(armed)
		for began := time.Now(); m.cutter.done.Load() == before; {
			if time.Since(began) > time.Minute {
				return fmt.Errorf("nothing passes the proxy before PostgreSQL")
			}
			if err := sleep(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	}
}

// failStatement has PostgreSQL refuse what some connection does just now.
func failStatement(ctx context.Context, m *machine, _ *rand.Rand) error {
	conn, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return nil //nolint:nilerr // another fault is not over yet
	}
	defer func() { _ = conn.Close(ctx) }()
	for range 50 {
		var canceled bool
		err := conn.QueryRow(ctx, `SELECT coalesce((SELECT pg_cancel_backend(pid) FROM pg_stat_activity
			WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1), false)`).Scan(&canceled)
		if canceled || err != nil {
			return nil //nolint:nilerr // likewise
		}
	}
	return nil
}

// fillDisk leaves PostgreSQL no room for a while.
func fillDisk(ctx context.Context, m *machine, _ *rand.Rand) error {
	path := filepath.Join(m.data, "filling")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	block := make([]byte, 1<<20)
	for err == nil {
		_, err = file.Write(block)
	}
	_ = file.Close()
	return sleep(ctx, time.Second)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
