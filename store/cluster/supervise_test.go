//go:build unix

package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/store/cluster"
)

// upAgainWithin is how long a restart may take.
const upAgainWithin = 15 * time.Second

var _ = Describe("A supervised private PostgreSQL", func() {
	var (
		dir      string
		log      *gbytes.Buffer
		restarts atomic.Int32
	)

	BeforeEach(func() {
		var err error
		dir, err = os.MkdirTemp("", "tks-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		log = gbytes.NewBuffer()
		restarts.Store(0)
	})

	// supervised starts or joins the cluster, and supervises it until the spec ends.
	supervised := func(giveUp time.Duration) (c *cluster.Cluster, gaveUp <-chan error) {
		GinkgoHelper()
		c, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Log: log})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Stop)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- c.Supervise(ctx, cluster.Supervision{GiveUp: giveUp, Restarted: func() { restarts.Add(1) }})
			close(ended)
		}()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(upAgainWithin).Should(BeClosed())
		})
		return c, ended
	}
	ask := func(c *cluster.Cluster, sql string) (text string, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err != nil {
			return "", err
		}
		defer func() { _ = conn.Close(context.Background()) }()
		err = conn.QueryRow(ctx, sql).Scan(&text)
		return text, err
	}
	keep := func(c *cluster.Cluster) {
		GinkgoHelper()
		conn, err := pgx.Connect(context.Background(), c.URL("postgres"))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = conn.Close(context.Background()) }()
		_, err = conn.Exec(context.Background(), "CREATE TABLE kept AS SELECT 'here' AS word")
		Expect(err).NotTo(HaveOccurred())
	}
	killPostmaster := func() {
		GinkgoHelper()
		text, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
		Expect(err).NotTo(HaveOccurred())
		pid, err := strconv.Atoi(strings.Split(string(text), "\n")[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(syscall.Kill(pid, syscall.SIGKILL)).To(Succeed())
	}
	kept := "SELECT word FROM kept"

	It("is up again after its postmaster was killed, and keeps its rows", func() {
		c, _ := supervised(0)
		keep(c)
		for n := range 3 {
			killPostmaster()
			Eventually(restarts.Load).WithTimeout(upAgainWithin).Should(BeEquivalentTo(n + 1))
			Expect(ask(c, kept)).To(Equal("here"))
		}
		Expect(log).To(gbytes.Say("has ended; restarting it"))
		Expect(log).To(gbytes.Say("runs again"))
	})

	DescribeTable("is up again while a backend of the killed postmaster holds its memory",
		func(holding string, signals ...syscall.Signal) {
			c, _ := supervised(0)
			keep(c)
			conn, err := pgx.Connect(context.Background(), c.URL("postgres"))
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(conn.Close, context.Background())
			backend := int(conn.PgConn().PID())
			go func() { _, _ = conn.Exec(context.Background(), holding) }()
			Eventually(ask).WithArguments(c, "SELECT state FROM pg_stat_activity WHERE pid = "+strconv.Itoa(backend)).Should(Equal("active"))
			for _, signal := range signals {
				Expect(syscall.Kill(backend, signal)).To(Succeed())
			}
			killPostmaster()
			Eventually(restarts.Load).WithTimeout(upAgainWithin).Should(BeEquivalentTo(1))
			Expect(ask(c, kept)).To(Equal("here"))
			Expect(cluster.Runs(backend)).To(BeFalse(), "the backend")
		},
		Entry("since it computes", "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d"),
		Entry("since it is stopped", "SELECT pg_sleep(60)", syscall.SIGSTOP),
	)

	It("is restarted once for all who use it", func() {
		first, _ := supervised(0)
		second, _ := supervised(0)
		keep(first)
		killPostmaster()
		Eventually(restarts.Load).WithTimeout(upAgainWithin).Should(BeNumerically(">", 0))
		Eventually(ask).WithArguments(second, kept).WithTimeout(upAgainWithin).Should(Equal("here"))
		Expect(strings.Count(string(log.Contents()), "runs again")).To(Equal(1))
		started := "SELECT pg_postmaster_start_time()::text"
		a, err := ask(first, started)
		Expect(err).NotTo(HaveOccurred())
		Expect(ask(second, started)).To(Equal(a))
	})

	It("is tried again until what stops it is gone", func() {
		c, gaveUp := supervised(0)
		keep(c)
		control := filepath.Join(dir, "postgres", "global", "pg_control")
		Expect(os.Rename(control, control+".away")).To(Succeed())
		killPostmaster()
		Eventually(log).WithTimeout(upAgainWithin).Should(gbytes.Say("does not start, next try in 500ms"))
		Expect(os.Rename(control+".away", control)).To(Succeed())
		Eventually(restarts.Load).WithTimeout(upAgainWithin).Should(BeEquivalentTo(1))
		Expect(ask(c, kept)).To(Equal("here"))
		Expect(gaveUp).NotTo(Receive())
	})

	It("is given up when it does not start for long, with what its log says", func() {
		_, gaveUp := supervised(time.Second)
		control := filepath.Join(dir, "postgres", "global", "pg_control")
		Expect(os.Rename(control, control+".away")).To(Succeed())
		killPostmaster()
		var err error
		Eventually(gaveUp).WithTimeout(upAgainWithin).Should(Receive(&err))
		Expect(err).To(MatchError(And(ContainSubstring("could not be restarted for 1s"), ContainSubstring("pg_control"))))
		Expect(restarts.Load()).To(BeZero())
	})
})
