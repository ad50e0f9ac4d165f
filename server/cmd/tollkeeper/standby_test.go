package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
	"tollkeeper/store/storetest"
)

// node is a PostgreSQL that keeps what it confirms, and may be a standby of another.
type node struct {
	*cluster.Cluster
	dir string // short: a socket is in it
}

// newNode is a cluster without a database of the server yet.
func newNode() node {
	GinkgoHelper()
	dir, err := os.MkdirTemp(storetest.Place(), "tks-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	n := node{dir: dir}
	n.start()
	return n
}

// start starts what is in the directory.
func (n *node) start() {
	GinkgoHelper()
	cache, err := filepath.Abs("../../../.data/fetched")
	Expect(err).NotTo(HaveOccurred())
	n.Cluster, err = cluster.Start(context.Background(), cluster.Options{Dir: n.dir, Cache: cache, Buffers: 64 << 20, Log: GinkgoWriter})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(n.Stop)
}

// standby copies the node while it is used, and starts the copy, which follows it. It waits for
// no standby of its own, so that it can be promoted while there is none.
func (n node) standby() node {
	GinkgoHelper()
	ctx := context.Background()
	dir, err := os.MkdirTemp(storetest.Place(), "tks-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	conn, err := pgx.Connect(ctx, n.URL("postgres"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	_, err = conn.Exec(ctx, "SELECT pg_backup_start('standby', true)")
	Expect(err).NotTo(HaveOccurred())
	to := filepath.Join(dir, "postgres")
	out, err := exec.Command("cp", "-a", filepath.Join(n.dir, "postgres"), to).CombinedOutput()
	var changed *exec.ExitError // files come and go
	if err != nil {
		Expect(errors.As(err, &changed)).To(BeTrue(), string(out))
	}
	var label string
	Expect(conn.QueryRow(ctx, "SELECT labelfile FROM pg_backup_stop(false)").Scan(&label)).To(Succeed())
	for _, own := range []string{"postmaster.pid", "postmaster.opts", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"} {
		_ = os.Remove(filepath.Join(to, own))
	}
	write := func(name, text string) {
		GinkgoHelper()
		file, err := os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		Expect(err).NotTo(HaveOccurred())
		defer func() { Expect(file.Close()).To(Succeed()) }()
		_, err = file.WriteString(text)
		Expect(err).NotTo(HaveOccurred())
		info, err := os.Stat(to)
		Expect(err).NotTo(HaveOccurred())
		Expect(giveTo(file.Name(), info)).To(Succeed())
	}
	write("backup_label", label)
	write("standby.signal", "")
	write("postgresql.auto.conf", "\nprimary_conninfo = 'host="+n.socket()+" user=postgres application_name=standby'\nsynchronous_standby_names = ''\n")
	s := node{dir: dir}
	s.start()
	return s
}

// socket is the directory of the node's socket.
func (n node) socket() string {
	GinkgoHelper()
	parsed, err := url.Parse(n.URL("postgres"))
	Expect(err).NotTo(HaveOccurred())
	return parsed.Query().Get("host")
}

// set changes settings, which hold from then on.
func (n node) set(settings ...string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, n.URL("postgres"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	for _, setting := range settings {
		_, err := conn.Exec(ctx, "ALTER SYSTEM SET "+setting)
		Expect(err).NotTo(HaveOccurred(), setting)
	}
	_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	Expect(err).NotTo(HaveOccurred())
}

// ask reads one value as the superuser.
func (n node) ask(query string) (text string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, n.URL("tollkeeper"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	Expect(conn.QueryRow(ctx, "SELECT ("+query+")::text").Scan(&text)).To(Succeed())
	return text
}

// followed waits until a standby follows as that word of PostgreSQL says: async, sync.
func (n node) followed(how string) {
	GinkgoHelper()
	Eventually(n.ask).WithArguments("SELECT coalesce(max(sync_state), 'none') FROM pg_stat_replication WHERE state = 'streaming'").
		WithTimeout(startWithin).Should(Equal(how))
}

// together is a URL of whichever of two nodes takes changes.
func together(a, b node) string {
	return "postgres://postgres@/tollkeeper?host=" + a.socket() + "," + b.socket() + "&port=5432,5432&target_session_attrs=read-write"
}
