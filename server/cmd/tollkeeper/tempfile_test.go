package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"gorm.io/gorm"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
	"tollkeeper/store/storetest"
)

// nowhere is a directory that is not there.
const nowhere = "/nonexistent"

// manyCalls is a request with so many events of now.
func manyCalls(n int) string {
	var body strings.Builder
	at := time.Now().UTC().Format(time.RFC3339)
	for i := range n {
		_, _ = fmt.Fprintf(&body, `,{"event_name":"call","external_customer_id":"acme","idempotency_key":"k%06d","timestamp":"%s","properties":{"n":%d}}`, i, at, i)
	}
	return `{"events":[` + body.String()[1:] + `]}`
}

// shortDir is a directory in which a private PostgreSQL has its socket too.
func shortDir() string {
	GinkgoHelper()
	dir, err := os.MkdirTemp("", "tkt-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	return dir
}

// refusedAs sends events that are refused, and returns the problem.
func (s served) refusedAs(status int, body string) (problem map[string]any, header http.Header) {
	GinkgoHelper()
	request, err := http.NewRequest(http.MethodPost, s.address+"/ingest", strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	Expect(response.StatusCode).To(Equal(status), string(text))
	Expect(json.Unmarshal(text, &problem)).To(Succeed())
	return problem, response.Header
}

var _ = Describe("The place for temporary files", func() {
	ctx := context.Background()

	It("is in the data directory where the system has none, and a large request is stored", func() {
		dir := shortDir()
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TMPDIR", nowhere)
		s := serveDatabase("", drillKey)
		s.call("POST", "/ingest", manyCalls(60_000))
		Expect(os.ReadDir(filepath.Join(dir, "tmp"))).To(BeEmpty())
		Expect(doctored()).To(MatchRegexp(`temporary files\s+in %s/tmp, at most \d+ MB; .*; the system's place cannot be used: stat %s`, regexp.QuoteMeta(dir), nowhere))
	})

	It("is refused by name where it cannot be written, before anything is started", func() {
		dir := GinkgoT().TempDir()
		file := filepath.Join(dir, "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", filepath.Join(dir, "data"))
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		for place, words := range map[string]string{
			nowhere: "TOLLKEEPER_TEMP_DIR: must be a directory that is there: stat " + nowhere,
			file:    "TOLLKEEPER_TEMP_DIR: must be a directory that can be written: " + file + ": is no directory",
		} {
			set("TOLLKEEPER_TEMP_DIR", place)
			for _, command := range [][]string{{"serve"}, {"export", "--what", "customers", "--format", "xlsx"}} {
				Expect(run(ctx, command, GinkgoWriter)).To(MatchError(ContainSubstring(words)))
			}
			out := new(bytes.Buffer)
			Expect(run(ctx, []string{"doctor"}, out)).NotTo(Succeed())
			Expect(out.String()).To(MatchRegexp(`temporary files\s+WRONG: TOLLKEEPER_TEMP_DIR: must be`))
		}
		Expect(filepath.Join(dir, "data")).NotTo(BeADirectory())
	})

	It("leaves room on its file system, or says what to set", func() {
		dir := GinkgoT().TempDir()
		const more = 1 << 30 // megabytes than any machine has
		_, err := environment{TempDir: dir, TempFreeMB: more}.temporary(slog.New(slog.DiscardHandler))
		Expect(err).To(MatchError(MatchRegexp(`^TOLLKEEPER_TEMP_FREE_MB: must be less than the \d+ MB that the file system of .* has`)))
		Expect(examineTemp(environment{TempDir: dir, TempFreeMB: more}).Wrong).To(BeTrue())
		place, err := environment{TempDir: dir, TempFreeMB: 5}.temporary(slog.New(slog.DiscardHandler))
		Expect(err).NotTo(HaveOccurred())
		Expect(place.Free()).To(BeEquivalentTo(5 << 20))
		Expect(examineTemp(environment{TempDir: dir, TempFreeMB: 5}).Found).To(ContainSubstring("of which 5 MB stay free"))
	})

	It("must be set where neither the system's nor the data directory can be written", func() {
		file := filepath.Join(GinkgoT().TempDir(), "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		set("TMPDIR", nowhere)
		_, err := environment{DataDir: filepath.Join(file, "data")}.temporary(slog.New(slog.DiscardHandler))
		Expect(err).To(MatchError(And(HavePrefix("TOLLKEEPER_TEMP_DIR: must be set to a directory for temporary files that can be written"),
			ContainSubstring(nowhere), ContainSubstring(file))))
		Expect(examineTemp(environment{DataDir: filepath.Join(file, "data")}).Wrong).To(BeTrue())
	})

	It("bounds a workbook at the command line, and commands that need no temporary file go on", func() {
		st := storetest.New()
		account := storetest.Account(st, "test")
		dir, files := GinkgoT().TempDir(), GinkgoT().TempDir()
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		set("TOLLKEEPER_TEMP_DIR", dir)
		set("TOLLKEEPER_TEMP_MB", "1")
		Expect(st.Update(account, func(tx *store.Tx) error {
			_, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"})
			return err
		})).To(Succeed())
		Expect(st.AsOwner(ctx, func(db *gorm.DB) error {
			return db.Exec(`INSERT INTO customers (account_id, id, created_at, name, email, timezone, auto_collection, email_delivery, invoice_prefix)
				SELECT account_id, id || g, created_at, repeat('long name ', 50), email, timezone, auto_collection, email_delivery,
					translate(lpad(g::text, 6, '0'), '0123456789', 'ABCDEFGHIJ')
				FROM customers, generate_series(1, 40000) AS g`).Error
		})).To(Succeed())
		path := filepath.Join(files, "customers.xlsx")
		Expect(run(ctx, []string{"export", "--what", "customers", "--format", "xlsx", "--out", path}, GinkgoWriter)).
			To(MatchError(ContainSubstring("needs more than the 1 MB that there are for temporary files; export as csv or ndjson")))
		Expect(filepath.Glob(path + "*")).To(BeEmpty())
		Expect(os.ReadDir(dir)).To(BeEmpty())
		Expect(run(ctx, []string{"export", "--what", "customers", "--out", filepath.Join(files, "customers.csv")}, GinkgoWriter)).To(Succeed())

		events := filepath.Join(files, "events.csv")
		lines := "idempotency_key,event_name,timestamp,external_customer_id\n"
		for i := range 12_000 {
			lines += fmt.Sprintf("k%d,call,%s,acme\n", i, time.Now().UTC().Format(time.RFC3339))
		}
		Expect(os.WriteFile(events, []byte(lines), 0o600)).To(Succeed())
		out := new(bytes.Buffer)
		Expect(run(ctx, []string{"import", "events", events}, out)).To(Succeed())
		Expect(out.String()).To(Equal("12000 events: 12000 stored, 0 known already, 0 rejected\n"))
		set("TOLLKEEPER_TEMP_MB", "")
		Expect(run(ctx, []string{"export", "--what", "customers", "--format", "xlsx", "--out", path}, GinkgoWriter)).To(Succeed())
		Expect(path).To(BeAnExistingFile())
		Expect(os.ReadDir(dir)).To(BeEmpty())
	})

	It("is a small file system that others fill: requests are refused for now, nothing is lost, and all else goes on", func() {
		dir := shortDir()
		c, err := cluster.Start(ctx, cluster.Options{Dir: dir, Log: GinkgoWriter})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Stop)
		Expect(c.CreateDatabase(ctx, privateDatabase)).To(Succeed())
		place := shortDir()
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		program := filepath.Join(dir, itself)
		Expect(os.Symlink(test, program)).To(Succeed())
		s, process := serveMounted(program, place, 10, append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+c.URL(privateDatabase), "TOLLKEEPER_TEMP_DIR="+place, "TOLLKEEPER_TEMP_MB=100"))

		By("refusing a request that is larger than half of the whole file system, without what stays free there, whatever the bound is")
		problem, header := s.refusedAs(http.StatusRequestEntityTooLarge, manyCalls(100_000))
		Expect(problem["detail"]).To(ContainSubstring("needs more than the 4 MB that this server has for temporary files"))
		Expect(header).NotTo(HaveKey("Retry-After"))

		By("refusing one for now that the file system has no room for, at present")
		others := fmt.Sprintf("/proc/%d/root%s/others", process, place)
		Expect(os.WriteFile(others, make([]byte, 17<<19), 0o600)).To(Succeed())
		problem, header = s.refusedAs(http.StatusServiceUnavailable, manyCalls(30_000))
		Expect(problem["title"]).To(Equal("There is no room for temporary files."))
		Expect(problem["detail"]).NotTo(ContainSubstring("database"))
		Expect(header.Get("Retry-After")).To(Equal("5"))
		s.call("GET", "/customers", "")
		s.call("POST", "/ingest", manyCalls(10_000))

		By("storing it once there is room")
		Expect(os.Remove(others)).To(Succeed())
		s.call("POST", "/ingest", manyCalls(30_000))
		Expect(os.ReadDir(filepath.Dir(others))).To(BeEmpty())
	})
})

// serveMounted is a server, as a process of its own, whose place for temporary files is a file system in memory of so
// many megabytes. Only the server sees it.
func serveMounted(program, place string, megabytes int, environ []string) (s served, pid int) {
	GinkgoHelper()
	unshare := []string{"--mount"}
	if os.Getuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	if text, err := exec.Command("unshare", append(unshare, "mount", "-t", "tmpfs", "none", place)...).CombinedOutput(); err != nil {
		Skip(fmt.Sprintf("no file system can be mounted here: %v %s", err, text))
	}
	script := `mount -t tmpfs -o "size=$1m" none "$2" && exec "$3" serve`
	process := exec.Command("unshare", append(unshare, "sh", "-c", script, "sh", fmt.Sprint(megabytes), place, program)...)
	process.Env = append(environ, "TOLLKEEPER_ADDR=127.0.0.1:0", "TOLLKEEPER_API_KEY="+drillKey)
	out := gbytes.NewBuffer()
	process.Stdout, process.Stderr = out, GinkgoWriter
	Expect(process.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(process.Process.Signal(syscall.SIGTERM)).To(Succeed())
		Expect(process.Wait()).To(Succeed())
	})
	Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`http://\S+/v1/ping`))
	return served{key: drillKey, address: regexp.MustCompile(`http://[^/\s]+/v1`).FindString(string(out.Contents()))}, process.Process.Pid
}
