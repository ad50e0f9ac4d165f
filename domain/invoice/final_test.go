package invoice_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/store"
)

// errUndo rolls back a transaction that succeeded.
var errUndo = errors.New("undo")

var _ = Describe("An issued invoice", func() {
	DescribeTable("is final: the database refuses",
		func(statement string) {
			a := open("2025-01-01")
			a.issued(a.Subscribe(a.Customer(), "2025-01-01", a.Fee("100")), "2025-01-01")
			err := a.Try(func(tx *store.Tx) error {
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

	DescribeTable("keeps its status and metadata open to change",
		func(statement string) {
			a := open("2025-01-01")
			a.issued(a.Subscribe(a.Customer(), "2025-01-01", a.Fee("100")), "2025-01-01")
			a.Do(func(tx *store.Tx) error {
				change := tx.Exec(statement, tx.AccountID)
				Expect(change.RowsAffected).To(Equal(int64(1)))
				return change.Error
			})
		},
		Entry("it is paid", "UPDATE invoices SET status = 'paid', paid_at = now() WHERE account_id = ? AND status = 'issued'"),
		Entry("it is void", "UPDATE invoices SET status = 'void', voided_at = now() WHERE account_id = ? AND status = 'issued'"),
		Entry("it gets metadata", `UPDATE invoices SET metadata = '{"a": "b"}' WHERE account_id = ? AND status = 'issued'`),
	)

	It("is paid at once where it has no amount", func() {
		a := open("2025-01-01")
		t := a.Subscribe(a.Customer(), "2025-01-01", a.Calls("unit", `{"unit_amount": "1"}`))
		a.Clock("2025-02-01T12:00:00")
		first := a.issued(t, "2025-02-01")
		Expect(first.Status).To(Equal(invoice.StatusPaid))
		Expect(*first.PaidAt).To(BeTemporally("==", domaintest.Instant("2025-02-01T12:00:00")))
		Expect(first.Lines).To(HaveLen(1))
	})

	It("has a negative total, and no amount due, where usage is negative", func() {
		a := open("2025-01-01")
		id := a.Customer()
		t := a.Subscribe(id, "2025-01-01", a.Calls("unit", `{"unit_amount": "1"}`))
		a.Record(id, "2025-01-05", "-7")
		a.Clock("2025-02-01T12:00:00")
		first := a.issued(t, "2025-02-01")
		Expect(first.Total.String()).To(Equal("-7"))
		Expect(first.AmountDue.String()).To(Equal("0"))
		Expect(first.Status).To(Equal(invoice.StatusPaid))
	})
	It("is one for its subscription, plan and date, by the schema itself", func() {
		a := open("2025-01-01")
		a.issued(a.Subscribe(a.Customer(), "2025-01-01", a.Fee("10")), "2025-01-01")
		err := a.Try(func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO invoices (account_id, id, created_at, customer_id, subscription_id, plan_id, source, status, currency, invoice_date, has_usage)
				SELECT account_id, 'inv_copy', created_at, customer_id, subscription_id, plan_id, source, 'draft', currency, invoice_date, has_usage
				FROM invoices WHERE account_id = ? AND status = 'issued'`, tx.AccountID).Error
		})
		Expect(store.Unique(err, "invoices_once")).To(BeTrue(), "%v", err)
	})
})

var _ = Describe("The account's setting to hide zero lines", func() {
	It("takes them out of what is shown, and back", func() {
		a := open("2025-01-01")
		t := a.Subscribe(a.Customer(), "2025-01-01", a.Fee("10"), a.Calls("unit", `{"unit_amount": "1"}`))
		a.Setting("hide_zero_lines", true)
		names := func(v invoice.View) (all []string) {
			for _, l := range v.Lines {
				all = append(all, l.Name)
			}
			return all
		}
		id := a.draft(t, "2025-02-01").ID
		Expect(names(a.find(id))).To(Equal([]string{"Fee"}))
		a.Clock("2025-02-01T12:00:00")
		Expect(names(a.issue(id))).To(Equal([]string{"Fee"}))
		a.Setting("hide_zero_lines", false)
		Expect(names(a.find(id))).To(Equal([]string{"Calls", "Fee"}))
	})
})
