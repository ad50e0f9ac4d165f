package billing_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/store"
)

var errUndo = errors.New("undo")

// isRefused matches what the state of things does not allow.
func isRefused(words string) OmegaMatcher {
	return And(
		WithTransform(func(err error) bool { return fault.Is(err, fault.KindRefused) }, BeTrue()),
		MatchError(ContainSubstring(words)))
}

var _ = Describe("Issuing", func() {
	It("freezes what the draft showed, line ids included", func() {
		o := open("2025-01-15")
		id := o.customer()
		t, _ := o.subscribe(id, "2025-01-15", o.fee("100"), o.calls("unit", `{"unit_amount": "0.5"}`))
		o.call(id, "2025-01-20", "40")
		o.clock("2025-02-01T12:00:00")
		draft := o.of(t)[1]
		o.issueAll()
		issued := o.find(draft.ID)

		Expect(draft.Status).To(Equal(invoice.StatusDraft))
		Expect(issued.Status).To(Equal(invoice.StatusIssued))
		Expect(lineIDs(issued)).To(Equal(lineIDs(draft)))
		Expect(issued.Total.String()).To(Equal(draft.Total.String()))
		Expect(issued.Total.String()).To(Equal("120"))
		Expect(draft.Number).To(HaveSuffix("-DRAFT"))
		Expect(issued.Number).To(HaveSuffix("-00002"))
		Expect(issued.EligibleAt).To(BeNil())

		o.call(id, "2025-01-21", "1000") // too late
		Expect(o.find(draft.ID).Total.String()).To(Equal("120"))
	})

	DescribeTable("is final: the database refuses",
		func(statement string) {
			o := open("2025-01-01")
			o.subscribe(o.customer(), "2025-01-01", o.fee("100"))
			err := o.store.Update(o.ctx, func(tx *store.Tx) error {
				change := tx.Exec(statement, tx.AccountID)
				Expect(change.RowsAffected).To(BeZero())
				return errors.Join(change.Error, errUndo)
			})
			Expect(err).To(MatchError(ContainSubstring("is issued and cannot change")))
		},
		Entry("another total", "UPDATE invoices SET total = 1 WHERE account_id = ? AND status = 'issued'"),
		Entry("another number", "UPDATE invoices SET number = 'X-1' WHERE account_id = ? AND status = 'issued'"),
		Entry("another date", "UPDATE invoices SET invoice_date = now() WHERE account_id = ? AND status = 'issued'"),
		Entry("another memo", "UPDATE invoices SET memo = 'changed' WHERE account_id = ? AND status = 'issued'"),
		Entry("the way back to a draft", "UPDATE invoices SET status = 'draft', issued_at = NULL WHERE account_id = ? AND status = 'issued'"),
		Entry("to delete it", "DELETE FROM invoices WHERE account_id = ? AND status = 'issued'"),
		Entry("another amount of a line", "UPDATE invoice_lines SET amount = 1 WHERE account_id = ?"),
		Entry("to delete a line", "DELETE FROM invoice_lines WHERE account_id = ?"),
		Entry("another line", `INSERT INTO invoice_lines (account_id, id, created_at, invoice_id, position, price_id, name, start_at, end_at,
			quantity, subtotal, adjusted_subtotal, credits_applied, partially_invoiced_amount, amount, parts)
			SELECT account_id, 'line_more', created_at, invoice_id, 7, price_id, name, start_at, end_at, 1, 1, 1, 0, 0, 1, '[]'
			FROM invoice_lines WHERE account_id = ?`),
	)

	DescribeTable("leaves marks and metadata to change",
		func(statement string) {
			o := open("2025-01-01")
			o.subscribe(o.customer(), "2025-01-01", o.fee("100"))
			o.do(func(tx *store.Tx) error {
				change := tx.Exec(statement, tx.AccountID)
				Expect(change.RowsAffected).To(Equal(int64(1)))
				return change.Error
			})
		},
		Entry("it is paid", "UPDATE invoices SET status = 'paid', paid_at = now() WHERE account_id = ? AND status = 'issued'"),
		Entry("it is void", "UPDATE invoices SET status = 'void', voided_at = now() WHERE account_id = ? AND status = 'issued'"),
		Entry("it gets metadata", `UPDATE invoices SET metadata = '{"a": "b"}' WHERE account_id = ? AND status = 'issued'`),
	)

	It("happens once for each invoice, with numbers without holes, whoever takes part", func() {
		const buyers, months, workers = 4, 5, 6
		o := open("2025-01-01")
		ids := make([]string, buyers)
		for k := range ids {
			ids[k] = o.customer()
			o.subscribe(ids[k], "2025-01-01", o.calls("unit", `{"unit_amount": "1"}`))
		}
		o.clock("2025-06-01T12:00:00")
		o.inParallel(workers, billing.OpenNext)
		o.inParallel(workers, billing.IssueNext)
		for _, id := range ids {
			issued := o.list(invoice.Filter{CustomerID: id})
			numbers, dates := []string{}, []string{}
			for _, v := range issued {
				numbers = append(numbers, v.Number[7:])
				dates = append(dates, v.InvoiceDate.Format(time.DateOnly))
			}
			slices.Sort(numbers)
			slices.Sort(dates)
			Expect(numbers).To(Equal([]string{"00001", "00002", "00003", "00004", "00005"}))
			Expect(dates).To(Equal([]string{"2025-02-01", "2025-03-01", "2025-04-01", "2025-05-01", "2025-06-01"}))
			Expect(issued).To(HaveLen(months))
		}
	})

	It("takes a number again that was rolled back", func() {
		o := open("2025-01-01")
		id := o.customer()
		o.subscribe(id, "2025-01-01", o.fee("1"))
		o.clock("2025-02-01")
		for range 3 {
			Expect(o.store.Update(o.ctx, func(tx *store.Tx) error {
				if _, err := billing.OpenNext(tx); err != nil {
					return err
				}
				_, err := billing.IssueNext(tx)
				return errors.Join(err, errUndo)
			})).To(MatchError(errUndo))
		}
		o.issueAll()
		Expect(o.list(invoice.Filter{})[0].Number).To(HaveSuffix("-00002"))
	})

	It("pays an invoice without an amount at once", func() {
		o := open("2025-01-01")
		t, _ := o.subscribe(o.customer(), "2025-01-01", o.calls("unit", `{"unit_amount": "1"}`))
		o.clock("2025-02-01T12:00:00")
		o.issueAll()
		first := o.of(t)[0]
		Expect(first.Status).To(Equal(invoice.StatusPaid))
		Expect(*first.PaidAt).To(BeTemporally("==", instant("2025-02-01T12:00:00")))
		Expect(first.Lines).To(HaveLen(1))
	})

	It("owes nothing for a negative total, and keeps its sign", func() {
		o := open("2025-01-01")
		id := o.customer()
		t, _ := o.subscribe(id, "2025-01-01", o.calls("unit", `{"unit_amount": "1"}`))
		o.call(id, "2025-01-05", "-7")
		o.clock("2025-02-01T12:00:00")
		o.issueAll()
		first := o.of(t)[0]
		Expect(first.Total.String()).To(Equal("-7"))
		Expect(first.AmountDue.String()).To(Equal("0"))
		Expect(first.Status).To(Equal(invoice.StatusPaid))
	})
})

