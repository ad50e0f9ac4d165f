package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
)

// printedBy runs a command, which is to succeed, and returns what it prints.
func printedBy(args ...string) string {
	GinkgoHelper()
	out := new(bytes.Buffer)
	Expect(run(context.Background(), args, out)).To(Succeed(), out.String())
	return out.String()
}

var _ = Describe("A backup under load", func() {
	const key = "tk_test_0123456789012345678901234567890123456789012"
	var dir string

	BeforeEach(func() {
		var err error
		dir, err = os.MkdirTemp("", "tkb-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_BACKUP_DIR", filepath.Join(dir, "backups"))
		set("TOLLKEEPER_DATA_DIR", filepath.Join(dir, "first"))
	})

	It("restores what was acknowledged before an instant, and the copy goes on billing", func() {
		first := serveDatabase("", key)
		first.sell()
		var sending sync.WaitGroup
		sending.Go(func() {
			defer GinkgoRecover()
			for n := range 6 {
				first.call("POST", "/ingest", portion(n))
			}
		})
		Expect(printedBy("backup", "--keep", "2")).To(ContainSubstring("PostgreSQL"))
		sending.Wait()
		first.call("POST", "/ingest", portion(6))
		until := time.Now()
		for n := 7; n < 10; n++ { // the mistake that is to be undone
			first.call("POST", "/ingest", portion(n))
		}
		first.stop() // archives the rest of the log
		Expect(printedBy("backup", "--list")).To(MatchRegexp(`^\w+ +\S+Z +PostgreSQL`))

		set("TOLLKEEPER_DATA_DIR", filepath.Join(dir, "second"))
		Expect(printedBy("restore", "--to", until.UTC().Format(time.RFC3339Nano))).To(ContainSubstring("Restored"))
		second := serveDatabase("", key)
		second.verified()
		Expect(second.bills()).To(ContainElement(ContainSubstring(" Calls 350 3.5")), "seven portions of fifty")

		By("taking again what was sent later, and what it has already, which counts once")
		for n := 5; n < 10; n++ {
			second.call("POST", "/ingest", portion(n))
		}
		second.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
		Expect(second.bills()).To(ContainElement(And(ContainSubstring("issued"), ContainSubstring(" Calls 500 5.0"))))
		second.verified()

		By("being backed up in its turn")
		Expect(printedBy("backup", "--json")).To(ContainSubstring("first_wal"))
	})

	It("is looked at by doctor, with the log", func() {
		backups := os.Getenv("TOLLKEEPER_BACKUP_DIR")
		s := serveDatabase("", key)
		Expect(printedBy("doctor")).To(MatchRegexp(`backups .* no backup that it can be applied to`))
		printedBy("backup")
		Expect(printedBy("doctor")).To(MatchRegexp(`backups +the newest is of \d{4}-`))

		set("TOLLKEEPER_BACKUP_DIR", "")
		Expect(printedBy("doctor")).To(MatchRegexp(`backups +none; to have some`))
		set("TOLLKEEPER_BACKUP_DIR", backups)

		By("losing the place of the log")
		logs, err := filepath.Glob(filepath.Join(backups, "*", "wal"))
		Expect(err).NotTo(HaveOccurred())
		Expect(logs).To(HaveLen(1))
		Expect(os.RemoveAll(logs[0])).To(Succeed())
		s.sell()
		running, err := cluster.Running(context.Background(), os.Getenv("TOLLKEEPER_DATA_DIR"))
		Expect(err).NotTo(HaveOccurred())
		var switched string
		Expect(asked(context.Background(), running.URL("postgres"), "SELECT pg_switch_wal()::text", nil, &switched)).To(Succeed())
		Expect(running.Stop()).To(Succeed())
		out := new(bytes.Buffer)
		Eventually(func() error {
			out.Reset()
			return run(context.Background(), []string{"doctor"}, out)
		}).WithTimeout(startWithin).WithPolling(time.Second).Should(MatchError(HavePrefix("wrong: 1 of ")))
		Expect(out.String()).To(MatchRegexp(`backups +WRONG: the log cannot be archived`))
		Expect(os.Mkdir(logs[0], 0o777)).To(Succeed())
		Expect(os.Chmod(logs[0], 0o777)).To(Succeed()) //nolint:gosec // PostgreSQL is another user where this is root
	})

	It("is refused with what to do", func() {
		refused := func(words string, args ...string) {
			GinkgoHelper()
			Expect(run(context.Background(), args, new(bytes.Buffer))).To(MatchError(ContainSubstring(words)))
		}
		refused("no backup that ended before", "restore")
		refused("--to: must be an instant", "restore", "--to", "yesterday")
		refused("--keep: must be at least 1", "backup", "--keep=-1")
		refused("there is no database", "backup")
		set("TOLLKEEPER_BACKUP_DIR", "")
		refused("TOLLKEEPER_BACKUP_DIR: is not set", "backup")
		set("TOLLKEEPER_DATABASE_URL", "postgres://nowhere/tollkeeper")
		refused("has its own tools", "restore")
	})
})
