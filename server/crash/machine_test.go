package crash_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

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
	binary   string
	addr     string
	settings []string // of the server, beside those that all have
	cluster  *cluster.Cluster
	server   *exec.Cmd
	finished chan struct{} // closed when the server has ended
}

// program builds the server, once for all specs.
var program = sync.OnceValue(func() string {
	path := filepath.Join(builds, "tollkeeper")
	said, err := exec.Command("go", "build", "-o", path, "tollkeeper/server/cmd/tollkeeper").CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(said))
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
	m := &machine{dir: dir, binary: program(), addr: freeAddr(), settings: settings}
	DeferCleanup(func() {
		m.killServer()
		Expect(m.cluster.Stop()).To(Succeed())
	})
	m.startDatabase()
	Expect(m.cluster.CreateDatabase(context.Background(), database)).To(Succeed())
	m.startServer()
	return m
}

func freeAddr() string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(listener.Close()).To(Succeed()) }()
	return listener.Addr().String()
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
	m.server = exec.Command(m.binary, "serve")
	m.server.Env = append(os.Environ(),
		"TOLLKEEPER_DATABASE_URL="+m.url(), "TOLLKEEPER_ADDR="+m.addr, "TOLLKEEPER_API_KEY="+firstKey,
		"TOLLKEEPER_WEBHOOK_NETWORKS=127.0.0.0/8")
	m.server.Env = append(m.server.Env, m.settings...)
	m.server.Stdout, m.server.Stderr = GinkgoWriter, GinkgoWriter
	Expect(m.server.Start()).To(Succeed())
	finished := make(chan struct{})
	m.finished = finished
	go func(server *exec.Cmd) {
		_ = server.Wait() // how it ended does not matter: it is killed
		close(finished)
	}(m.server)
	Eventually(m.ready).WithTimeout(time.Minute).WithPolling(20 * time.Millisecond).Should(BeTrue())
}

func (m *machine) ready() bool {
	response, err := http.Get("http://" + m.addr + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (m *machine) killServer() {
	_ = m.server.Process.Kill()
	<-m.finished
}

func (m *machine) killDatabase() {
	GinkgoHelper()
	Expect(m.cluster.Kill()).To(Succeed())
}

// url is that of the database, as its owner.
func (m *machine) url() string { return m.cluster.URL(database) }

// run executes a command of the command line and returns what it prints.
func (m *machine) run(args ...string) []byte {
	GinkgoHelper()
	command := exec.Command(m.binary, args...)
	command.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+m.url())
	command.Stderr = GinkgoWriter
	out, err := command.Output()
	Expect(err).NotTo(HaveOccurred())
	return out
}

// execute runs a statement as the owner of the database.
func (m *machine) execute(statement string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, m.url())
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	_, err = conn.Exec(ctx, statement)
	Expect(err).NotTo(HaveOccurred())
}
