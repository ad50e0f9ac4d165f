// Package storetest gives each spec its own migrated database, or one database that all specs of
// a process share.
//
// The first call in a process starts a throwaway private PostgreSQL and migrates
// a template once; each database is a copy of it. Everything, the socket included, is in
// one temporary directory, in memory where there is room. So any number of processes may run at
// once. The directory is removed when the process ends, also when it is killed.
package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/onsi/ginkgo/v2"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

const template = "template"

// throwaway is the cluster of this process, with the template in it.
type throwaway struct {
	*cluster.Cluster
	owner string // the login that the databases belong to
}

var shared = sync.OnceValues(start)

func start() (*throwaway, error) {
	ctx := context.Background()
	version, err := major()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(Place(), "tk-")
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(ctx, cluster.Options{Dir: dir, Cache: cache(version), Major: version, Log: ginkgo.GinkgoWriter, Throwaway: true})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	owner, err := databaseOwner(c)
	if err != nil {
		return nil, err
	}
	return &throwaway{c, owner}, migrate(ctx, c, owner)
}

// checkout is the data directory of the checkout that the specs run in, where
// fetched binaries are kept between runs.
func checkout() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".data")
		}
		dir = filepath.Dir(dir)
	}
	return "" // the throwaway directory
}

var (
	made atomic.Int64
	urls sync.Map // *store.Store to the URL of its database
)

// New opens a new database with all migrations and no rows. It is dropped when the spec ends, or
// when the suite does if a node for the suite called New.
func New() *store.Store {
	ginkgo.GinkgoHelper()
	c, err := shared()
	must("start a throwaway PostgreSQL", err)
	name := fmt.Sprintf("spec_%d", made.Add(1))
	st, err := open(c, name)
	must("open a copy of the template", err)
	ginkgo.DeferCleanup(func() {
		_ = st.Close() // the spec may have closed it
		urls.Delete(st)
		must("drop the copy", administer(c.Cluster, "DROP DATABASE "+name+" WITH (FORCE)"))
	})
	return st
}

// Shared returns a database for all specs of a process. Each spec uses an account of its own. That
// starts much faster than a new database.
var Shared = sync.OnceValue(func() *store.Store {
	st, err := Open()
	must("open a copy of the template", err)
	return st
})

// Open is New outside of specs, for fuzz tests. The database exists until the process ends.
func Open() (*store.Store, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return open(c, fmt.Sprintf("spec_%d", made.Add(1)))
}

// open opens a copy of the template.
func open(c *throwaway, name string) (*store.Store, error) {
	if err := administer(c.Cluster, "CREATE DATABASE "+name+" OWNER "+c.owner+" TEMPLATE "+template+" STRATEGY "+strategy); err != nil {
		return nil, err
	}
	url := c.URLAs(c.owner, name)
	st, err := store.Open(context.Background(), url)
	if err == nil {
		urls.Store(st, url)
	}
	return st, err
}

// strategy is the faster one without fsync: the template is small.
const strategy = "WAL_LOG"

func administer(c *cluster.Cluster, statement string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}

// URL returns the URL of the store's database, as its owner. Specs that start the server as a
// process use it.
func URL(st *store.Store) string {
	ginkgo.GinkgoHelper()
	url, ok := urls.Load(st)
	if !ok {
		ginkgo.Fail("this store was not made by storetest.New")
	}
	return url.(string)
}

// Account makes an account of mode "live" or "test" with every setting at its
// default, and returns a context whose transactions are that account's.
func Account(st *store.Store, mode string) context.Context {
	ginkgo.GinkgoHelper()
	id := store.NewID("acct")
	must("make an account", st.AsOwner(context.Background(), func(db *gorm.DB) error {
		return db.Exec(`INSERT INTO accounts (id, name, mode, number_prefix) VALUES (?, 'Spec', ?, 'ABCDEF')`, id, mode).Error
	}))
	return store.WithAccount(context.Background(), id)
}

// SetClock sets the clock of the context's test account to an instant. It does none of the work
// that is due by then.
func SetClock(st *store.Store, ctx context.Context, at time.Time) { //nolint:revive // read as "set st's clock in ctx"
	ginkgo.GinkgoHelper()
	must("set the clock", st.AsOwner(ctx, func(db *gorm.DB) error {
		set := db.Exec(`UPDATE accounts SET clock_now = ? WHERE id = ?`, at, store.AccountID(ctx))
		if set.Error == nil && set.RowsAffected == 0 {
			return fmt.Errorf("there is no account %q", store.AccountID(ctx))
		}
		return set.Error
	}))
}

func must(what string, err error) {
	ginkgo.GinkgoHelper()
	if err != nil {
		ginkgo.Fail(what + ": " + err.Error())
	}
}
