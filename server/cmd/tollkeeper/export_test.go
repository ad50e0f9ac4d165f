package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("tollkeeper export", func() {
	ctx := context.Background()
	var st *store.Store
	var account context.Context
	BeforeEach(func() {
		st = storetest.New()
		account = storetest.Account(st, "test")
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		Expect(st.Update(account, func(tx *store.Tx) error {
			_, err := customer.Create(tx, customer.NewCustomer{Name: "=Acme", Email: "bills@acme.test"})
			return err
		})).To(Succeed())
	})

	It("writes a report to standard output, or to a file that is there once it is complete", func() {
		var out bytes.Buffer
		Expect(run(ctx, []string{"export", "--what", "customers"}, &out)).To(Succeed())
		Expect(out.String()).To(MatchRegexp(`^customer_id,external_customer_id,name,email,.*\r\ncus_\w+,,'=Acme,bills@acme\.test,`))

		path := filepath.Join(GinkgoT().TempDir(), "customers.ndjson")
		Expect(run(ctx, []string{"export", "--what", "customers", "--format", "ndjson", "--out", path}, GinkgoWriter)).To(Succeed())
		written, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(written)).To(MatchRegexp(`^\{"customer_id":"cus_\w+","external_customer_id":null,"name":"=Acme",.*"balance":0,.*\}\n$`))
		Expect(filepath.Glob(path + "*")).To(Equal([]string{path}))
	})

	It("says what is wrong, and leaves no file", func() {
		path := filepath.Join(GinkgoT().TempDir(), "customers.csv")
		for word, args := range map[string][]string{
			"report: must be one of":  {"--what", "secrets", "--out", path},
			"to: must be a day":       {"--what", "customers", "--to", "soon", "--out", path},
			"must be one of":          {"--what", "customers", "--format", "pdf"},
			"type Account with":       {"--what", "customers", "--account", "acct_none"},
			"from: balances are":      {"--what", "balances", "--from", "2025-01-01", "--out", path},
			"no such file or directo": {"--what", "customers", "--out", filepath.Join(path, "none", "x.csv")},
		} {
			Expect(run(ctx, append([]string{"export"}, args...), GinkgoWriter)).To(MatchError(ContainSubstring(word)))
		}
		Expect(filepath.Glob(path + "*")).To(BeEmpty())
		storetest.Account(st, "test")
		Expect(run(ctx, []string{"export", "--what", "customers"}, GinkgoWriter)).To(MatchError(ContainSubstring("say which with --account")))
	})
})
