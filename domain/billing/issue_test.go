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
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/store"
)

var _ = Describe("Issuing", func() {
	It("freezes what the draft showed, line ids included", func() {
		a := open("2025-01-15")
		id := a.Customer()
		t, _ := a.subscribe(id, "2025-01-15", a.Fee("100"), a.Calls("unit", `{"unit_amount": "0.5"}`))
		a.Record(id, "2025-01-20", "40")
		a.Clock("2025-02-01T12:00:00")
		draft := a.invoices(t)[1]
		a.issueAll()
		issued := a.find(draft.ID)

		Expect(draft.Status).To(Equal(invoice.StatusDraft))
		Expect(issued.Status).To(Equal(invoice.StatusIssued))
		Expect(lineIDs(issued)).To(Equal(lineIDs(draft)))
		Expect(issued.Total.String()).To(Equal(draft.Total.String()))
		Expect(issued.Total.String()).To(Equal("120"))
		Expect(draft.Number).To(HaveSuffix("-DRAFT"))
		Expect(issued.Number).To(HaveSuffix("-00002"))
		Expect(issued.EligibleAt).To(BeNil())

		a.Record(id, "2025-01-21", "1000") // too late
		Expect(a.find(draft.ID).Total.String()).To(Equal("120"))
	})

	It("happens once for each invoice, with numbers without holes, also when several workers issue", func() {
		const buyers, months, workers = 4, 5, 6
		a := open("2025-01-01")
		ids := make([]string, buyers)
		for k := range ids {
			ids[k] = a.Customer()
			a.subscribe(ids[k], "2025-01-01", a.Calls("unit", `{"unit_amount": "1"}`))
		}
		a.Clock("2025-06-01T12:00:00")
		a.inParallel(workers, billing.OpenNext)
		a.inParallel(workers, billing.IssueNext)
		for _, id := range ids {
			issued := a.list(invoice.Filter{CustomerID: id})
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
		a := open("2025-01-01")
		id := a.Customer()
		a.subscribe(id, "2025-01-01", a.Fee("1"))
		a.Clock("2025-02-01")
		for range 3 {
			Expect(a.Try(func(tx *store.Tx) error {
				if _, err := billing.OpenNext(tx); err != nil {
					return err
				}
				_, err := billing.IssueNext(tx)
				return errors.Join(err, errUndo)
			})).To(MatchError(errUndo))
		}
		a.issueAll()
		Expect(a.list(invoice.Filter{})[0].Number).To(HaveSuffix("-00002"))
	})

})

var _ = Describe("NextOpening and NextIssue", func() {
	It("tell the instants at which work falls due, and none before", func() {
		a := open("2025-01-15")
		a.subscribe(a.Customer(), "2025-01-15", a.Calls("unit", `{"unit_amount": "1"}`))
		Expect(a.Next(billing.NextOpening, "2025-01-31")).To(BeEmpty())
		Expect(a.Next(billing.NextOpening, "2025-02-01")).To(Equal("2025-02-01T00:00"))
		Expect(a.Next(billing.NextIssue, "2025-02-01T11:59:59")).To(BeEmpty())
		Expect(a.Next(billing.NextIssue, "2025-02-01T12:00:00")).To(Equal("2025-02-01T12:00"))
	})
	It("follow the grace period and the buffer of the account", func() {
		a := open("2025-01-15")
		a.subscribe(a.Customer(), "2025-01-15", a.Calls("unit", `{"unit_amount": "1"}`))
		a.Setting("grace_period_seconds", 3600)
		a.Setting("issue_buffer_seconds", 1800)
		Expect(a.Next(billing.NextIssue, "2025-03-01")).To(Equal("2025-02-01T01:30"))
	})
	It("never wait for fixed fees alone", func() {
		a := open("2025-01-15")
		a.subscribe(a.Customer(), "2025-01-15", a.Fee("1"))
		Expect(a.Next(billing.NextIssue, "2025-03-01")).To(Equal("2025-02-01T00:00"))
	})
	It("leave out what is not to issue itself", func() {
		a := open("2025-01-15")
		a.subscribe(a.Customer(), "2025-01-15", a.Fee("1"))
		a.Setting("auto_issuance", false)
		Expect(a.Next(billing.NextIssue, "2025-03-01")).To(BeEmpty())
	})
})

var _ = Describe("A period", func() {
	It("is invoiced once, also where the opening is repeated", func() {
		a := open("2025-01-01")
		t, _ := a.subscribe(a.Customer(), "2025-01-01", a.Fee("10"))
		again := domaintest.Instant("2025-01-01")
		for range 3 {
			a.Do(func(tx *store.Tx) error { return t.SetNextBilling(tx, &again) })
			a.Clock("2025-01-02")
			a.issueAll()
		}
		Expect(summaries(a.invoices(t))).To(Equal([]string{"2025-01-01 issued: 10.00", "2025-02-01 draft: 10.00"}))
	})
})

var _ = Describe("DeleteCustomer", func() {
	remove := func(a testAccount, id string) error {
		return a.Try(func(tx *store.Tx) error { return billing.DeleteCustomer(tx, id) })
	}
	It("removes a customer with subscriptions and drafts", func() {
		a := open("2025-01-15")
		id := a.Customer()
		a.subscribe(id, "2025-01-15", a.Calls("unit", `{"unit_amount": "1"}`))
		Expect(remove(a, id)).To(Succeed())
		Expect(a.list(invoice.Filter{Statuses: []invoice.Status{invoice.StatusDraft}})).To(BeEmpty())
		a.Clock("2025-06-01")
		a.issueAll()
		Expect(a.list(invoice.Filter{})).To(BeEmpty())
		Expect(remove(a, id)).To(domaintest.BeMissing())
	})
	It("is refused once an invoice was issued, and changes nothing then", func() {
		a := open("2025-01-15")
		id := a.Customer()
		t, _ := a.subscribe(id, "2025-01-15", a.Fee("31"))
		Expect(remove(a, id)).To(domaintest.BeRefused("issued invoices"))
		Expect(summaries(a.invoices(t))).To(Equal([]string{"2025-01-15 issued: 17.00", "2025-02-01 draft: 31.00"}))
	})
	It("does not know a customer of another account", func() {
		a, other := open("2025-01-15"), open("2025-01-15")
		Expect(remove(other, a.Customer())).To(domaintest.BeMissing())
	})
})

func lineIDs(v invoice.View) (ids []string) {
	for _, l := range v.Lines {
		ids = append(ids, l.ID)
	}
	return ids
}

// list reads the first page of invoices.
func (a testAccount) list(f invoice.Filter) (views []invoice.View) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		views, _, err = invoice.List(tx, f, store.Page{Limit: 100})
		return err
	})
	return views
}

// inParallel runs a job in several workers until each finds nothing more to do.
func (a testAccount) inParallel(workers int, job func(*store.Tx) (bool, error)) {
	GinkgoHelper()
	failed := make(chan error, workers)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for more := true; more; {
				err := a.Try(func(tx *store.Tx) (err error) {
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
