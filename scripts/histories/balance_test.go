package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The control of the check of balances: it finds each wrong move and amount due.
var _ = Describe("the check of balances", func() {
	moves := []string{
		`{"action":"manual_adjustment","type":"increment","amount":"5.00","starting_balance":"0.00","ending_balance":"5.00","created_at":"2025-03-01T00:00:00Z"}`,
		`{"action":"applied_to_invoice","type":"decrement","amount":"5.00","starting_balance":"5.00","ending_balance":"0.00","created_at":"2025-03-02T00:00:00Z","invoice":{"id":"a"}}`,
		`{"action":"credit_note_applied","type":"increment","amount":"2.00","starting_balance":"0.00","ending_balance":"2.00","created_at":"2025-03-03T00:00:00Z","invoice":{"id":"a"}}`,
		`{"action":"applied_to_invoice","type":"decrement","amount":"2.00","starting_balance":"2.00","ending_balance":"0.00","created_at":"2025-03-04T00:00:00Z","invoice":{"id":"b"}}`,
		`{"action":"return_from_voiding","type":"increment","amount":"2.00","starting_balance":"0.00","ending_balance":"2.00","created_at":"2025-03-05T00:00:00Z","invoice":{"id":"b"}}`,
	}
	// judge follows the moves, of which one has a text replaced by another, or is left out where that is empty.
	judge := func(at int, old, by, due string) error {
		r := newRun(nil)
		on := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }
		r.books.invoices = map[string]*invoice{
			"a": {id: "a", status: "paid", total: rat("8"), due: rat(due), issued: on(2)},
			"b": {id: "b", status: "void", total: rat("9"), due: rat("7"), issued: on(4)},
		}
		r.books.totals = []noteTotal{{"a", false, rat("5")}} // 3.00 were due
		b := balances{run: r, applied: amounts{}, noted: amounts{}, returned: map[string]bool{}, hand: []manual{{rat("5")}}, sum: rat("0")}
		for k, text := range moves {
			if k == at && by == "" {
				continue
			}
			if k == at {
				Expect(text).To(ContainSubstring(old))
				text = strings.Replace(text, old, by, 1)
			}
			n, err := decode([]byte(text))
			Expect(err).NotTo(HaveOccurred())
			if err := b.move(n); err != nil {
				return fmt.Errorf("move %d: %w", k, err)
			}
		}
		return errors.Join(b.due(r.books.invoices["a"]), b.due(r.books.invoices["b"]))
	}

	It("finds nothing in moves that are right", func() {
		Expect(judge(-1, "", "", "0")).To(Succeed())
	})

	DescribeTable("finds", func(at int, old, by, due string) {
		Expect(judge(at, old, by, due)).NotTo(Succeed())
	},
		Entry("a move by hand of another amount", 0, `"amount":"5.00"`, `"amount":"5.01"`, "0"),
		Entry("a move that does not begin where the one before ended", 1, `"starting_balance":"5.00"`, `"starting_balance":"5.01"`, "0"),
		Entry("less applied than there was", 1, `"amount":"5.00"`, `"amount":"4.99"`, "0"),
		Entry("a note that gave back more than was too much", 2, `"amount":"2.00"`, `"amount":"2.01"`, "0"),
		Entry("an action that no rule makes", 2, "credit_note_applied", "overpayment_refund", "0"),
		Entry("a return of an invoice that is not void", 4, `"id":"b"`, `"id":"a"`, "0"),
		Entry("a void invoice that returns nothing", 4, "", "", "0"),
		Entry("another amount due", -1, "", "", "0.01"),
	)

	It("finds an invoice that the balance was not applied to", func() {
		r := newRun(nil)
		b := balances{run: r, applied: amounts{}, noted: amounts{}, states: []state{{time.Unix(1, 0), rat("5")}}, sum: rat("5")}
		v := &invoice{id: "c", status: "issued", total: rat("8"), due: rat("8"), issued: time.Unix(2, 0)}
		Expect(b.due(v)).NotTo(Succeed())
		v.issued = time.Unix(0, 0)
		Expect(b.due(v)).To(Succeed())
	})
})
