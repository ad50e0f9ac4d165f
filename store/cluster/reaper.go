//go:build unix

package cluster

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
)

// A reaper is a shell that outlives this process by a moment. It waits for the
// end of a pipe that only this process holds, then ends the postmaster and
// removes its directories: nothing stays behind even after kill -9.
type reaper struct {
	pipe  io.Closer
	shell *exec.Cmd
}

const reaping = `
read -r _
read -r pid < "$1" && {
	kill -QUIT "$pid"
	i=0
	while kill -0 "$pid" && [ $i -lt 100 ]; do i=$((i + 1)); sleep 0.02; done
	kill -KILL "$pid"
}
i=0
until rm -rf "$2" "$3" || [ $i -ge 100 ]; do i=$((i + 1)); sleep 0.02; done
`

func reap(dir, socket string) (*reaper, error) {
	pidFile := filepath.Join(dataDir(dir), "postmaster.pid")
	shell := exec.Command("/bin/sh", "-c", reaping, "tollkeeper-reaper", pidFile, dir, socket)
	shell.Dir, shell.Env = "/", environment
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is not for it
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, fmt.Errorf("start the shell that clears up: %w", err)
	}
	return &reaper{pipe, shell}, nil
}

// finish clears up now. A cluster that is not throwaway has no reaper.
func (r *reaper) finish() {
	if r == nil {
		return
	}
	_ = r.pipe.Close()
	_ = r.shell.Wait()
}
