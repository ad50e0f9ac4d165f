package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
	"tollkeeper/store/storetest"
)

// roleCluster starts a cluster of that major version, which keeps what it confirms. It skips
// the spec where the version cannot be had without changing the machine.
func roleCluster(major int) *cluster.Cluster {
	GinkgoHelper()
	dir, err := os.MkdirTemp(storetest.Place(), "tkr-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	cache, err := filepath.Abs("../../../.data/fetched") // beside the private cluster: it does not choose from here
	Expect(err).NotTo(HaveOccurred())
	installed := slices.ContainsFunc(cluster.Find(cache), func(b cluster.Binaries) bool { return b.Major == major })
	if !installed && !slices.Contains(cluster.Fetchable(), major) {
		Skip(fmt.Sprintf("PostgreSQL %d is not installed", major))
	}
	Expect(os.MkdirAll(cache, 0o755)).To(Succeed())
	c, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Cache: cache, Major: major, Log: GinkgoWriter})
	if err != nil && !installed {
		Skip(fmt.Sprintf("PostgreSQL %d is not installed and could not be fetched: %v", major, err))
	}
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(c.Stop)
	return c
}

var _ = DescribeTable("outage A: a server whose database belongs to an owner that is no superuser",
	func(major int) {
		c := roleCluster(major)
		admin, err := pgx.Connect(context.Background(), c.URL("postgres"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(admin.Close, context.Background())
		administer := func(statements ...string) {
			GinkgoHelper()
			for _, statement := range statements {
				_, err := admin.Exec(context.Background(), statement)
				Expect(err).NotTo(HaveOccurred(), statement)
			}
		}
		owned := func(name, right string) (address string) {
			GinkgoHelper()
			administer("CREATE ROLE "+name+" LOGIN "+right, "CREATE DATABASE "+name+" OWNER "+name)
			parsed, err := url.Parse(c.URL(name))
			Expect(err).NotTo(HaveOccurred())
			parsed.User = url.User(name)
			return parsed.String()
		}
		role := func(address string) (name string) {
			GinkgoHelper()
			st, err := store.Open(context.Background(), address)
			Expect(err).NotTo(HaveOccurred())
			defer func() { Expect(st.Close()).To(Succeed()) }()
			var account string
			Expect(st.Shared(context.Background(), func(db *gorm.DB) error {
				return db.Raw("SELECT current_user, (SELECT account FROM list_accounts())").Row().Scan(&name, &account)
			})).To(Succeed())
			Expect(st.Update(store.WithAccount(context.Background(), account), func(tx *store.Tx) error {
				for other, statement := range map[string]string{
					"tollkeeper_metric":     "SELECT FROM events",
					"tollkeeper_aggregator": "DELETE FROM usage_values",
				} {
					if err := tx.As(other, func() error { return tx.Exec(statement).Error }); err != nil {
						return err
					}
				}
				return nil
			})).To(Succeed())
			return name
		}

		first, second := owned("first", "CREATEROLE"), owned("second", "CREATEROLE")
		serveOnce(first)
		Expect(role(first)).To(Equal("tollkeeper_app"))

		By("serving a second database of another owner in the same cluster")
		serveOnce(second)
		Expect(role(second)).To(Equal("tollkeeper_app_second"))

		By("serving a database that a version before migrated")
		inFirst, err := pgx.Connect(context.Background(), c.URL("first"))
		Expect(err).NotTo(HaveOccurred())
		_, err = inFirst.Exec(context.Background(), "DROP TABLE role_names")
		Expect(err).NotTo(HaveOccurred())
		Expect(inFirst.Close(context.Background())).To(Succeed())
		if major >= 16 {
			for _, name := range []string{"app", "metric", "aggregator"} { // what the creator of a role has by itself
				administer("SET ROLE first", "REVOKE SET OPTION FOR tollkeeper_"+name+" FROM first", "RESET ROLE")
			}
		}
		serveOnce(first)
		Expect(role(first)).To(Equal("tollkeeper_app"))

		By("naming what an administrator runs for an owner that may make no roles")
		third := owned("third", "NOCREATEROLE")
		err = serveAt(context.Background(), third, gbytes.NewBuffer())
		Expect(err).To(MatchError(ContainSubstring("administrator of PostgreSQL")))
		needed := regexp.MustCompile(`(?m)^(CREATE ROLE|GRANT) .*;$`).FindAllString(err.Error(), -1)
		Expect(needed).To(HaveLen(6))
		Expect(needed).To(ContainElement(HavePrefix(`GRANT tollkeeper_app_third TO "third"`)))
		administer(strings.Join(needed, "\n"))
		serveOnce(third)
		Expect(role(third)).To(Equal("tollkeeper_app_third"))
	},
	Entry("on PostgreSQL 15", 15),
	Entry("on PostgreSQL 17, where the creator of a role may grant it but not work as it", 17),
)

// serveAt serves on the database until ctx ends.
func serveAt(ctx context.Context, address string, out *gbytes.Buffer) error {
	set("TOLLKEEPER_DATABASE_URL", address)
	set("TOLLKEEPER_ADDR", "127.0.0.1:0")
	set("TOLLKEEPER_API_KEY", "")
	return run(ctx, []string{"serve"}, out)
}

// serveOnce serves on the database until it has answered.
func serveOnce(address string) {
	GinkgoHelper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	out, ended := gbytes.NewBuffer(), make(chan error, 1)
	go func() {
		defer GinkgoRecover()
		ended <- serveAt(ctx, address, out)
	}()
	Eventually(func() bool { return len(ended) > 0 || strings.Contains(string(out.Contents()), "/v1/ping") }).
		WithTimeout(startWithin).Should(BeTrue())
	Expect(ended).NotTo(Receive())
	status, err := ping(regexp.MustCompile(`http://\S+/v1/ping`).FindString(string(out.Contents())), "none")
	Expect(err).NotTo(HaveOccurred())
	Expect(status).To(Equal(http.StatusUnauthorized))
	stop()
	Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
}
