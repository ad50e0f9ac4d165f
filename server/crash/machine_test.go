package crash_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/scripts/rig"
	"tollkeeper/store/cluster"
)

const (
	database = "tollkeeper"
	firstKey = "tk_test_crash0000000000000000000000000000000"
)

// machine is a server process on a durable PostgreSQL of its own. Either can be
// killed and comes back at the same address.
type machine struct {
	dir      string
	settings []string // of the server, beside those that all have
	cluster  *cluster.Cluster
	server   *rig.Server
}

// program builds the server, once for all specs.
var program = sync.OnceValue(func() string {
	path := filepath.Join(builds, "tollkeeper")
	Expect(rig.Build(context.Background(), "", rig.ServerPackage, path)).To(Succeed())
	return path
})

// builds is a directory for it.
var builds string

var _ = BeforeSuite(func() {
	var err error
	builds, err = os.MkdirTemp("", "tk-build-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, builds)
})

// boot starts everything. The server has the settings too.
func boot(settings ...string) *machine {
	GinkgoHelper()
	dir, err := os.MkdirTemp("", "tk-crash-") // a short path: a socket is in it
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	Expect(os.Chmod(dir, 0o711)).To(Succeed()) // for the user that replaces root
	m := &machine{dir: dir, server: newServer(), settings: settings}
	DeferCleanup(func() {
		m.killServer()
		Expect(m.cluster.Stop()).To(Succeed())
	})
	m.startDatabase()
	Expect(m.cluster.CreateDatabase(context.Background(), database)).To(Succeed())
	m.startServer()
	return m
}

// newServer is a server that is not started.
func newServer() *rig.Server {
	GinkgoHelper()
	addr, err := rig.FreeAddr()
	Expect(err).NotTo(HaveOccurred())
	return &rig.Server{Binary: program(), Addr: addr, Log: GinkgoWriter}
}

func (m *machine) startDatabase() {
	GinkgoHelper()
	var err error
	m.cluster, err = cluster.Start(context.Background(), cluster.Options{Dir: filepath.Join(m.dir, "data"), Cache: cache(), Log: GinkgoWriter})
	Expect(err).NotTo(HaveOccurred())
}

// cache is where the checkout keeps fetched binaries of PostgreSQL.
func cache() string {
	here, err := os.Getwd()
	Expect(err).NotTo(HaveOccurred())
	return filepath.Join(here, "..", "..", ".data")
}

// startServer starts the server and waits until it answers.
func (m *machine) startServer() {
	GinkgoHelper()
	m.server.Database = m.url()
	m.server.Env = slices.Concat([]string{"TOLLKEEPER_API_KEY=" + firstKey, "TOLLKEEPER_WEBHOOK_NETWORKS=127.0.0.0/8"}, m.settings)
	Expect(m.server.StartReady(context.Background(), time.Minute)).To(Succeed())
}

func (m *machine) ready() bool { return m.server.Ready(context.Background()) }

func (m *machine) killServer() { m.server.Kill() }

func (m *machine) killDatabase() {
	GinkgoHelper()
	Expect(m.cluster.Kill()).To(Succeed())
}

// url is that of the database, as its owner.
func (m *machine) url() string { return m.cluster.URL(database) }

// run executes a command of the command line and returns what it prints.
func (m *machine) run(args ...string) []byte {
	GinkgoHelper()
	out, err := m.command().Run(context.Background(), args...)
	Expect(err).NotTo(HaveOccurred())
	return out
}

func (m *machine) command() rig.CommandLine {
	return rig.CommandLine{Binary: m.server.Binary, Database: m.url()}
}

// testAccount makes an account with a clock of its own.
func (m *machine) testAccount(name string) rig.Account {
	GinkgoHelper()
	made, err := m.command().CreateTestAccount(context.Background(), name)
	Expect(err).NotTo(HaveOccurred())
	return made
}

// execute runs a statement as the owner of the database.
func (m *machine) execute(statement string) {
	GinkgoHelper()
	Expect(rig.Execute(context.Background(), m.url(), statement)).To(Succeed())
}
