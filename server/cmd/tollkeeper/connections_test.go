package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// limitedRole is the login of a server that may have few connections.
const limitedRole = "few"

// A role with a limit of connections is how an operator shares a PostgreSQL.
var _ = Describe("A role that may have few connections", Ordered, func() {
	const key = "tk_test_key_of_a_few_connections"
	var url string
	BeforeAll(func() {
		dir, err := os.MkdirTemp("", "tkl-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		c, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Log: GinkgoWriter})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Stop)
		Expect(c.CreateDatabase(context.Background(), "billing")).To(Succeed())
		admin, err := pgx.Connect(context.Background(), c.URL("billing"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(admin.Close, context.Background())
		_, err = admin.Exec(context.Background(), "CREATE ROLE "+limitedRole+" LOGIN CREATEROLE; ALTER DATABASE billing OWNER TO "+limitedRole)
		Expect(err).NotTo(HaveOccurred())
		url = c.URLAs(limitedRole, "billing")
		_, err = store.Migrate(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
	})

	limit := func(connections int) {
		GinkgoHelper()
		admin, err := pgx.Connect(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = admin.Close(context.Background()) }()
		_, err = admin.Exec(context.Background(), fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT %d", limitedRole, connections))
		Expect(err).NotTo(HaveOccurred())
	}

	// serve starts a server of five connections, and returns its address.
	serve := func() (address string, stop func()) {
		GinkgoHelper()
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		program := filepath.Join(GinkgoT().TempDir(), itself)
		Expect(os.Symlink(test, program)).To(Succeed())
		command := exec.Command(program, "serve")
		command.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+url, "TOLLKEEPER_ADDR=127.0.0.1:0", "TOLLKEEPER_API_KEY="+key, "TOLLKEEPER_CONNECTIONS=5")
		out := gbytes.NewBuffer()
		command.Stdout, command.Stderr = io.MultiWriter(out, GinkgoWriter), GinkgoWriter
		Expect(command.Start()).To(Succeed())
		stop = sync.OnceFunc(func() {
			_ = command.Process.Signal(os.Interrupt)
			_ = command.Wait()
		})
		DeferCleanup(stop)
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`/v1/ping`))
		address, _, _ = strings.Cut(strings.SplitN(string(out.Contents()), "answers at ", 2)[1], " ")
		return address, stop
	}

	// ask sends so many requests at once, some of which change something, and counts the answers by status.
	ask := func(address string, requests int) map[int]int {
		var all sync.WaitGroup
		var mu sync.Mutex
		statuses := map[int]int{}
		for k := range requests {
			all.Go(func() {
				method, path, body := http.MethodGet, "/v1/customers", io.Reader(nil)
				if k%2 == 0 {
					method, path, body = http.MethodPost, "/v1/items", strings.NewReader(`{"name": "Calls"}`)
				}
				request, err := http.NewRequest(method, address+path, body)
				if err == nil {
					request.Header.Set("Authorization", "Bearer "+key)
					request.Header.Set("Content-Type", "application/json")
				}
				status := 0
				if response, err := http.DefaultClient.Do(request); err == nil {
					status = response.StatusCode
					_ = response.Body.Close()
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		all.Wait()
		return statuses
	}

	It("has room for all requests, which wait for the connections that there are", func() {
		limit(5)
		address, _ := serve()
		Expect(ask(address, 60)).To(Equal(map[int]int{200: 30, 201: 30}))
	})

	It("has room for another server beside the first, as in an update", func() {
		limit(10)
		first, stop := serve()
		second, _ := serve()
		both := make(chan map[int]int)
		go func() { both <- ask(first, 60) }()
		Expect(ask(second, 60)).To(Equal(map[int]int{200: 30, 201: 30}))
		Expect(<-both).To(Equal(map[int]int{200: 30, 201: 30}))
		stop()
	})

	It("lets a server wait for the connections of one that is about to end", func() {
		limit(5)
		first, stop := serve()
		Expect(ask(first, 20)).To(Equal(map[int]int{200: 10, 201: 10}))
		time.AfterFunc(2*time.Second, stop)
		second, _ := serve()
		Expect(ask(second, 60)).To(Equal(map[int]int{200: 30, 201: 30}))
	})
})
