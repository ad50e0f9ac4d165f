package crash_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// errNoTarget is a balancer's whose targets are all away.
var errNoTarget = errors.New("no server is ready")

// balancer gives each connection to the next server that was ready when it last asked, as Kubernetes'
// does. A server that refuses connections gets its share until its readiness failed.
type balancer struct {
	mu      sync.Mutex
	targets []*target
	next    int
}

// target is a server behind a balancer.
type target struct {
	addr  string
	ready bool
	open  int // connections that were given to it and are not closed
}

// balance asks each server every period whether it is ready, until the spec ends.
func balance(period time.Duration, servers ...*machine) *balancer {
	b := &balancer{}
	ctx, stop := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	DeferCleanup(func() {
		stop()
		asking.Wait()
	})
	for _, m := range servers {
		t := &target{addr: m.server.Addr, ready: m.ready()}
		b.targets = append(b.targets, t)
		asking.Go(func() {
			tick := time.NewTicker(period)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				ready := m.ready()
				b.mu.Lock()
				t.ready = ready
				b.mu.Unlock()
			}
		})
	}
	return b
}

// dial connects to the next server.
func (b *balancer) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	t := b.take()
	if t == nil {
		return nil, errNoTarget
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, t.addr)
	if err != nil {
		b.give(t)
		return nil, err
	}
	return &balanced{Conn: conn, closed: sync.OnceFunc(func() { b.give(t) })}, nil
}

func (b *balancer) take() *target {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.targets {
		b.next++
		if t := b.targets[b.next%len(b.targets)]; t.ready {
			t.open++
			return t
		}
	}
	return nil
}

func (b *balancer) give(t *target) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.open--
}

// has reports whether the balancer gives connections to a server.
func (b *balancer) has(m *machine) bool { return b.state(m).ready }

// left reports whether it gives it none, and all it gave are closed.
func (b *balancer) left(m *machine) bool {
	t := b.state(m)
	return !t.ready && t.open == 0
}

func (b *balancer) state(m *machine) target {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.targets {
		if t.addr == m.server.Addr {
			return *t
		}
	}
	return target{}
}

// client opens a connection for each request.
func (b *balancer) client() *http.Client {
	return &http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true, DialContext: b.dial}}
}

// balanced is a connection that its balancer counts.
type balanced struct {
	net.Conn
	closed func()
}

func (c *balanced) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
