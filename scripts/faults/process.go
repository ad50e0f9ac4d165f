package main

import (
	"context"
	"sync"
	"syscall"
	"time"

	"tollkeeper/scripts/rig"
)

// process is a server that is started again whenever it ends, as systemd would. Faults signal it from elsewhere meanwhile.
type process struct {
	mu     sync.Mutex
	server rig.Server
	ended  bool // it is not started again
	over   sync.WaitGroup
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
			err := p.server.Start(context.Background()) // it ends in order, also where the command is interrupted
			exited := p.server.Exited()
			p.mu.Unlock()
			if err == nil {
				<-exited // how it ended does not matter: it is killed
			}
			time.Sleep(pause)
		}
	})
}

// signal sends a signal to the server that runs now.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.server.Signal(s) // it may have ended
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

// ready reports whether the server serves. One that is stopped does not answer.
func (p *process) ready() bool {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	return p.server.Ready(ctx)
}