var _ = Describe("NextOpening and NextIssue", func() {
	next := func(o office, find func(*store.Tx, time.Time) (time.Time, bool, error), by string) (at string) {
		GinkgoHelper()
		o.do(func(tx *store.Tx) error {
			found, ok, err := find(tx, instant(by))
			if ok {
				at = found.Format("2006-01-02T15:04")
			}
			return err
		})
		return at
	}
	It("tell the instants at which work falls due, and none before", func() {
		o := open("2025-01-15")
		o.subscribe(o.customer(), "2025-01-15", o.calls("unit", `{"unit_amount": "1"}`))
		Expect(next(o, billing.NextOpening, "2025-01-31")).To(BeEmpty())
		Expect(next(o, billing.NextOpening, "2025-02-01")).To(Equal("2025-02-01T00:00"))
		Expect(next(o, billing.NextIssue, "2025-02-01T11:59:59")).To(BeEmpty())
		Expect(next(o, billing.NextIssue, "2025-02-01T12:00:00")).To(Equal("2025-02-01T12:00"))
	})
	It("follow the grace period and the buffer of the account", func() {
		o := open("2025-01-15")
		o.subscribe(o.customer(), "2025-01-15", o.calls("unit", `{"unit_amount": "1"}`))
		o.setting("grace_period_seconds", 3600)
		o.setting("issue_buffer_seconds", 1800)
		Expect(next(o, billing.NextIssue, "2025-03-01")).To(Equal("2025-02-01T01:30"))
	})
	It("never wait for fixed fees alone", func() {
		o := open("2025-01-15")
		o.subscribe(o.customer(), "2025-01-15", o.fee("1"))
		Expect(next(o, billing.NextIssue, "2025-03-01")).To(Equal("2025-02-01T00:00"))
	})
	It("leave out what is not to issue itself", func() {
		o := open("2025-01-15")
		o.subscribe(o.customer(), "2025-01-15", o.fee("1"))
		o.setting("auto_issuance", false)
		Expect(next(o, billing.NextIssue, "2025-03-01")).To(BeEmpty())
	})
})

