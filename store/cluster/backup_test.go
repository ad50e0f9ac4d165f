//go:build unix

package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
)

var _ = Describe("A backup of a private PostgreSQL", func() {
	var (
		dir, backups string
		conn         *pgx.Conn
		c            *cluster.Cluster
	)
	temporary := func() string {
		GinkgoHelper()
		made, err := os.MkdirTemp("", "tkb-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, made)
		return made
	}
	open := func(opts cluster.Options) (*cluster.Cluster, *pgx.Conn) {
		GinkgoHelper()
		opts.Log = GinkgoWriter
		c, err := cluster.Start(context.Background(), opts)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Stop)
		conn, err := pgx.Connect(context.Background(), c.URL("postgres"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, context.Background())
		return c, conn
	}
	insert := func(word string) (at time.Time) {
		GinkgoHelper()
		_, err := conn.Exec(context.Background(), "INSERT INTO words VALUES ($1)", word)
		Expect(err).NotTo(HaveOccurred())
		Expect(conn.QueryRow(context.Background(), "SELECT clock_timestamp()").Scan(&at)).To(Succeed())
		return at
	}
	words := func(from *pgx.Conn) (found []string) {
		GinkgoHelper()
		rows, err := from.Query(context.Background(), "SELECT word FROM words ORDER BY word")
		Expect(err).NotTo(HaveOccurred())
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		Expect(err).NotTo(HaveOccurred())
		return found
	}
	backup := func(keep int) cluster.Backup {
		GinkgoHelper()
		made, err := c.Backup(context.Background(), keep)
		Expect(err).NotTo(HaveOccurred())
		return made
	}

	BeforeEach(func() {
		dir, backups = temporary(), filepath.Join(temporary(), "it's 100% of them [*]")
		c, conn = open(cluster.Options{Dir: dir, Backups: backups})
		_, err := conn.Exec(context.Background(), "CREATE TABLE words (word text)")
		Expect(err).NotTo(HaveOccurred())
	})

	It("restores any instant after it, and the end, into another directory", func() {
		insert("a")
		backup(0)
		until := insert("b")
		insert("c")
		Expect(conn.Close(context.Background())).To(Succeed())
		Expect(c.Stop()).To(Succeed()) // archives what is left

		for _, to := range []time.Time{until, {}} {
			there := cluster.Options{Dir: temporary(), Backups: backups, Log: GinkgoWriter}
			_, err := cluster.Restore(context.Background(), there, "", to)
			Expect(err).NotTo(HaveOccurred())
			Expect(filepath.Join(there.Dir, "postgres", "postmaster.pid")).NotTo(BeAnExistingFile())
			there.Backups = ""
			_, restored := open(there)
			want := []string{"a", "b", "c"}
			if !to.IsZero() {
				want = want[:2]
			}
			Expect(words(restored)).To(Equal(want))
			_, err = restored.Exec(context.Background(), "INSERT INTO words VALUES ('d')")
			Expect(err).NotTo(HaveOccurred())

			By("leaving a database that is there alone")
			_, err = cluster.Restore(context.Background(), there, "", to)
			Expect(err).To(HaveOccurred())
		}
	})

	It("of a restored copy lies apart, and is restored by its own number", func() {
		backup(0)
		insert("a")
		Expect(c.Stop()).To(Succeed())
		copied := cluster.Options{Dir: temporary(), Backups: backups}
		first, err := cluster.Restore(context.Background(), copied, "", time.Time{})
		Expect(err).NotTo(HaveOccurred())
		c, conn = open(copied)
		insert("b")
		second := backup(0)
		Expect(second.Of).NotTo(Equal(first.Of))
		insert("c")
		Expect(c.Stop()).To(Succeed())

		again := cluster.Options{Dir: temporary(), Backups: backups}
		_, err = cluster.Restore(context.Background(), again, "", time.Time{})
		Expect(err).To(MatchError(ContainSubstring("several data directories")))
		for number, want := range map[string][]string{first.Of: {"a"}, second.Of: {"a", "b", "c"}} {
			again.Dir = temporary()
			_, err = cluster.Restore(context.Background(), again, number, time.Time{})
			Expect(err).NotTo(HaveOccurred())
			_, restored := open(cluster.Options{Dir: again.Dir})
			Expect(words(restored)).To(Equal(want))
		}
	})

	It("is kept as often as is asked for, with the log that it needs", func() {
		insert("a")
		first := backup(1)
		insert("b")
		second := backup(1)
		Expect(cluster.Backups(backups)).To(ConsistOf(second))
		log, err := os.ReadDir(filepath.Join(backups, second.Of, "wal"))
		Expect(err).NotTo(HaveOccurred())
		Expect(log).NotTo(BeEmpty())
		for _, segment := range log {
			Expect(segment.Name() >= second.FirstWAL).To(BeTrue(), segment.Name())
		}
		Expect(first.FirstWAL < second.FirstWAL).To(BeTrue())
		Expect(c.Stop()).To(Succeed())
		there := cluster.Options{Dir: temporary(), Backups: backups}
		_, err = cluster.Restore(context.Background(), there, "", time.Time{})
		Expect(err).NotTo(HaveOccurred())
		_, restored := open(cluster.Options{Dir: there.Dir})
		Expect(words(restored)).To(Equal([]string{"a", "b"}))
	})

	It("is refused where no log is kept, and restores nothing before it or after the log", func() {
		before := time.Now()
		backup(0)
		there := cluster.Options{Dir: temporary(), Backups: backups}
		_, err := cluster.Restore(context.Background(), there, "", before)
		Expect(err).To(MatchError(ContainSubstring("no backup that ended before")))
		_, err = cluster.Restore(context.Background(), there, "", time.Now().Add(time.Hour))
		Expect(err).To(MatchError(ContainSubstring("recovery ended before configured recovery target was reached")))
		Expect(filepath.Join(there.Dir, "postgres")).NotTo(BeADirectory())

		joined, _ := open(cluster.Options{Dir: dir})
		_, err = joined.Backup(context.Background(), 0)
		Expect(err).To(MatchError(cluster.ErrNoArchive))
		other, _ := open(cluster.Options{Dir: dir, Backups: temporary()})
		_, err = other.Backup(context.Background(), 0)
		Expect(err).To(MatchError(cluster.ErrNoArchive), "the server was started with another directory")
	})
})
