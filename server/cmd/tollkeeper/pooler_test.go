package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// pooled starts pgbouncer before a database, and returns the way through it. The spec is left
// out where it is not installed.
func pooled(database, mode string) string {
	GinkgoHelper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			Skip("pgbouncer is not installed")
		}
	}
	dir, err := os.MkdirTemp("", "tkp-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	there, err := url.Parse(database)
	Expect(err).NotTo(HaveOccurred())
	ini := filepath.Join(dir, "pgbouncer.ini")
	Expect(os.WriteFile(filepath.Join(dir, "users"), []byte(`"`+there.User.Username()+`" ""`), 0o600)).To(Succeed())
	Expect(os.WriteFile(ini, fmt.Appendf(nil, `[databases]
* = host=%s port=5432
[pgbouncer]
listen_port = 6432
unix_socket_dir = %s
auth_type = trust
auth_file = %s
default_pool_size = 40
pool_mode = %s
`, there.Query().Get("host"), dir, filepath.Join(dir, "users"), mode), 0o600)).To(Succeed())
	args := []string{program, ini}
	if os.Geteuid() == 0 { // it does not run as root, and the socket of PostgreSQL is the caller's
		args = append([]string{"unshare", "--user", "--map-user=65534", "--map-group=65534"}, args...)
	}
	bouncer := exec.Command(args[0], args[1:]...)
	bouncer.Stdout, bouncer.Stderr = GinkgoWriter, GinkgoWriter
	Expect(bouncer.Start()).To(Succeed())
	DeferCleanup(func() {
		_ = bouncer.Process.Kill()
		_ = bouncer.Wait()
	})
	query := there.Query()
	query.Set("host", dir)
	query.Set("port", "6432")
	there.RawQuery = query.Encode()
	Eventually(func() error {
		conn, err := pgx.Connect(context.Background(), there.String())
		if err == nil {
			err = conn.Close(context.Background())
		}
		return err
	}).WithTimeout(startWithin).Should(Succeed())
	return there.String()
}

var _ = Describe("pgbouncer", func() {
	It("is refused in transaction mode with the setting that makes it work", func() {
		c := roleCluster(18)
		database := pooled(owner(c, "pooled", "CREATEROLE"), "transaction")
		set("TOLLKEEPER_DATABASE_URL", database)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		for _, command := range [][]string{{"serve"}, {"migrate"}, {"account", "list"}} {
			Expect(run(context.Background(), command, GinkgoWriter)).To(MatchError(ContainSubstring("set pool_mode = session")), command[0])
		}
		set("TOLLKEEPER_DATABASE_URL", c.URL("pooled"))
		Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(Succeed())
		set("TOLLKEEPER_DATABASE_URL", database)
		Expect(doctored()).To(MatchRegexp(`connection\s+WRONG: a pooler .* set pool_mode = session`))
	})

	It("serves in session mode, as it is without settings", func() {
		s := serveDatabase(pooled(owner(roleCluster(18), "pooled", "CREATEROLE"), "session"), drillKey)
		s.sell()
		s.call("POST", "/ingest", portion(1))
		s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
		Expect(s.bills()).To(ContainElement(ContainSubstring("Calls 50 0.50")))
		s.verified()
	})
})
