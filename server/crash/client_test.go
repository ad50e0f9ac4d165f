package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/scripts/rig"
)

// client speaks for one account. What is not answered it sends again, as it was.
type client struct{ rig.Client }

// within is how long a request is waited for, and patience how long after a
// failure the next attempt begins.
const (
	within   = 20 * time.Second
	patience = 20 * time.Millisecond
)

func (m *machine) client(key string) client {
	return client{rig.Client{URL: m.server.URL(), Key: key, Within: within, Again: patience}}
}

// ask sends a request until it is answered, and returns the answer's status and body.
func (c client) ask(method, path string, body any, idempotencyKey string) (int, []byte) {
	answer, err := c.Send(context.Background(), rig.Request{Method: method, Path: path, Body: body, IdempotencyKey: idempotencyKey})
	Expect(err).NotTo(HaveOccurred())
	return answer.Status, answer.Body
}

// must is ask for what has to succeed. It returns the id of what was made.
func (c client) must(method, path string, body any, idempotencyKey string) string {
	status, answer := c.ask(method, path, body, idempotencyKey)
	Expect(status).To(BeNumerically("<", 300), "%s %s: %s", method, path, answer)
	var made struct {
		ID     string
		Parked []any
	}
	Expect(json.Unmarshal(answer, &made)).To(Succeed())
	// A kill is an outage, and ends a pass of due work. It fails no unit.
	Expect(made.Parked).To(BeEmpty(), "%s %s leaves work parked: %s", method, path, answer)
	return made.ID
}

type object = rig.Object

// history is what the clients were told.
type history struct {
	mu     sync.Mutex
	events []string // keys that a 200 answered
	subs   int      // subscriptions that a 201 answered
	clock  string   // that a 200 answered last

	past        []string // keys of the events of the past, answered
	sent        int      // numbers of pastEvent below this one were sent
	corrections int      // of events of the past
	rewritten   int      // backfills
}

// tell notes something under the lock.
func (h *history) tell(note func(h *history)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	note(h)
}

// soFar is a copy of what was told until now.
func (h *history) soFar() *history {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &history{
		events: slices.Clone(h.events), subs: h.subs, clock: h.clock,
		past: slices.Clone(h.past), sent: h.sent, corrections: h.corrections, rewritten: h.rewritten,
	}
}

// ingest sends batches of new events, all stamped alike, until the crowd is told
// to go home.
func (c client) ingest(name, stamp string, h *history, home <-chan struct{}) {
	for n := 0; ; {
		select {
		case <-home:
			return
		default:
		}
		var keys []string
		var events []object
		for range 1 + rand.IntN(5) {
			key := fmt.Sprintf("%s-%08d", name, n)
			n++
			keys = append(keys, key)
			events = append(events, object{
				"idempotency_key": key, "event_name": "call", "external_customer_id": "acme", "timestamp": stamp, "properties": object{"n": 1},
			})
		}
		c.must(http.MethodPost, "/v1/ingest", object{"events": events}, "")
		h.tell(func(h *history) { h.events = append(h.events, keys...) })
	}
}

// advance moves the clock on, some days at a time.
func (c client) advance(from time.Time, h *history, home <-chan struct{}) {
	for at := from; ; at = at.Add(time.Duration(6+rand.IntN(72)) * time.Hour) {
		select {
		case <-home:
			return
		default:
		}
		now := at.Format(time.RFC3339)
		c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": now}, "")
		h.tell(func(h *history) { h.clock = now })
	}
}

// most is how many subscriptions are added at most; an account allows a customer
// a hundred.
const most = 50

// subscribe adds subscriptions that began in the past, one after the other.
func (c client) subscribe(subscription object, h *history, home <-chan struct{}) {
	for n := range most {
		c.must(http.MethodPost, "/v1/subscriptions", subscription, fmt.Sprintf("subscription %d", n))
		h.tell(func(h *history) { h.subs++ })
		select {
		case <-home:
			return
		case <-time.After(time.Second):
		}
	}
}

// crowd runs clients side by side until it is sent home.
type crowd struct {
	home chan struct{}
	all  sync.WaitGroup
}

func newCrowd() *crowd { return &crowd{home: make(chan struct{})} }

func (c *crowd) add(work func(home <-chan struct{})) {
	c.all.Go(func() {
		defer GinkgoRecover()
		work(c.home)
	})
}

// sendHome waits until every client has its last answer.
func (c *crowd) sendHome() {
	close(c.home)
	c.all.Wait()
}
