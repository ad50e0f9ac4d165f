package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// readyAgainWithin is how long a server may be without its database.
const readyAgainWithin = 15 * time.Second

var _ = Describe("Serving on a private PostgreSQL", func() {
	It("is ready again by itself when the postmaster was killed", func() {
		dir, err := os.MkdirTemp("", "tkm-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		ctx, stop := context.WithCancel(context.Background())
		DeferCleanup(stop)
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(ctx, []string{"serve"}, out) }()
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`/v1/ping`))
		text := string(out.Contents())
		key := regexp.MustCompile(`tk_test_\w{43}`).FindString(text)
		address := regexp.MustCompile(`http://\S+/v1/ping`).FindString(text)
		Expect(ping(address, key)).To(Equal(http.StatusOK))

		pid, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
		Expect(err).NotTo(HaveOccurred())
		master, err := strconv.Atoi(strings.Split(string(pid), "\n")[0])
		Expect(err).NotTo(HaveOccurred())
		process, err := os.FindProcess(master)
		Expect(err).NotTo(HaveOccurred())
		Expect(process.Kill()).To(Succeed())
		metrics := func() string {
			response, err := http.Get(strings.Replace(address, "/v1/ping", "/metrics", 1))
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = response.Body.Close() }()
			all, err := io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			return string(all)
		}
		Eventually(metrics).WithTimeout(readyAgainWithin).Should(ContainSubstring("tollkeeper_postgres_restarts_total 1"))
		Eventually(ping).WithArguments(strings.Replace(address, "/v1/ping", "/readyz", 1), key).WithTimeout(readyAgainWithin).Should(Equal(http.StatusOK))
		Expect(ping(address, key)).To(Equal(http.StatusOK))
		stop()
		Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
	})
})
