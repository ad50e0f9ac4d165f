package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
)

// matrix are the major versions of PostgreSQL that these specs run on: the oldest and the
// newest, or those that POSTGRES_VERSIONS lists.
func matrix() (majors []int) {
	if list := os.Getenv("POSTGRES_VERSIONS"); list != "" {
		for _, text := range strings.Split(list, ",") {
			major, err := strconv.Atoi(text)
			if err != nil {
				panic("POSTGRES_VERSIONS: " + err.Error())
			}
			majors = append(majors, major)
		}
		return majors
	}
	all := cluster.Fetchable()
	return []int{all[0], slices.Max(all)}
}

var _ = Describe("Owners that are no superusers", func() {
	for _, major := range matrix() {
		It(fmt.Sprintf("serve and bill on PostgreSQL %d, with and without the right to make roles, two in one cluster", major), func() {
			c := roleCluster(major)
			for _, right := range []string{"CREATEROLE", "NOCREATEROLE"} {
				database := owner(c, "owner_"+strings.ToLower(right), right)
				set("TOLLKEEPER_DATABASE_URL", database)
				printed := new(bytes.Buffer)
				Expect(run(context.Background(), []string{"migrate", "--print-roles"}, printed)).To(Succeed())
				Expect(strings.Count(printed.String(), "CREATE ROLE ")).To(Equal(3))
				if right == "NOCREATEROLE" {
					Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(MatchError(ContainSubstring("migrate --print-roles")))
					administer(c, printed.String())
				}
				s := serveDatabase(database, drillKey)
				s.sell()
				s.call("POST", "/ingest", portion(1))
				s.call("POST", "/ingest", portion(1))
				s.call("POST", "/ingest", portion(2))
				s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
				Expect(s.bills()).To(ContainElement(ContainSubstring("Calls 100 1.00")))
				s.verified()
				printed.Reset()
				Expect(run(context.Background(), []string{"migrate", "--print-roles"}, printed)).To(Succeed())
				Expect(printed.String()).To(Equal("-- no role or right is missing\n"))
				s.stop()
			}
		})
	}
})

// administer runs statements as the superuser.
func administer(c *cluster.Cluster, statements string) {
	GinkgoHelper()
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, c.URL("postgres"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(admin.Close(ctx)).To(Succeed()) }()
	_, err = admin.Exec(ctx, statements)
	Expect(err).NotTo(HaveOccurred(), statements)
}
