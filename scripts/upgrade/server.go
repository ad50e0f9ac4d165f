package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const key = "tk_test_upgrade00000000000000000000000000000"

// server is a process that serves.
type server struct {
	address string
	process *exec.Cmd
}

// begin starts a server and waits until it is ready.
func begin(ctx context.Context, binary, database string) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{address: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	s.process = exec.CommandContext(ctx, binary, "serve")
	s.process.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+database, "TOLLKEEPER_ADDR="+s.address, "TOLLKEEPER_API_KEY="+key)
	s.process.Stdout, s.process.Stderr = os.Stderr, os.Stderr
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for range 3000 {
		if response, err := http.Get("http://" + s.address + "/readyz"); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("a server did not start"), s.end())
}

// end stops the server in order.
func (s *server) end() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.process.Wait()
}

// verify looks through the books.
func verify(ctx context.Context, binary, database string) error {
	run := exec.CommandContext(ctx, binary, "verify")
	run.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+database)
	out, err := run.CombinedOutput()
	if err == nil && !strings.HasSuffix(string(out), ": 0 findings\n") {
		err = errors.New("findings")
	}
	if err != nil {
		return fmt.Errorf("verify: %w: %s", err, out)
	}
	return nil
}
