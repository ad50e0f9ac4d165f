package crash_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// restartWithin is how long a server may take to end and to start.
const restartWithin = 2 * time.Minute

// newConnections is how many connections a second clients open. SPEC_CONNECTIONS asks for another number, and
// for delays that end by themselves.
func newConnections() (persecond int, timed bool) {
	n, err := strconv.Atoi(os.Getenv("SPEC_CONNECTIONS"))
	if err != nil {
		return 60, false
	}
	return n, true
}

// visits are requests with a connection each. Every tenth stores an event.
type visits struct {
	answered, refused, broken, failed atomic.Int64
	began                             time.Time
	mu                                sync.Mutex
	first                             error // what went wrong first
}

// visit sends requests through the balancer until stop is called.
func visit(b *balancer, persecond int) (v *visits, stop func()) {
	v = &visits{began: time.Now()}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	client := b.client()
	all.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C: // one that is late brings the requests of those that were left out
			}
			for due := int(time.Since(v.began) * time.Duration(persecond) / time.Second); n < due; n++ {
				number := n // which goes on while the request is made
				all.Go(func() { v.count(v.request(client, number)) })
			}
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		all.Wait()
	})
	DeferCleanup(stop)
	return v, stop
}

func (v *visits) request(client *http.Client, n int) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodGet, "http://balancer.test/v1/ping", nil)
	if n%10 == 0 {
		request, err = http.NewRequest(http.MethodPost, "http://balancer.test/v1/ingest", strings.NewReader(fmt.Sprintf(
			`{"events": [{"event_name": "visit", "external_customer_id": "acme", "idempotency_key": "%d-%d", "timestamp": %q, "properties": {}}]}`,
			v.began.UnixNano(), n, time.Now().UTC().Format(time.RFC3339))))
	}
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+firstKey)
	request.Header.Set("Content-Type", "application/json")
	return client.Do(request)
}

// count notes how a request ended.
func (v *visits) count(response *http.Response, err error) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, errNoTarget):
		v.refused.Add(1)
	case err != nil:
		v.broken.Add(1)
	case response.StatusCode != http.StatusOK:
		_ = response.Body.Close()
		err = fmt.Errorf("answered %d", response.StatusCode)
		v.failed.Add(1)
	default:
		_ = response.Body.Close()
		v.answered.Add(1)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.first == nil {
		v.first = err
	}
}

// perSecond returns how many requests a second were answered until now.
func (v *visits) perSecond() int64 {
	return v.answered.Load() * int64(time.Second) / int64(time.Since(v.began))
}

func (v *visits) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fmt.Sprintf("%d answered (%d a second), %d refused, %d broken off, %d with another status; first: %v",
		v.answered.Load(), v.perSecond(), v.refused.Load(), v.broken.Load(), v.failed.Load(), v.first)
}

// beside starts another server on the database of m.
func (m *machine) beside() *machine {
	GinkgoHelper()
	other := &machine{dir: m.dir, server: newServer(), cluster: m.cluster, settings: m.settings}
	DeferCleanup(other.killServer)
	other.startServer()
	return other
}

// terminate sends a server the signal with which systems stop it.
func (m *machine) terminate() {
	GinkgoHelper()
	Expect(m.server.Signal(syscall.SIGTERM)).To(Succeed())
}

var _ = Describe("A restart of three servers behind a balancer, one after another", func() {
	// restart ends each server in turn, as end does, and starts it again.
	restart := func(period time.Duration, delay string, end func(*machine, *balancer)) *visits {
		GinkgoHelper()
		persecond, _ := newConnections()
		first := boot("TOLLKEEPER_SHUTDOWN_DELAY=" + delay)
		servers := []*machine{first, first.beside(), first.beside()}
		b := balance(period, servers...)
		v, stop := visit(b, persecond)
		for _, m := range servers {
			end(m, b)
			Eventually(m.server.Exited()).WithTimeout(restartWithin).Should(BeClosed())
			Eventually(b.has).WithArguments(m).WithTimeout(restartWithin).Should(BeFalse())
			m.startServer()
			Eventually(b.has).WithArguments(m).WithTimeout(restartWithin).Should(BeTrue())
		}
		stop()
		AddReportEntry("requests", v.String())
		return v
	}

	It("refuses no connection and fails no request, because readiness fails first", func() {
		persecond, timed := newConnections()
		var v *visits
		if timed {
			v = restart(time.Second, "5s", func(m *machine, _ *balancer) { m.terminate() })
			Expect(v.perSecond()*10).To(BeNumerically(">", persecond*9), v.String())
		} else {
			v = restart(200*time.Millisecond, "10m", func(m *machine, b *balancer) {
				m.terminate()
				// However busy the machine is, the delay lasts until no connection can come.
				Eventually(b.left).WithArguments(m).WithTimeout(restartWithin).Should(BeTrue())
				Consistently(m.server.Exited()).WithTimeout(200 * time.Millisecond).ShouldNot(BeClosed())
				m.terminate()
			})
		}
		Expect(v.answered.Load()).To(BeNumerically(">", 0))
		Expect([]int64{v.refused.Load(), v.broken.Load(), v.failed.Load()}).To(Equal([]int64{0, 0, 0}), v.String())
	})

	It("refuses connections without a delay, so this balancer sees those that are refused", func() {
		v := restart(time.Second, "0", func(m *machine, _ *balancer) { m.terminate() })
		Expect(v.refused.Load()).To(BeNumerically(">", 0), v.String())
	})
})

var _ = Describe("A server that is stopped with a delay", func() {
	It("answers readiness with 503, and serves, until the delay is over", func() {
		m := boot("TOLLKEEPER_SHUTDOWN_DELAY=10m")
		ask := func(path string) (int, string, bool) {
			GinkgoHelper()
			request, err := http.NewRequest(http.MethodGet, "http://"+m.server.Addr+path, nil)
			Expect(err).NotTo(HaveOccurred())
			request.Header.Set("Authorization", "Bearer "+firstKey)
			response, err := http.DefaultClient.Do(request)
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = response.Body.Close() }()
			body := make([]byte, 1<<10)
			n, _ := response.Body.Read(body)
			return response.StatusCode, string(body[:n]), response.Close
		}
		status, _, closes := ask("/v1/ping")
		Expect([]any{status, closes}).To(Equal([]any{http.StatusOK, false}))

		m.terminate()
		Eventually(m.ready).Should(BeFalse())
		status, said, _ := ask("/readyz")
		Expect(status).To(Equal(http.StatusServiceUnavailable))
		Expect(said).To(ContainSubstring("the server is stopping"))
		status, _, _ = ask("/healthz")
		Expect(status).To(Equal(http.StatusOK))
		status, _, closes = ask("/v1/ping")
		Expect([]any{status, closes}).To(Equal([]any{http.StatusOK, true}), "clients that keep connections go to other servers")

		By("ending the delay by another signal")
		m.terminate()
		Eventually(m.server.Exited()).WithTimeout(restartWithin).Should(BeClosed())
		Expect(m.server.ExitCode()).To(Equal(0))
	})

	It("ends by itself when the delay is over", func() {
		m := boot("TOLLKEEPER_SHUTDOWN_DELAY=1")
		began := time.Now()
		m.terminate()
		Eventually(m.server.Exited()).WithTimeout(restartWithin).Should(BeClosed())
		Expect(time.Since(began)).To(BeNumerically(">=", time.Second))
		Expect(m.server.ExitCode()).To(Equal(0))
	})
})