var _ = Describe("A period", func() {
	It("is invoiced once, also where the opening is repeated", func() {
		o := open("2025-01-01")
		t, _ := o.subscribe(o.customer(), "2025-01-01", o.fee("10"))
		again := instant("2025-01-01")
		for range 3 {
			o.do(func(tx *store.Tx) error { return t.SetNextBilling(tx, &again) })
			o.clock("2025-01-02")
			o.issueAll()
		}
		Expect(told(o.of(t))).To(Equal([]string{"2025-01-01 issued: 10.00", "2025-02-01 draft: 10.00"}))
	})
	It("has one invoice by the schema itself", func() {
		o := open("2025-01-01")
		o.subscribe(o.customer(), "2025-01-01", o.fee("10"))
		err := o.store.Update(o.ctx, func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO invoices (account_id, id, created_at, customer_id, subscription_id, plan_id, source, status, currency, invoice_date, has_usage)
				SELECT account_id, 'inv_copy', created_at, customer_id, subscription_id, plan_id, source, 'draft', currency, invoice_date, has_usage
				FROM invoices WHERE account_id = ? AND status = 'issued'`, tx.AccountID).Error
		})
		Expect(store.Unique(err, "invoices_once")).To(BeTrue(), "%v", err)
	})
})

var _ = Describe("The account's setting to hide zero lines", func() {
	It("takes them out of what is shown, and back", func() {
		o := open("2025-01-01")
		t, _ := o.subscribe(o.customer(), "2025-01-01", o.fee("10"), o.calls("unit", `{"unit_amount": "1"}`))
		o.setting("hide_zero_lines", true)
		names := func(v invoice.View) (all []string) {
			for _, l := range v.Lines {
				all = append(all, l.Name)
			}
			return all
		}
		Expect(names(o.of(t)[1])).To(Equal([]string{"Fee"}))
		o.clock("2025-02-01T12:00:00")
		o.issueAll()
		Expect(names(o.of(t)[1])).To(Equal([]string{"Fee"}))
		o.setting("hide_zero_lines", false)
		Expect(names(o.of(t)[1])).To(Equal([]string{"Calls", "Fee"}))
	})
})

var _ = Describe("DeleteCustomer", func() {
	remove := func(o office, id string) error {
		return o.store.Update(o.ctx, func(tx *store.Tx) error { return billing.DeleteCustomer(tx, id) })
	}
	It("removes a customer with subscriptions and drafts", func() {
		o := open("2025-01-15")
		id := o.customer()
		o.subscribe(id, "2025-01-15", o.calls("unit", `{"unit_amount": "1"}`))
		Expect(remove(o, id)).To(Succeed())
		Expect(o.list(invoice.Filter{Statuses: []invoice.Status{invoice.StatusDraft}})).To(BeEmpty())
		o.clock("2025-06-01")
		o.issueAll()
		Expect(o.list(invoice.Filter{})).To(BeEmpty())
		Expect(fault.Is(remove(o, id), fault.KindMissing)).To(BeTrue())
	})
	It("is refused once an invoice was issued, and changes nothing then", func() {
		o := open("2025-01-15")
		id := o.customer()
		t, _ := o.subscribe(id, "2025-01-15", o.fee("31"))
		Expect(remove(o, id)).To(isRefused("issued invoices"))
		Expect(told(o.of(t))).To(Equal([]string{"2025-01-15 issued: 17.00", "2025-02-01 draft: 31.00"}))
	})
	It("does not know a customer of another account", func() {
		o, other := open("2025-01-15"), open("2025-01-15")
		Expect(fault.Is(remove(other, o.customer()), fault.KindMissing)).To(BeTrue())
	})
})

func lineIDs(v invoice.View) (ids []string) {
	for _, l := range v.Lines {
		ids = append(ids, l.ID)
	}
	return ids
}

// list reads the first page of invoices.
func (o office) list(f invoice.Filter) (views []invoice.View) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		views, _, err = invoice.List(tx, f, store.Page{Limit: 100})
		return err
	})
	return views
}

// inParallel runs a job from several sides until each finds nothing more.
func (o office) inParallel(workers int, job func(*store.Tx) (bool, error)) {
	GinkgoHelper()
	failed := make(chan error, workers)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for more := true; more; {
				err := o.store.Update(o.ctx, func(tx *store.Tx) (err error) {
					more, err = job(tx)
					return err
				})
				if err != nil {
					failed <- fmt.Errorf("at work: %w", err)
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		Expect(err).NotTo(HaveOccurred())
	}
}
