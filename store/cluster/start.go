//go:build unix

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// longestSocketDir leaves room for the socket's name in the 107 bytes of a
// socket's address, and to spare on systems with fewer.
const longestSocketDir = 100 - len("/.s.PGSQL.5432")

// start runs a postmaster of this process's own.
func (c *Cluster) start(ctx context.Context, opts Options) error {
	major, err := majorOf(c.dir)
	if err != nil {
		return err
	}
	wanted := major
	if wanted == 0 {
		wanted = opts.Major
	}
	binaries, err := obtain(ctx, c.from, wanted, c.log)
	if err != nil {
		return err
	}
	id, err := identify(binaries)
	if err != nil {
		return err
	}
	if c.socket, err = socketDir(c.dir, id); err != nil {
		return err
	}
	if opts.Throwaway {
		if c.reaper, err = reap(c.dir, c.socket); err != nil {
			return err
		}
	}
	if major == 0 {
		if err := c.initialise(ctx, binaries, id, opts.Throwaway); err != nil {
			return err
		}
	}
	return c.launch(ctx, binaries, id, opts.Throwaway)
}

// majorOf tells which major version made the data directory, 0 when there is
// none.
func majorOf(dir string) (int, error) {
	data := dataDir(dir)
	if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		return 0, fmt.Errorf("%s is no data directory of PostgreSQL, and is left as it is; move it away or set TOLLKEEPER_DATA_DIR: %w", data, err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s was made by an unknown version of PostgreSQL, and is left as it is: %w", data, err)
	}
	if major < oldest {
		return 0, fmt.Errorf("%s was made by PostgreSQL %d, and is left as it is; bring it to %d or newer with pg_upgrade, or set TOLLKEEPER_DATA_DIR to another directory", data, major, oldest)
	}
	return major, nil
}

// socketDir is the data directory, or a short one when that path is too long
// for the address of a socket.
func socketDir(dir string, id identity) (string, error) {
	if data := dataDir(dir); len(data) <= longestSocketDir {
		return data, nil
	}
	parent := os.TempDir()
	if len(parent)+len("/tollkeeper-0123456789") > longestSocketDir {
		parent = "/tmp"
	}
	short, err := os.MkdirTemp(parent, shortPrefix)
	if err != nil {
		return "", fmt.Errorf("make a directory for the socket: %w", err)
	}
	return short, id.own(short)
}

const shortPrefix = "tollkeeper-"

// removeSocketDir takes a short directory away again; nothing but a socket is
// ever in it.
func (c *Cluster) removeSocketDir() {
	if c.socket != dataDir(c.dir) && strings.HasPrefix(filepath.Base(c.socket), shortPrefix) {
		_ = os.RemoveAll(c.socket)
	}
}

// initialise makes the cluster beside its place and moves it there.
func (c *Cluster) initialise(ctx context.Context, b Binaries, id identity, throwaway bool) error {
	place := dataDir(c.dir)
	making, err := os.MkdirTemp(c.dir, "initdb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(making) }() // fails when it was moved; initdb empties what it could not finish
	if id.owner != nil {
		if err := os.Chmod(c.dir, 0o711); err != nil { // that user passes through; the data stay 0700
			return err
		}
	}
	if err := id.own(making); err != nil {
		return err
	}
	say(c.log, "making a database with PostgreSQL %s (%s) in %s", b.Version, b.Dir, place)
	args := []string{"-D", making, "-U", superuser, "--auth=trust", "--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"}
	if throwaway {
		args = append(args, "--no-sync")
	}
	run := exec.CommandContext(ctx, b.path("initdb"), args...)
	run.Dir, run.Env, run.SysProcAttr = "/", environment, id.attr
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLine(out))
	}
	return os.Rename(making, place)
}

// environment is all that PostgreSQL's programs are told.
var environment = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}

// launch starts the postmaster and waits until it accepts connections. After a
// kill -9 its orphans may hold shared memory: they are ended, and waited for.
func (c *Cluster) launch(ctx context.Context, b Binaries, id identity, throwaway bool) error {
	for {
		c.endOrphans(ctx)
		said, err := c.run(ctx, b, id, throwaway)
		if err == nil {
			say(c.log, "PostgreSQL %s runs in %s", b.Version, c.dir)
			return nil
		}
		if ctx.Err() != nil {
			c.reaper.finish()
			return ctx.Err()
		}
		if strings.Contains(said, "pre-existing shared memory block") {
			pause(ctx)
			continue
		}
		c.removeSocketDir()
		c.reaper.finish()
		return fmt.Errorf("%w; its log, %s, says:\n%s", err, logFile(c.dir), said)
	}
}

// run makes one try, and returns what a postmaster that ended has logged.
func (c *Cluster) run(ctx context.Context, b Binaries, id identity, throwaway bool) (said string, err error) {
	log, err := os.OpenFile(logFile(c.dir), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = log.Close() }()
	before, err := log.Seek(0, 2)
	if err != nil {
		return "", err
	}
	more := c.recovery
	if c.backups != "" {
		to, err := shelfOf(c.dir, c.backups, id)
		if err != nil {
			return "", err
		}
		more = archiving(to)
	}
	values := append(settings(c.socket, compression(ctx, b, dataDir(c.dir)), throwaway, cmp.Or(c.buffers, sharedBuffers(memory()))), more...)
	master := exec.Command(b.path("postgres"), arguments(dataDir(c.dir), values)...)
	master.Dir, master.Env, master.SysProcAttr = "/", environment, id.attr
	master.Stdout, master.Stderr = log, log
	if err := master.Start(); err != nil {
		return "", err
	}
	exited := make(chan struct{}) // of this one: the next try has another
	c.exited = exited
	go func() {
		_ = master.Wait() // its log says how it ended
		close(exited)
	}()
	if err = c.await(ctx, exited); err == nil {
		return "", nil
	}
	if !errors.Is(err, errExited) {
		_ = master.Process.Signal(os.Interrupt)
		<-exited
	}
	text, readErr := os.ReadFile(logFile(c.dir))
	if readErr != nil {
		return "", readErr
	}
	return strings.TrimSpace(string(text[min(int(before), len(text)):])), err
}
