package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// build compiles the server.
func build(ctx context.Context, path string) (string, error) {
	compile := exec.CommandContext(ctx, "go", "build", "-o", path, "./server/cmd/tollkeeper")
	compile.Stderr = os.Stderr
	return path, compile.Run()
}

// process is a running server.
type process struct {
	addr    string
	key     string // of the account that it is asked for
	buckets bool   // whether it keeps any
	master  int    // the process of the database
	cmd     *exec.Cmd
	exited  chan struct{}
}

// serve starts a server that keeps buckets, or one that does not, with what else it is
// told by its environment.
func (s *stage) serve(ctx context.Context, key string, buckets bool, told ...string) (*process, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.binary, "serve")
	cmd.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+s.url, "TOLLKEEPER_ADDR="+addr, fmt.Sprint("TOLLKEEPER_BUCKETS=", buckets))
	cmd.Env = append(cmd.Env, told...)
	p := &process{addr: addr, key: key, buckets: buckets, master: s.postmaster, cmd: cmd, exited: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	for {
		answer, err := http.Get("http://" + addr + "/readyz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return p, nil
			}
		}
		select {
		case <-p.exited:
			return nil, fmt.Errorf("the server ended: %s", cmd.ProcessState)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.exited
}

// as is the server asked for another account.
func (p *process) as(t *tables) *process {
	other := *p
	other.key = t.key
	return &other
}

// watch counts the processor time of the server and of its database.
func (p *process) watch() watch { return watch{p.cmd.Process.Pid, p.master} }

// peakMemory is the most the server ever held, in megabytes.
func (p *process) peakMemory() float64 {
	var kilobytes float64
	_, _ = fmt.Sscan(field(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid), "VmHWM"), &kilobytes)
	return kilobytes / 1024
}

// ask is a request of the account.
func (p *process) ask(ctx context.Context, method, path, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+p.addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s", method, path, text)
	}
	return text, err
}

type object = map[string]any

// create makes a thing and returns its id.
func (p *process) create(ctx context.Context, path string, body object) (id string, err error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	answer, err := p.ask(ctx, "POST", path, string(sent))
	if err != nil {
		return "", err
	}
	var made struct{ ID string }
	err = json.Unmarshal(answer, &made)
	return made.ID, err
}

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
