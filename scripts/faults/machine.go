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
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/store/cluster"
)

// machine is a directory with a private PostgreSQL, and the servers on it.
type machine struct {
	o       options
	dir     string
	data    string // of PostgreSQL, on a small disk of its own where that could be mounted
	disk    bool   // it could
	binary  string
	url     string // of the database
	socket  string
	cutter  *cutter
	servers []*process
}

// mostServers is how many servers there are: the first has the private PostgreSQL.
const mostServers = 3

const firstKey = "tk_test_faults000000000000000000000000000000"

// boot builds the server and starts everything.
func boot(ctx context.Context, o options) (m *machine, err error) {
	dir, err := os.MkdirTemp("", "tk-faults-")
	if err != nil {
		return nil, err
	}
	m = &machine{o: o, dir: dir, data: filepath.Join(dir, "data"), binary: filepath.Join(dir, "tollkeeper")}
	defer func() {
		if err != nil {
			_ = m.shutDown()
		}
	}()
	if err = os.Mkdir(m.data, 0o700); err != nil {
		return m, err
	}
	if o.soaking > 0 {
		_, _ = fmt.Fprintln(o.out, "the database is on the disk of", m.data)
	} else if refused := syscall.Mount("tmpfs", m.data, "tmpfs", 0, "size=1200m,mode=700"); refused != nil {
		_, _ = fmt.Fprintf(o.out, "no small disk can be mounted here (%s), so it never is full\n", refused)
	} else {
		m.disk = true
	}
	for _, build := range [][]string{{m.binary, "./server/cmd/tollkeeper"}, {filepath.Join(dir, "histories"), "./scripts/histories"}} {
		command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", build[0], build[1])
		command.Dir = o.root()
		if said, err := command.CombinedOutput(); err != nil {
			return m, fmt.Errorf("build %s: %w\n%s", build[1], err, said)
		}
	}
	if err = os.Symlink(binaries(o), filepath.Join(m.data, "postgresql")); err != nil {
		_ = err // nothing was fetched before
	}
	if err = m.start("TOLLKEEPER_DATA_DIR=" + m.data); err != nil {
		return m, err
	}
	joined, err := cluster.Running(ctx, m.data)
	if err != nil {
		return m, err
	}
	m.url = joined.URL("tollkeeper")
	if err = joined.Stop(); err != nil { // it goes on, as the server uses it
		return m, err
	}
	config, err := pgx.ParseConfig(m.url)
	if err != nil {
		return m, err
	}
	m.socket = filepath.Join(config.Host, ".s.PGSQL.5432")
	if m.cutter, err = newCutter(m.socket); err != nil {
		return m, err
	}
	for range mostServers - 1 {
		through := fmt.Sprintf("postgres://%s@%s/tollkeeper?sslmode=disable", config.User, m.cutter.addr())
		if err = m.start("TOLLKEEPER_DATABASE_URL=" + through); err != nil {
			return m, err
		}
	}
	return m, nil
}

// root is where the module is: the command runs in it, its specs in their package.
func (o options) root() string { return filepath.Dir(o.cache) }

// binaries is where the checkout keeps fetched binaries of PostgreSQL.
func binaries(o options) string {
	path, _ := filepath.Abs(filepath.Join(o.cache, "postgresql"))
	return path
}

// start starts one more server and waits until it is ready.
func (m *machine) start(database string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	p := &process{binary: m.binary, addr: addr, log: m.o.log, env: append(os.Environ(),
		database, "TOLLKEEPER_ADDR="+addr, "TOLLKEEPER_API_KEY="+firstKey, "TOLLKEEPER_WEBHOOK_NETWORKS=127.0.0.0/8", "TOLLKEEPER_LOG_LEVEL=warn")}
	m.servers = append(m.servers, p)
	p.run()
	for began := time.Now(); !p.ready(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			return fmt.Errorf("the server at %s is not ready", addr)
		}
	}
	return nil
}

func (m *machine) shutDown() error {
	for _, p := range m.servers {
		p.end()
	}
	if m.cutter != nil {
		m.cutter.close()
	}
	if joined, err := cluster.Running(context.Background(), m.data); err == nil && joined != nil {
		_ = joined.Stop() // the last one ends it
	}
	if m.disk {
		_ = syscall.Unmount(m.data, syscall.MNT_DETACH)
	}
	return os.RemoveAll(m.dir)
}

// anyReady reports whether some server serves.
func (m *machine) anyReady() bool {
	for _, p := range m.servers {
		if p.ready() {
			return true
		}
	}
	return false
}

// allReady waits until all servers serve.
func (m *machine) allReady(patience time.Duration) error {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		ready := 0
		for _, p := range m.servers {
			if p.ready() {
				ready++
			}
		}
		if ready == len(m.servers) {
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%d of %d servers are ready after %s", ready, len(m.servers), patience)
		}
	}
}

// account makes a test account and returns its id and key.
func (m *machine) account(ctx context.Context, name string) (id, key string, err error) {
	out, err := m.command(ctx, "account", "create", "--name", name, "--mode", "test", "--json")
	if err != nil {
		return "", "", err
	}
	var made struct {
		ID  string `json:"id"`
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return "", "", err
	}
	return made.ID, made.Key, nil
}

// eventually does something again until it succeeds, for as long as a recovery may take.
func (m *machine) eventually(do func() error) error {
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		err := do()
		if err == nil || time.Since(began) > recovery {
			return err
		}
	}
}

// command runs a command of the command line.
func (m *machine) command(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, m.binary, args...)
	command.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+m.url)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		err = fmt.Errorf("tollkeeper %s: %w\n%s%s", strings.Join(args, " "), err, out, said.String())
	}
	return out, err
}

// execute runs a statement as the owner of the database.
func (m *machine) execute(ctx context.Context, statement string, args ...any) error {
	conn, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement, args...)
	return err
}

// process is a server that is started again whenever it ends.
type process struct {
	binary, addr string
	env          []string
	log          io.Writer

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended bool // it is not started again
	over  sync.WaitGroup
}

// pause is how long the end of a server is followed by its start.
const pause = 200 * time.Millisecond

func (p *process) run() {
	p.over.Go(func() {
		for {
			p.mu.Lock()
			if p.ended {
				p.mu.Unlock()
				return
			}
			p.cmd = exec.Command(p.binary, "serve")
			p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, p.log, p.log
			err := p.cmd.Start()
			started := p.cmd
			p.mu.Unlock()
			if err == nil {
				_ = started.Wait() // how it ended does not matter: it is killed
			}
			time.Sleep(pause)
		}
	})
}

// signal sends a signal to the server that runs now.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Signal(s) // it may have ended
	}
}

// end lets the server come to its end for good.
func (p *process) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGTERM)
	p.over.Wait()
}

func (p *process) ready() bool {
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get("http://" + p.addr + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
