package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"tollkeeper/scripts/rig"
)

// process is a running server, asked for an account.
type process struct {
	*rig.Server
	rig.Client
	buckets bool // whether it keeps any
	master  int  // the process of the database
}

// serve starts a server that keeps buckets, or one that does not, with what else it is
// told by its environment.
func (s *stage) serve(ctx context.Context, key string, buckets bool, told ...string) (*process, error) {
	addr, err := rig.FreeAddr()
	if err != nil {
		return nil, err
	}
	return s.start(ctx, key, buckets, &rig.Server{Binary: s.binary, Addr: addr, Database: s.url, Env: append([]string{fmt.Sprint("TOLLKEEPER_BUCKETS=", buckets)}, told...)})
}

// start starts a server and waits until it is ready.
func (s *stage) start(ctx context.Context, key string, buckets bool, server *rig.Server) (*process, error) {
	p := &process{Server: server, Client: rig.Client{URL: server.URL(), Key: key}, buckets: buckets, master: s.postmaster}
	return p, server.StartReady(ctx, 0)
}

func (p *process) stop() { _ = p.Stop() } // what it measured is there already

// as is the server asked for another account.
func (p *process) as(t *tables) *process { return p.with(t.key) }

// with is the server asked with another key.
func (p *process) with(key string) *process {
	other := *p
	other.Key = key
	return &other
}

// watch counts the processor time of the server and of its database.
func (p *process) watch() watch { return watch{p.Pid(), p.master} }

// peakMemory is the most the server ever held, in megabytes.
func (p *process) peakMemory() float64 {
	var kilobytes float64
	_, _ = fmt.Sscan(field(fmt.Sprintf("/proc/%d/status", p.Pid()), "VmHWM"), &kilobytes)
	return kilobytes / 1024
}

type object = rig.Object

func cpuModel() string { return field("/proc/cpuinfo", "model name") }

// processors says how many there are, and how much memory.
func processors() string {
	var kilobytes float64
	_, _ = fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kilobytes)
	return fmt.Sprintf("%d processors, %.0f GB of memory", runtime.NumCPU(), kilobytes/(1<<20))
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// field is the value of the first line of that name in a file of /proc.
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if before, after, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(before) == name {
			return strings.TrimSpace(after)
		}
	}
	return "unknown"
}
