package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/server"
	"tollkeeper/store/cluster"
)

// metric is what the server shows of that name.
func (s served) metric(name string) float64 { //nolint:forbidigo // no money
	GinkgoHelper()
	response, err := http.Get(strings.TrimSuffix(s.address, "/v1") + "/metrics")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	Expect(found).NotTo(BeNil(), name)
	value, err := strconv.ParseFloat(string(found[1]), 64) //nolint:forbidigo // no money
	Expect(err).NotTo(HaveOccurred())
	return value
}

var _ = Describe("Backups that fail for a while", func() {
	It("are in the log, once, and in the metrics, and so is that they work again", func() {
		dir, err := os.MkdirTemp("", "tkw-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		backups := filepath.Join(dir, "backups")
		set("TOLLKEEPER_BACKUP_DIR", backups)
		set("TOLLKEEPER_DATA_DIR", filepath.Join(dir, "data"))
		s := serveDatabase("", drillKey)
		s.sell()
		ctx, cancel := context.WithCancel(context.Background())
		running, err := cluster.Running(ctx, filepath.Join(dir, "data"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(running.Stop)
		said := gbytes.NewBuffer()
		var watching sync.WaitGroup
		watching.Go(func() { // as serve does, whose log is that of this process
			watchBackups(ctx, privateIn(running), backups, slog.New(slog.NewTextHandler(said, nil)), func(server.Backups) {})
		})
		DeferCleanup(watching.Wait)
		DeferCleanup(cancel)
		change := func(n int) {
			GinkgoHelper()
			s.call("POST", "/ingest", portion(n))
			var switched string
			Expect(asked(ctx, running.URL("postgres"), "SELECT pg_switch_wal()::text", nil, &switched)).To(Succeed())
		}
		patiently := func(name string, matching any) {
			GinkgoHelper()
			Eventually(s.metric).WithArguments(name).WithTimeout(2 * startWithin).WithPolling(time.Second).Should(matching.(OmegaMatcher))
		}

		By("working")
		Expect(s.metric("tollkeeper_backup_age_seconds")).To(Equal(-1.0))
		printedBy("backup")
		patiently("tollkeeper_backup_age_seconds", BeNumerically(">=", 0))
		patiently("tollkeeper_backup_log_waiting_seconds", BeZero())
		Expect(s.metric("tollkeeper_backup_log_age_seconds")).To(BeNumerically(">=", 0))
		Expect(s.metric("tollkeeper_backup_log_failures_total")).To(BeZero())
		Expect(said.Contents()).To(BeEmpty())

		By("losing the place of the log")
		logs, err := filepath.Glob(filepath.Join(backups, "*", "wal"))
		Expect(err).NotTo(HaveOccurred())
		Expect(logs).To(HaveLen(1))
		Expect(os.Rename(logs[0], logs[0]+".away")).To(Succeed())
		change(0)
		patiently("tollkeeper_backup_log_failures_total", BeNumerically(">=", 3))
		patiently("tollkeeper_backup_log_waiting_seconds", BeNumerically(">", 5))
		Eventually(said).WithTimeout(startWithin).Should(gbytes.Say("level=WARN msg=\"the log of the private PostgreSQL cannot be archived"))

		By("getting the place back")
		Expect(os.Rename(logs[0]+".away", logs[0])).To(Succeed())
		change(1)
		patiently("tollkeeper_backup_log_waiting_seconds", BeZero())
		Eventually(said).WithTimeout(startWithin).Should(gbytes.Say("level=INFO msg=\"the log of the private PostgreSQL is archived again"))
		Expect(strings.Count(string(said.Contents()), "level=WARN")).To(Equal(1))
		Expect(s.metric("tollkeeper_backup_log_failures_total")).To(BeNumerically(">=", 3))
	})
})
