package invoice_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("Edits of price intervals", func() {
	// june is a day of it, the 31st being the 1st of July.
	june := func(day int) string {
		if day > 30 {
			return "2025-07-01"
		}
		return fmt.Sprintf("2025-06-%02d", day)
	}

	It("leave charged, less what is credited, what a new subscription would be charged", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			o := open("2025-06-01")
			t, _ := o.subscribe(o.customer(), "2025-06-01", o.fee("30")) // a seat is 1 a day
			interval := t.Intervals[0].ID
			now, start, end := 1, 1, 31
			seats := map[int]int{} // by the day from which they are
			ask := func(e subscription.IntervalEdit) {
				e.ID = interval
				o.do(func(tx *store.Tx) error {
					_, err := invoice.ChangeIntervals(tx, t.ID, subscription.IntervalChanges{Edit: []subscription.IntervalEdit{e}}, true)
					return err
				})
			}
			pass := func(until int) { // day by day, with all that falls due
				for ; now < until; now++ {
					o.clock(june(now + 1))
					for more := true; more; {
						o.do(func(tx *store.Tx) (err error) {
							more, err = invoice.ChangeNext(tx)
							return err
						})
					}
					o.issueAll()
				}
			}
			for range rapid.IntRange(1, 6).Draw(rt, "edits") {
				pass(rapid.IntRange(now, 30).Draw(rt, "now"))
				o.clock(june(now) + "T10:00:00")
				if rapid.Bool().Draw(rt, "paid") {
					o.do(func(tx *store.Tx) error {
						return tx.Exec(`UPDATE invoices SET status = 'paid', paid_at = ? WHERE account_id = ? AND status = 'issued'`, tx.Now, tx.AccountID).Error
					})
				}
				switch rapid.SampledFrom([]string{"start", "end", "seats"}).Draw(rt, "edit") {
				case "start":
					start = rapid.IntRange(1, end-1).Draw(rt, "start")
					day := june(start)
					ask(subscription.IntervalEdit{Start: &day})
				case "end":
					end = rapid.IntRange(start+1, 31).Draw(rt, "end")
					e := subscription.IntervalEdit{End: subscription.Sent[*string]{Given: true}}
					if day := june(end); end < 31 || rapid.Bool().Draw(rt, "on a date") {
						e.End.Value = &day
					}
					ask(e)
				case "seats":
					seats = map[int]int{}
					e := subscription.IntervalEdit{Transitions: subscription.Sent[[]subscription.NewTransition]{Given: true}}
					for _, day := range rapid.SliceOfNDistinct(rapid.IntRange(start, end-1), 0, min(3, end-start), rapid.ID).Draw(rt, "days") {
						seats[day] = rapid.IntRange(0, 5).Draw(rt, "seats")
						e.Transitions.Value = append(e.Transitions.Value, subscription.NewTransition{On: june(day), Quantity: money.FromInt(int64(seats[day]))})
					}
					ask(e)
				}
			}
			pass(30)
			worth, has := 0, 1
			for day := 1; day < end; day++ {
				if n, changes := seats[day]; changes {
					has = n
				}
				if day >= start {
					worth += has
				}
			}
			NewWithT(rt).Expect(o.charged(t).String()).To(Equal(fmt.Sprint(worth)))
		})
	})
})
