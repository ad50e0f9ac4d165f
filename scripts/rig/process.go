package rig

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ServerPackage is what is built to serve.
const ServerPackage = "tollkeeper/server/cmd/tollkeeper"

// Build compiles a package of the module that holds a directory to a file. "" is the directory of this process.
func Build(ctx context.Context, dir, pkg, file string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-o", file}, flags...)
	command := exec.CommandContext(ctx, "go", append(args, pkg)...)
	command.Dir = dir
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, said)
	}
	return nil
}

// FreeAddr returns an address of this machine that nothing listens at.
func FreeAddr() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// Server is a server at an address. It can be started again after it has ended. Its methods are not for several goroutines at once, Ready
// excepted.
type Server struct {
	Binary   string
	Args     []string // nil: serve
	Addr     string
	Database string    // its URL; "": that is said by Env
	Env      []string  // settings beside those that this process has itself
	Log      io.Writer // nil: nothing is kept

	process *exec.Cmd
	exited  chan struct{}
	how     error // why the process did not end with 0, once it has
}

// Start starts a process, which is killed when the context ends. It does not wait until that is ready.
func (s *Server) Start(ctx context.Context) error {
	args := s.Args
	if args == nil {
		args = []string{"serve"}
	}
	process := exec.CommandContext(ctx, s.Binary, args...)
	process.Env = append(os.Environ(), "TOLLKEEPER_ADDR="+s.Addr)
	if s.Database != "" {
		process.Env = append(process.Env, "TOLLKEEPER_DATABASE_URL="+s.Database)
	}
	process.Env = append(process.Env, s.Env...)
	process.Stdout, process.Stderr = s.Log, s.Log
	if err := process.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.process, s.exited, s.how = process, exited, nil
	go func() {
		s.how = process.Wait()
		close(exited)
	}()
	return nil
}

// StartReady starts a process and waits until it serves. A process that does not within a time is killed; 0 is as long as the
// context lasts.
func (s *Server) StartReady(ctx context.Context, within time.Duration) error {
	if err := s.Start(ctx); err != nil {
		return err
	}
	waiting := ctx
	if within > 0 {
		var stop context.CancelFunc
		waiting, stop = context.WithTimeout(ctx, within)
		defer stop()
	}
	for !s.Ready(waiting) {
		select {
		case <-s.exited:
			return fmt.Errorf("the server at %s ended before it was ready: %s", s.Addr, s.process.ProcessState)
		case <-waiting.Done():
			s.Kill()
			return fmt.Errorf("the server at %s is not ready: %w", s.Addr, waiting.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Ready reports whether the server says that it serves.
func (s *Server) Ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// URL is that of the server, without a path.
func (s *Server) URL() string { return "http://" + s.Addr }

// Pid is the process that was started last.
func (s *Server) Pid() int { return s.process.Process.Pid }

// Exited is closed when the process that was started last has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// ExitCode is that of the process that was started last, once it has ended, and -1 where a signal ended it.
func (s *Server) ExitCode() int { return s.process.ProcessState.ExitCode() }

// Signal sends the process a signal. It is [os.ErrProcessDone] where none runs.
func (s *Server) Signal(signal os.Signal) error {
	if s.process == nil {
		return os.ErrProcessDone
	}
	return s.process.Process.Signal(signal)
}

// Stop has the server end in order, and waits until it has. It is an error if it fails, or has ended before.
func (s *Server) Stop() error {
	if err := s.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.exited
	return s.how
}

// Kill ends the server at once, if it runs, and waits until it has ended.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill() // it may have ended
	<-s.exited
}
