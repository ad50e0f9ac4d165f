package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("credits that the model sells", func() {
	var r *run
	var c *customer
	var b *block
	sell := func(option, invoices string) error {
		r = newRun(nil)
		s, _ := monthly("2025-03-01", priceSpec{})
		c = s.customer
		b = &block{name: "block1", from: parseDay("2025-03-10"), initial: rat("33.5"), basis: rat("0.333")}
		c.ledger("credits").blocks = []*block{b}
		made, err := decode([]byte(`{"created_invoices":` + invoices + `}`))
		Expect(err).NotTo(HaveOccurred())
		return r.sell(c, b, step{Option: option, Currency: "credits"}, made)
	}
	balance := func() string { return show(c.ledger("credits").balance(c.zone, date("2025-03-10"))) }

	It("cost the amount times the basis, and pay at once", func() {
		Expect(sell("sold", `[{"id":"a","status":"issued"}]`)).To(Succeed())
		Expect(show(c.oneOffs[0].total)).To(Equal("11.16")) // 33.5 x 0.333 = 11.1555
		Expect(c.oneOffs[0].date).To(Equal(date("2025-03-10")))
		Expect(balance()).To(Equal("33.5"))
		r.settleSale(c, c.oneOffs[0], false)
		Expect(balance()).To(Equal("0"))
	})

	It("pay only once they are paid for, where that is asked for", func() { // semantics CR-10
		Expect(sell("unpaid", `[{"id":"a","status":"issued"}]`)).To(Succeed())
		Expect(balance()).To(Equal("0"))
		r.settleSale(c, c.oneOffs[0], true)
		Expect(balance()).To(Equal("33.5"))
	})

	It("are gone where their invoice is voided instead", func() {
		Expect(sell("unpaid", `[{"id":"a","status":"issued"}]`)).To(Succeed())
		r.settleSale(c, c.oneOffs[0], false)
		Expect(balance()).To(Equal("0"))
	})

	It("pay at once where the balance paid the invoice", func() {
		Expect(sell("unpaid", `[{"id":"a","status":"paid"}]`)).To(Succeed())
		Expect(balance()).To(Equal("33.5"))
	})

	It("need one invoice", func() {
		Expect(sell("sold", `[]`)).NotTo(Succeed())
	})
})
