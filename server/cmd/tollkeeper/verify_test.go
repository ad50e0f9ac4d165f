package main

import (
	"bytes"
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("tollkeeper verify", func() {
	It("tells what is wrong, and ends with status 2 then", func() {
		st := storetest.New()
		ctx := storetest.Account(st, "test")
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		var out bytes.Buffer
		verify := func(more ...string) error {
			out.Reset()
			return run(context.Background(), append([]string{"verify"}, more...), &out)
		}
		Expect(verify()).To(Succeed())
		Expect(out.String()).To(Equal("0 invoices, 0 of them recomputed from events and prices, 0 compared with the reference model: 0 findings\n"))

		var id string
		Expect(st.Update(ctx, func(tx *store.Tx) error {
			buyer, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"})
			Expect(err).NotTo(HaveOccurred())
			id = buyer.ID
			return tx.Exec("UPDATE customers SET balance = 1 WHERE id = ?", id).Error
		})).To(Succeed())
		err := verify()
		Expect(err).To(MatchError("the books do not agree"))
		Expect(statusOf(err)).To(Equal(2))
		Expect(out.String()).To(HavePrefix(store.AccountID(ctx) + " " + id + ": the balance does not follow"))
		Expect(verify("--json")).NotTo(Succeed())
		Expect(out.String()).To(MatchJSON(`{"invoices": 0, "recomputed": 0, "referred": 0, "left_out": {}, "findings": [{
			"account": "` + store.AccountID(ctx) + `", "document": "` + id + `", "wrong": "the balance does not follow from its transactions"}]}`))
		Expect(verify("--account", "acct_other")).To(MatchError(ContainSubstring("no account acct_other")))
	})
})
