package invoice_test

import (
	"errors"
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("Crediting a subscription's invoice", func() {
	var a testAccount
	var buyer customer.Customer
	var bill invoice.View
	BeforeEach(func() {
		a = open("2025-06-01")
		buyer = a.CustomerIn("UTC")
		bill = a.issued(a.Subscribe(buyer.ID, "2025-06-01", a.Fee("60"), a.Fee("40")), "2025-06-01")
	})
	credit := func(amounts ...string) (note invoice.CreditNote, err error) {
		var lines []invoice.CreditedLine
		for k, amount := range amounts {
			if amount != "0" {
				lines = append(lines, invoice.CreditedLine{LineID: bill.Lines[k].ID, Amount: money.Must(amount)})
			}
		}
		err = a.Try(func(tx *store.Tx) (err error) {
			note, err = invoice.Credit(tx, bill.ID, lines)
			return err
		})
		return note, err
	}
	// state writes the amount due, the status and the customer's balance.
	state := func() string {
		GinkgoHelper()
		v := a.find(bill.ID)
		return fmt.Sprintf("%s %s, balance %s", v.AmountDue, v.Status, a.balance(buyer))
	}
	void := func(note invoice.CreditNote) {
		GinkgoHelper()
		a.Do(func(tx *store.Tx) error {
			_, err := invoice.VoidCreditNote(tx, note.ID)
			return err
		})
	}

	It("reduces the amount due until the note is void", func() {
		note, err := credit("10", "20.50")
		Expect(err).NotTo(HaveOccurred())
		Expect(note.Type).To(Equal(invoice.CreditNoteAdjustment))
		Expect(note.Number).To(Equal(bill.Number + "-CN-1"))
		Expect(note.Total.String()).To(Equal("30.5"))
		Expect(state()).To(Equal("69.5 issued, balance 0"))
		void(note)
		void(note)
		Expect(state()).To(Equal("100 issued, balance 0"))
	})

	It("pays an invoice in full; voiding the note then takes its amount from the balance", func() {
		note, err := credit("60", "40")
		Expect(err).NotTo(HaveOccurred())
		Expect(state()).To(Equal("0 paid, balance 0"))
		void(note)
		Expect(state()).To(Equal("0 paid, balance -100"))
	})

	It("reports the creditable amount of each line", func() {
		_, err := credit("0", "15")
		Expect(err).NotTo(HaveOccurred())
		a.Do(func(tx *store.Tx) error {
			left, err := invoice.Creditable(tx, []string{bill.Lines[0].ID, bill.Lines[1].ID})
			Expect(left[bill.Lines[0].ID].String()).To(Equal("60"))
			Expect(left[bill.Lines[1].ID].String()).To(Equal("25"))
			return err
		})
		_, err = credit("1", "25.01")
		Expect(err).To(domaintest.BeRefused("25.00 is left"))
	})

	It("refuses a draft", func() {
		draft := a.draft(bill.Terms, "2025-07-01")
		Expect(draft.Status).To(Equal(invoice.StatusDraft))
		Expect(a.Try(func(tx *store.Tx) error {
			_, err := invoice.Credit(tx, draft.ID, []invoice.CreditedLine{{LineID: draft.Lines[0].ID, Amount: money.Must("1")}})
			return err
		})).To(domaintest.BeRefused("draft"))
	})

	It("loses no cent: the credit notes always equal the reduction of the amount due plus what the balance got", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			bill = a.issued(a.Subscribe(buyer.ID, "2025-06-01", a.Fee("60"), a.Fee("40")), "2025-06-01")
			before := money.Must(a.balance(buyer))
			due := bill.AmountDue
			var standing []invoice.CreditNote
			left := []money.Decimal{bill.Lines[0].Amount, bill.Lines[1].Amount}
			cents := rapid.IntRange(1, 7000)
			for range rapid.IntRange(1, 6).Draw(t, "steps") {
				if len(standing) > 0 && rapid.Bool().Draw(t, "void") {
					k := rapid.IntRange(0, len(standing)-1).Draw(t, "which")
					void(standing[k])
					for _, l := range standing[k].Lines {
						left[l.Position] = left[l.Position].Add(l.Amount)
					}
					standing = slices.Delete(standing, k, k+1)
				}
				amounts := []money.Decimal{hundredths(cents.Draw(t, "first")), hundredths(cents.Draw(t, "second"))}
				note, err := credit(amounts[0].String(), amounts[1].String())
				if amounts[0].Cmp(left[0]) > 0 || amounts[1].Cmp(left[1]) > 0 {
					if !fault.Is(err, fault.KindRefused) {
						t.Fatalf("%v of %v: %v", amounts, left, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				standing = append(standing, note)
				left[0], left[1] = left[0].Sub(amounts[0]), left[1].Sub(amounts[1])
			}
			var credited money.Decimal
			for _, note := range standing {
				credited = credited.Add(note.Total)
			}
			after := a.find(bill.ID)
			given := due.Sub(after.AmountDue).Add(money.Must(a.balance(buyer)).Sub(before))
			if !given.Equal(credited) || after.AmountDue.Sign() < 0 {
				t.Fatalf("%s is credited, but %s was given; %s is due", credited, given, after.AmountDue)
			}
		})
	})

	DescribeTable("is final: the database refuses",
		func(statement string) {
			_, err := credit("10", "5")
			Expect(err).NotTo(HaveOccurred())
			err = a.Try(func(tx *store.Tx) error {
				change := tx.Exec(statement, tx.AccountID)
				return errors.Join(change.Error, errUndo)
			})
			Expect(err).To(MatchError(ContainSubstring("cannot change")))
		},
		Entry("another total", "UPDATE credit_notes SET total = 1, adjusted = 1 WHERE account_id = ?"),
		Entry("another number", "UPDATE credit_notes SET number = 'X' WHERE account_id = ?"),
		Entry("another time", "UPDATE credit_notes SET created_at = now() WHERE account_id = ?"),
		Entry("to delete it", "DELETE FROM credit_notes WHERE account_id = ?"),
		Entry("another amount of a line", "UPDATE credit_note_lines SET amount = 1 WHERE account_id = ?"),
		Entry("to delete a line", "DELETE FROM credit_note_lines WHERE account_id = ?"),
		Entry("another line", `INSERT INTO credit_note_lines (account_id, id, created_at, credit_note_id, position, invoice_line_id, item_id, name,
			quantity, start_at, end_at, amount)
			SELECT account_id, 'cnl_more', created_at, credit_note_id, 7, invoice_line_id, item_id, name, 1, start_at, end_at, 0.01
			FROM credit_note_lines WHERE account_id = ? LIMIT 1`),
	)

	It("stays void", func() {
		note, err := credit("10")
		Expect(err).NotTo(HaveOccurred())
		void(note)
		err = a.Try(func(tx *store.Tx) error {
			return tx.Exec("UPDATE credit_notes SET voided_at = NULL WHERE id = ?", note.ID).Error
		})
		Expect(err).To(MatchError(ContainSubstring("cannot change")))
	})

	It("keeps balance transactions unchanged", func() {
		a.Do(func(tx *store.Tx) error {
			return customer.Move(tx, buyer.ID, money.Must("5"), customer.Cause{Action: customer.ActionManual})
		})
		for _, statement := range []string{
			"UPDATE balance_transactions SET ending_balance = 6 WHERE account_id = ?",
			"DELETE FROM balance_transactions WHERE account_id = ?",
		} {
			err := a.Try(func(tx *store.Tx) error { return tx.Exec(statement, tx.AccountID).Error })
			Expect(err).To(MatchError(ContainSubstring("cannot change")))
		}
	})
})

// hundredths is that many cents.
func hundredths(n int) money.Decimal { return money.FromInt(int64(n)).Quo(money.FromInt(100)) }
