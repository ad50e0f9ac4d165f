package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// readersVariable sets how long the readers of the spec below hold their locks. A request gives up
// after ten seconds, so less shows nothing.
const readersVariable = "SPEC_READERS"

func readersHold() time.Duration {
	GinkgoHelper()
	text := os.Getenv(readersVariable)
	if text == "" {
		return 12 * time.Second
	}
	long, err := time.ParseDuration(text)
	Expect(err).NotTo(HaveOccurred(), readersVariable)
	return long
}

// newerFiles are the migrations of a version to come, which changes tables that every request needs.
func newerFiles() fs.FS {
	GinkgoHelper()
	files := fstest.MapFS{"migrations/9999_planted.sql": &fstest.MapFile{Data: []byte(`-- +goose Up
		ALTER TABLE accounts ADD COLUMN planted text;
		ALTER TABLE customers ADD COLUMN planted text;
		CREATE TABLE planted (account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts);
		SELECT scope_to_account('planted');`)}}
	Expect(fs.WalkDir(store.SchemaFiles(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(store.SchemaFiles(), name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})).To(Succeed())
	return files
}

// startDump starts a dump of the database with the program of the version that runs. The dump waits with
// its locks, since nothing reads what it writes, until finish is called. Where the program is not
// installed there is no dump.
func startDump(url string, conn *pgx.Conn) (finish func()) {
	GinkgoHelper()
	var bin string
	if err := conn.QueryRow(context.Background(), "SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&bin); err != nil {
		return func() {} // the owner may not ask
	}
	dump := exec.CommandContext(context.Background(), filepath.Join(bin, "pg_dump"), url)
	out, err := dump.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	dump.Stderr = GinkgoWriter
	if err := dump.Start(); errors.Is(err, fs.ErrNotExist) {
		return func() {}
	}
	Eventually(func() (locks int, err error) {
		err = conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
			WHERE application_name = 'pg_dump' AND relation = 'accounts'::regclass AND datname = current_database()`).Scan(&locks)
		return locks, err
	}).WithTimeout(time.Minute).Should(BeNumerically(">", 0))
	return func() {
		GinkgoHelper()
		_, err := io.Copy(io.Discard, out)
		Expect(err).NotTo(HaveOccurred())
		Expect(dump.Wait()).To(Succeed())
	}
}

var _ = Describe("a migration by a newer version beside this server", func() {
	It("refuses no request while a transaction and a dump read the tables, and is done after them", func() {
		a := startAlone()
		url := storetest.URL(a.store)
		hold := readersHold()
		ctx := context.Background()
		reader, err := pgx.Connect(ctx, url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(reader.Close, ctx)

		By("reading all tables from two sessions")
		finishDump := startDump(url, reader)
		tx, err := reader.Begin(ctx)
		Expect(err).NotTo(HaveOccurred())
		_, err = tx.Exec(ctx, "SELECT count(*) FROM accounts")
		Expect(err).NotTo(HaveOccurred())
		began := time.Now()

		By("migrating, while five clients send requests")
		var waited []store.LockWait
		migrated := make(chan error, 1)
		go func() {
			_, err := store.Migration{Files: newerFiles(), Waiting: func(w store.LockWait) { waited = append(waited, w) }}.Apply(ctx, url)
			migrated <- err
		}()
		stop := make(chan struct{})
		var clients sync.WaitGroup
		var slowest [5]time.Duration
		for client := range slowest {
			clients.Go(func() {
				defer GinkgoRecover()
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					name := fmt.Sprintf("client-%d-%d", client, n)
					sent := time.Now()
					a.post("/v1/customers", object{"name": name, "email": "a@b.test", "external_customer_id": name}).expect(http.StatusCreated)
					a.get("/v1/customers/external_customer_id/" + name).expect(http.StatusOK)
					a.post("/v1/ingest", object{"events": list{object{"event_name": "call", "external_customer_id": name, "idempotency_key": name,
						"timestamp": time.Now().UTC().Format(time.RFC3339), "properties": object{}}}}).expect(http.StatusOK)
					slowest[client] = max(slowest[client], time.Since(sent))
					time.Sleep(5 * time.Millisecond)
				}
			})
		}
		Consistently(migrated).WithTimeout(hold - time.Since(began)).ShouldNot(Receive())
		Expect(tx.Rollback(ctx)).To(Succeed())
		finishDump()
		Eventually(migrated).WithTimeout(time.Minute).Should(Receive(BeNil()))
		close(stop)
		clients.Wait()
		GinkgoWriter.Println("the slowest three requests of each client took", slowest)
		Expect(waited).NotTo(BeEmpty())
	})
})
