package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// quiet is how long no spec may end before the one that runs is named, with its goroutines.
	quiet = 5 * time.Minute
	// hung is how many times that passes before the suite is killed.
	hung = 3
	// heartbeat is how often the state is printed while no suite ends.
	heartbeat = 30 * time.Second
)

// runner runs suites.
type runner struct {
	dir     string // for files of this run
	ginkgo  string
	race    bool
	options []string      // for ginkgo
	quiet   time.Duration // [quiet], but in specs

	mu      sync.Mutex
	waiting int // suites that have not begun
	running []*running
	printed time.Time
}

// running is a suite that runs.
type running struct {
	suite
	done  atomic.Int64 // specs that have ended
	total atomic.Int64
}

// outcome is what came of a suite.
type outcome struct {
	suite
	report    string // a file, of ginkgo
	log       string // a file
	err       error
	specs     int64
	wall, cpu time.Duration
}

// exercised is the folder in which suites note which operations of the contract they called.
func (r *runner) exercised() string { return filepath.Join(r.dir, "exercised") }

// all runs the lanes beside each other.
func (r *runner) all(ctx context.Context, lanes []lane) (all []outcome) {
	ended := make(chan outcome)
	var working sync.WaitGroup
	for _, l := range lanes {
		r.waiting += len(l.suites)
		next := make(chan suite, len(l.suites))
		for _, s := range l.suites {
			next <- s
		}
		close(next)
		for range l.width {
			working.Go(func() {
				for s := range next {
					ended <- r.one(ctx, s)
				}
			})
		}
	}
	go func() {
		working.Wait()
		close(ended)
	}()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case o, more := <-ended:
			if !more {
				return all
			}
			all = append(all, o)
			r.say(&o)
		case <-tick.C:
			r.say(nil)
		}
	}
}

// say prints what became of a suite, and what is left.
func (r *runner) say(o *outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o == nil && time.Since(r.printed) < heartbeat {
		return
	}
	r.printed = time.Now()
	line := strings.Repeat(" ", 57)
	if o != nil {
		verdict := "ok  "
		if o.err != nil {
			verdict = "FAIL"
		}
		line = fmt.Sprintf("%s %-28s %5d specs %4.0f s %4.0f s", verdict, o.folder, o.specs, o.wall.Seconds(), o.cpu.Seconds())
	}
	var left []string
	for _, s := range r.running {
		left = append(left, fmt.Sprintf("%s %d/%d", s.folder, s.done.Load(), s.total.Load()))
	}
	if r.waiting > 0 {
		left = append(left, fmt.Sprintf("%d more", r.waiting))
	}
	if len(left) > 0 {
		line += "   left: " + strings.Join(left, ", ")
	}
	fmt.Println(line)
}

func (r *runner) begin(s suite) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := &running{suite: s}
	r.waiting--
	r.running = append(r.running, now)
	return now
}

func (r *runner) end(now *running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range r.running {
		if s == now {
			r.running = append(r.running[:i], r.running[i+1:]...)
			return
		}
	}
}

// one runs a suite.
func (r *runner) one(ctx context.Context, s suite) (o outcome) {
	now := r.begin(s)
	defer r.end(now)
	name := strings.ReplaceAll(s.folder, "/", "-")
	o = outcome{suite: s, log: filepath.Join(logs, name+".log"), report: filepath.Join(logs, name+".json")}
	log, err := os.Create(o.log)
	if err != nil {
		o.err = err
		return o
	}
	defer func() { _ = log.Close() }()
	args := []string{
		"-procs=" + strconv.Itoa(s.procs), "-succinct", "-no-color", "-vet=off", "-ldflags=-w", // -w: without tables for debuggers, a third of the time of linking
		"-timeout=240h", "-poll-progress-after=" + r.quiet.String(), "-poll-progress-interval=" + r.quiet.String(),
		"-fail-on-empty", "-output-dir=" + logs, "-json-report=" + filepath.Base(o.report),
	}
	if r.race {
		args = append(args, "-race")
	}
	if s.files != "" {
		args = append(args, "-focus-file="+s.files)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(ctx, r.ginkgo, append(append(args, r.options...), "./"+s.folder)...)
	// What is waited for without a limit of its own has a minute: the usual second is not enough on a busy machine.
	command.Env = append(os.Environ(), "SPEC_EXERCISED="+r.exercised(), "GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT=60s")
	if s.folder == server && !r.race && os.Getenv("GOGC") == "" {
		command.Env = append(command.Env, "GOGC=300") // a tenth of its time for some memory
	}
	// A process group of its own, so that the suite ends with all its processes.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 20 * time.Second
	out, in, err := os.Pipe()
	if err != nil {
		o.err = err
		return o
	}
	command.Stdout, command.Stderr = in, in
	began := time.Now()
	if o.err = command.Start(); o.err != nil {
		return o
	}
	_ = in.Close()
	patience := hung * r.quiet
	watch := time.AfterFunc(patience, func() {
		_, _ = fmt.Fprintf(log, "\nNo spec has ended for %s: the suite is killed.\n", patience)
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGQUIT) // Go prints all goroutines
		time.AfterFunc(command.WaitDelay, cancel)
	})
	defer watch.Stop()
	read := make(chan struct{})
	go func() {
		defer close(read)
		now.follow(io.TeeReader(out, log), func() { watch.Reset(patience) })
	}()
	o.err = command.Wait()
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // what it left behind would hold the pipe
	<-read
	_ = out.Close()
	o.wall, o.specs = time.Since(began), now.done.Load()
	if state := command.ProcessState; state != nil {
		o.cpu = state.UserTime() + state.SystemTime()
	}
	return o
}

// counted is how ginkgo says how many specs it will run.
var counted = regexp.MustCompile(`(\d+)/\d+ specs`)

// follow reads the output of a suite, in which each spec that ended is a dot, and calls moved for each.
func (now *running) follow(output io.Reader, moved func()) {
	in := bufio.NewReader(output)
	line := ""
	for {
		char, _, err := in.ReadRune()
		if err != nil {
			return
		}
		switch {
		case char == '•':
			now.done.Add(1)
			moved()
		case char == '\n':
			line = ""
		case now.total.Load() == 0 && len(line) < 200:
			line += string(char)
			if found := counted.FindStringSubmatch(line); found != nil {
				total, _ := strconv.ParseInt(found[1], 10, 64)
				now.total.Store(total)
			}
		}
	}
}
