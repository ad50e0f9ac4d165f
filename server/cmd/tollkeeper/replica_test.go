package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// done is how many reads that a replica may do were done so.
func (s served) done(how string) (n int) {
	GinkgoHelper()
	var text []byte
	asked := time.Now()
	Eventually(func() time.Time { // the metrics are computed once a second
		response, err := http.Get(strings.TrimSuffix(s.address, "/v1") + "/metrics")
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		text, err = io.ReadAll(response.Body)
		Expect(err).NotTo(HaveOccurred())
		computed, err := http.ParseTime(response.Header.Get("Last-Modified"))
		Expect(err).NotTo(HaveOccurred())
		return computed
	}).WithTimeout(startWithin).Should(BeTemporally(">", asked.Truncate(time.Second)))
	found := regexp.MustCompile(`tollkeeper_replica_reads_total\{done="` + how + `"\} (\d+)`).FindSubmatch(text)
	Expect(found).NotTo(BeNil())
	n, err := strconv.Atoi(string(found[1]))
	Expect(err).NotTo(HaveOccurred())
	return n
}

// A replica and its database are started once for all that is said of them: that takes seconds.
var _ = Describe("A server with a replica", Ordered, func() {
	var primary, standby node
	var s served
	var sub string
	calls := 0
	// seen sends an event and reads it at once.
	seen := func() {
		GinkgoHelper()
		calls++
		s.call("POST", "/ingest", fmt.Sprintf(`{"events": [{"event_name": "call", "external_customer_id": "acme", "idempotency_key": "seen-%d",
			"timestamp": "2025-03-02T02:00:00Z", "properties": {}}]}`, calls))
		costs := s.call("GET", "/subscriptions/"+sub+"/costs?timeframe_start=2025-03-01&timeframe_end=2025-03-03&view_mode=cumulative", "")["data"].([]any)
		Expect(costs[len(costs)-1].(map[string]any)["total"]).To(Equal(fmt.Sprintf("%d.%02d", calls/100, calls%100)))
	}

	BeforeAll(func() {
		primary = newNode()
		Expect(primary.CreateDatabase(context.Background(), "tollkeeper")).To(Succeed())
		set("TOLLKEEPER_DATABASE_URL", primary.URL("tollkeeper"))
		Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(Succeed())
		Expect(doctored()).To(MatchRegexp(`failover\s+no standby is connected: what was answered is kept on the disk of this database alone`))
		standby = primary.standby()
		primary.followed("async")
		set("TOLLKEEPER_REPLICA_URL", standby.URL("tollkeeper"))
		s = serveDatabase(primary.URL("tollkeeper"), drillKey)
		s.sell()
		sub = s.call("GET", "/subscriptions", "")["data"].([]any)[0].(map[string]any)["id"].(string)
	})

	It("reads there what was answered before, at once", func() {
		before := s.done("replica")
		for range 20 {
			seen()
		}
		// On a machine that does other work, the standby may once be late.
		Expect(s.done("replica") - before).To(BeNumerically(">=", 10))
	})

	It("leaves reads of one record to the database", func() {
		before := s.done("replica") + s.done("behind") + s.done("away")
		s.call("GET", "/subscriptions/"+sub, "")
		Expect(s.done("replica") + s.done("behind") + s.done("away")).To(Equal(before))
	})

	It("reads in the database while the replica has not replayed", func() {
		standby.ask("SELECT pg_wal_replay_pause()")
		before, behind := s.done("replica"), s.done("behind")
		seen()
		Expect(s.done("replica")).To(Equal(before))
		Expect(s.done("behind")).To(Equal(behind + 1))
		Expect(doctored()).To(MatchRegexp(`replica\s+follows, [1-9]\d* bytes of the log behind`))
		standby.ask("SELECT pg_wal_replay_resume()")
		Eventually(func() int { seen(); return s.done("replica") }).WithTimeout(startWithin).Should(BeNumerically(">", before))
	})

	It("has a doctor that says whether answered requests survive the loss of the database", func() {
		set("TOLLKEEPER_DATABASE_URL", primary.URL("tollkeeper"))
		Expect(doctored()).To(MatchRegexp(`failover\s+what was answered is NOT kept: a standby receives it without the database waiting`))
		primary.set("synchronous_standby_names = 'standby'")
		primary.followed("sync")
		Expect(doctored()).To(MatchRegexp(`failover\s+what was answered is kept: a commit waits for a standby \(synchronous_standby_names = standby\)`))
		primary.set("synchronous_standby_names = 'another'")
		Eventually(doctored).Should(MatchRegexp(`failover\s+WRONG: synchronous_standby_names = another, but no such standby follows`))
		primary.set("synchronous_standby_names = 'standby'", "synchronous_commit = local")
		Expect(doctored()).To(MatchRegexp(`failover\s+what was answered is kept`), "settings of the command line hold over these")
		primary.set("synchronous_standby_names = ''")
		primary.followed("async")
	})

	It("has a doctor that names what is no replica of its database", func() {
		set("TOLLKEEPER_DATABASE_URL", primary.URL("tollkeeper"))
		for url, words := range map[string]string{
			primary.URL("tollkeeper"):              `WRONG: TOLLKEEPER_REPLICA_URL leads to no standby`,
			roleCluster(18).URL("postgres"):        `WRONG: TOLLKEEPER_REPLICA_URL leads to a copy of another database`,
			"postgres://postgres@/x?host=/nowhere": `WRONG: does not answer, so the database does all reads`,
		} {
			set("TOLLKEEPER_REPLICA_URL", url)
			Expect(doctored()).To(MatchRegexp(`replica\s+` + words))
		}
		set("TOLLKEEPER_DATABASE_URL", "")
		Expect(run(context.Background(), []string{"doctor"}, GinkgoWriter)).To(MatchError(ContainSubstring("TOLLKEEPER_REPLICA_URL: needs TOLLKEEPER_DATABASE_URL")))
	})

	It("reads in the database once the replica was promoted, and when it is gone", func() {
		before, away := s.done("replica"), s.done("away")
		Expect(standby.ask("SELECT pg_promote()")).To(Equal("true"))
		for range 3 {
			seen()
		}
		Expect(s.done("replica")).To(Equal(before))
		Expect(s.done("away")).To(Equal(away + 3))
		Expect(standby.Kill()).To(Succeed())
		began := time.Now()
		for range 5 {
			seen()
		}
		Expect(time.Since(began)).To(BeNumerically("<", 5*time.Second))
	})
})
