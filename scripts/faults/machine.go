package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/scripts/rig"
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
	for pkg, file := range map[string]string{rig.ServerPackage: m.binary, "tollkeeper/scripts/histories": filepath.Join(dir, "histories")} {
		if err = rig.Build(ctx, "", pkg, file); err != nil {
			return m, err
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

// binaries is where the checkout keeps fetched binaries of PostgreSQL.
func binaries(o options) string {
	path, _ := filepath.Abs(filepath.Join(o.cache, "postgresql"))
	return path
}

// start starts one more server and waits until it is ready.
func (m *machine) start(database string) error {
	addr, err := rig.FreeAddr()
	if err != nil {
		return err
	}
	p := &process{server: rig.Server{Binary: m.binary, Addr: addr, Log: m.o.log,
		Env: []string{database, "TOLLKEEPER_API_KEY=" + firstKey, "TOLLKEEPER_WEBHOOK_NETWORKS=127.0.0.0/8", "TOLLKEEPER_LOG_LEVEL=warn"}}}
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

// eventually does something again until it succeeds, for as long as a recovery may take.
func (m *machine) eventually(do func() error) error {
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		err := do()
		if err == nil || time.Since(began) > recovery {
			return err
		}
	}
}

// command is the command line, as the owner of the database.
func (m *machine) command() rig.CommandLine {
	return rig.CommandLine{Binary: m.binary, Database: m.url}
}
