//go:build unix

package cluster_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
)

var _ = Describe("A private PostgreSQL", func() {
	var dir string

	BeforeEach(func() {
		var err error
		dir, err = os.MkdirTemp("", "tkc-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
	})

	start := func() *cluster.Cluster {
		GinkgoHelper()
		c, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Log: GinkgoWriter})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Stop) // the second time does nothing
		return c
	}
	query := func(c *cluster.Cluster, sql string) (text string) {
		GinkgoHelper()
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = conn.Close(ctx) }()
		row := conn.QueryRow(ctx, sql)
		if err := row.Scan(&text); err != nil {
			Expect(err).To(MatchError(pgx.ErrNoRows))
		}
		return text
	}
	running := func() bool {
		_, err := os.Stat(filepath.Join(dir, "postgres", "postmaster.pid"))
		return err == nil
	}

	It("keeps its rows over a stop", func() {
		c := start()
		query(c, "CREATE TABLE kept AS SELECT 'here' AS word")
		Expect(c.Stop()).To(Succeed())
		Expect(running()).To(BeFalse())
		Expect(query(start(), "SELECT word FROM kept")).To(Equal("here"))
	})

	It("keeps its rows when it is killed", func() {
		c := start()
		query(c, "CREATE TABLE kept AS SELECT 'here' AS word")
		Expect(c.Kill()).To(Succeed())
		_, err := pgx.Connect(context.Background(), c.URL("postgres"))
		Expect(err).To(HaveOccurred())
		Expect(query(start(), "SELECT word FROM kept")).To(Equal("here"))
	})

	It("is joined by a second start, and stopped by the last to leave", func() {
		first, second := start(), start()
		pid := "SELECT pg_postmaster_start_time()::text"
		Expect(query(second, pid)).To(Equal(query(first, pid)))
		Expect(first.Stop()).To(Succeed())
		Expect(query(second, "SELECT 'alive'")).To(Equal("alive"))
		Expect(second.Stop()).To(Succeed())
		Expect(running()).To(BeFalse())
	})

	It("makes a database once", func(ctx SpecContext) {
		c := start()
		Expect(c.CreateDatabase(ctx, "one")).To(Succeed())
		Expect(c.CreateDatabase(ctx, "one")).To(Succeed())
	})

	It("listens on no network, and keeps what it says it kept", func() {
		c := start()
		Expect(query(c, "SHOW listen_addresses")).To(BeEmpty())
		for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
			Expect(query(c, "SHOW "+setting)).To(Equal("on"), setting)
		}
		Expect(query(c, "SELECT (setting = CASE WHEN 'zstd' = ANY (enumvals) THEN 'zstd' ELSE 'pglz' END)::text FROM pg_settings WHERE name = 'wal_compression'")).
			To(Equal("true"))
		info, err := os.Stat(filepath.Join(dir, "postgres"))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o700)))
	})

	It("puts its socket elsewhere when the path is too long for one", func() {
		short := dir
		dir = filepath.Join(dir, strings.Repeat("long/", 30))
		Expect(os.Chmod(short, 0o711)).To(Succeed()) // for the user that replaces root
		Expect(os.MkdirAll(dir, 0o711)).To(Succeed())
		c := start()
		Expect(query(c, "SELECT 'reached'")).To(Equal("reached"))
		socket := query(c, "SHOW unix_socket_directories")
		Expect(socket).NotTo(HavePrefix(short))
		Expect(query(start(), "SELECT 'joined'")).To(Equal("joined"))
		Expect(c.Kill()).To(Succeed())
		Expect(socket).NotTo(BeADirectory())
	})

	DescribeTable("leaves a directory that it cannot run as it is",
		func(version, reason string) {
			data := filepath.Join(dir, "postgres")
			Expect(os.Mkdir(data, 0o700)).To(Succeed())
			if version != "" {
				Expect(os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(version), 0o600)).To(Succeed())
			}
			before, err := os.ReadDir(data)
			Expect(err).NotTo(HaveOccurred())
			_, err = cluster.Start(context.Background(), cluster.Options{Dir: dir})
			Expect(err).To(MatchError(ContainSubstring(reason)))
			_, err = cluster.Running(context.Background(), dir)
			Expect(err).To(MatchError(ContainSubstring(reason)), "not that it could be started")
			Expect(os.ReadDir(data)).To(HaveLen(len(before)))
		},
		Entry("made by a version that is too old", "14\n", "was made by PostgreSQL 14"),
		Entry("made by an unknown version", "fifteen\n", "unknown version"),
		Entry("with no cluster in it", "", "no data directory of PostgreSQL"),
	)

	It("goes with the process that started it to throw it away", func() {
		process := exec.Command(os.Args[0])
		process.Env = append(os.Environ(), victim+"="+dir)
		out, err := process.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(process.Start()).To(Succeed())
		Expect(bufio.NewReader(out).ReadString('\n')).To(Equal("ready\n"))
		Expect(running()).To(BeTrue())
		Expect(process.Process.Kill()).To(Succeed())
		Expect(process.Wait()).To(MatchError(ContainSubstring("killed")))
		Eventually(dir).WithTimeout(10 * time.Second).ShouldNot(BeADirectory())
	})
})
