package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// failovers is how often the primary is killed; SPEC_FAILOVERS asks for another number.
func failovers() int {
	n, err := strconv.Atoi(os.Getenv("SPEC_FAILOVERS"))
	if err != nil {
		return 1
	}
	return n
}

// sender sends events until it is ended, each request until it is answered by 200, and knows
// the keys of those.
type sender struct {
	ended    chan struct{}
	all      sync.WaitGroup
	mu       sync.Mutex
	answered []string
}

// sending starts four senders.
func (s served) sending(name string) *sender {
	load := &sender{ended: make(chan struct{})}
	for k := range 4 {
		load.all.Go(func() {
			defer GinkgoRecover()
			for n := 0; ; n++ {
				key := fmt.Sprintf("%s-%d-%d", name, k, n)
				for !s.taken(key) {
					select {
					case <-load.ended:
						return
					case <-time.After(20 * time.Millisecond):
					}
				}
				load.mu.Lock()
				load.answered = append(load.answered, key)
				load.mu.Unlock()
				select {
				case <-load.ended:
					return
				default:
				}
			}
		})
	}
	return load
}

// taken sends an event once and reports whether it was answered by 200.
func (s served) taken(key string) bool {
	body := `{"events": [{"event_name": "call", "external_customer_id": "acme", "idempotency_key": "` + key + `", "timestamp": "2025-03-02T02:00:00Z", "properties": {}}]}`
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+"/ingest", strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK
}

// soFar are the keys that were answered.
func (l *sender) soFar() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.answered...)
}

// count is how many keys were answered.
func (l *sender) count() int { return len(l.soFar()) }

// end waits until each sender has its last answer.
func (l *sender) end() []string {
	close(l.ended)
	l.all.Wait()
	return l.soFar()
}

// lost are those of the keys that a node does not have.
func (n node) lost(keys []string) (lost int) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, n.URL("tollkeeper"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	Expect(conn.QueryRow(ctx, "SELECT count(*) FROM unnest($1::text[]) AS k WHERE NOT EXISTS (SELECT FROM events WHERE idempotency_key = k)", keys).Scan(&lost)).To(Succeed())
	return lost
}

// Copies of a database that really keeps what it confirms are made and started: that takes seconds.
var _ = Describe("Failover", func() {
	var primary, standby node
	BeforeEach(func() {
		primary = newNode()
		Expect(primary.CreateDatabase(context.Background(), "tollkeeper")).To(Succeed())
		set("TOLLKEEPER_DATABASE_URL", primary.URL("tollkeeper"))
		Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(Succeed())
		standby = primary.standby()
	})

	It("loses nothing that was answered where a commit waits for the standby, and the server goes on by itself", func() {
		var known []string
		var load *sender
		var s served
		for n := range failovers() {
			primary.set("synchronous_standby_names = '*'")
			primary.followed("sync")
			if n == 0 {
				s = serveDatabase(together(primary, standby), drillKey)
				s.sell()
			}
			By(fmt.Sprintf("sending events, kill %d", n+1))
			load = s.sending(fmt.Sprint("kill-", n))
			time.Sleep(time.Second)
			By("killing the primary")
			Expect(primary.Kill()).To(Succeed())
			By("promoting the standby")
			Expect(standby.ask("SELECT pg_promote()")).To(Equal("true"))
			By("going on by itself")
			before := load.soFar()
			Expect(before).NotTo(BeEmpty())
			Eventually(load.count).WithTimeout(startWithin).Should(BeNumerically(">", len(before)+20))
			By("ending the senders")
			known = append(known, load.end()...)
			By("looking for what was answered")
			Expect(standby.lost(known)).To(BeZero())
			if n+1 == failovers() {
				break
			}
			// The one that was killed is replaced in its place, which the URL names.
			By("replacing the one that was killed")
			Expect(os.RemoveAll(primary.dir + "/postgres")).To(Succeed())
			next := standby.standby()
			Expect(next.Stop()).To(Succeed())
			Expect(os.Rename(next.dir+"/postgres", primary.dir+"/postgres")).To(Succeed())
			By("starting it")
			primary.start()
			primary, standby = standby, primary
		}
		s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
		counted := standby.ask("SELECT count(*) FROM events")
		Expect(s.bills()).To(ContainElement(ContainSubstring("Calls " + counted + " ")))
		s.database = standby.URL("tollkeeper")
		s.verified()
		AddReportEntry("kills", fmt.Sprintf("%d kills, %d events answered, 0 lost", failovers(), len(known)))
	})

	It("loses what the standby had not received where no commit waits for it, and that is found out", func() {
		s := serveDatabase(together(primary, standby), drillKey)
		s.sell()
		primary.followed("async")
		standby.set("primary_conninfo = ''")
		Eventually(primary.ask).WithArguments("SELECT count(*) FROM pg_stat_replication").WithTimeout(startWithin).Should(Equal("0"))
		load := s.sending("lost")
		Eventually(load.count).WithTimeout(startWithin).ShouldNot(BeZero())
		Expect(primary.Kill()).To(Succeed())
		known := load.soFar()
		Expect(standby.ask("SELECT pg_promote()")).To(Equal("true"))
		load.end()
		Expect(standby.lost(known)).To(BeNumerically(">", 0))
		out := new(bytes.Buffer)
		set("TOLLKEEPER_DATABASE_URL", standby.URL("tollkeeper"))
		Expect(run(context.Background(), []string{"verify"}, out)).To(Succeed(), out.String())
	})
})
