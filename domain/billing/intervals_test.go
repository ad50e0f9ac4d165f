package billing_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("Edits of price intervals", func() {
	It("leave charged, less what is credited, what a new subscription would be charged", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			f := feeInJune()
			for range rapid.IntRange(1, 6).Draw(rt, "edits") {
				f.pass(rapid.IntRange(f.now, 30).Draw(rt, "now"))
				if rapid.Bool().Draw(rt, "paid") {
					f.pay()
				}
				switch rapid.SampledFrom([]string{"start", "end", "seats"}).Draw(rt, "edit") {
				case "start":
					f.startOn(rapid.IntRange(1, f.end-1).Draw(rt, "start"))
				case "end":
					end := rapid.IntRange(f.start+1, 31).Draw(rt, "end")
					f.endOn(end, end < 31 || rapid.Bool().Draw(rt, "on a date"))
				case "seats":
					var changes []seats
					for _, day := range rapid.SliceOfNDistinct(rapid.IntRange(f.start, f.end-1), 0, min(3, f.end-f.start), rapid.ID).Draw(rt, "days") {
						changes = append(changes, seats{day, rapid.IntRange(0, 5).Draw(rt, "seats")})
					}
					f.have(changes...)
				}
			}
			f.pass(30)
			NewWithT(rt).Expect(f.charged()).To(Equal(f.worth()))
		})
	})

	It("leave charged the days before an end whose lines gave for decreases that are none any more", func() {
		f := feeInJune()
		f.pass(17)
		f.have(seats{4, 3}, seats{25, 0}, seats{30, 5})
		f.pass(19)
		f.have(seats{10, 1}, seats{4, 4}, seats{2, 1})
		f.pass(26)
		f.endOn(2, true)
		f.pass(30)
		Expect(f.charged()).To(Equal("1"))
	})

	It("take a decrease off an increase that is void before an older charge", func() {
		f := feeInJune()
		f.pass(5)
		f.have(seats{5, 3})
		f.voidNewest()
		f.pass(11)
		f.have(seats{5, 3}, seats{11, 1})
		f.pass(30)
		Expect(f.charged()).To(Equal("30"), "one seat from the first to the last")
	})
})

// fee is the price interval of a seat in June, for 1 a day, and what it was made by edits.
type fee struct {
	testAccount
	subscription subscription.Terms
	now          int // a day of June
	start, end   int // exclusive; 31 is the 1st of July
	changes      []seats
}

// seats are how many there are from a day on.
type seats struct{ from, are int }

func feeInJune() *fee {
	a := open("2025-06-01")
	t, _ := a.subscribe(a.Customer(), "2025-06-01", a.Fee("30"))
	return &fee{testAccount: a, subscription: t, now: 1, start: 1, end: 31}
}

func june(day int) string {
	if day > 30 {
		return "2025-07-01"
	}
	return fmt.Sprintf("2025-06-%02d", day)
}

// pass goes on day by day, with all that falls due, to the morning of one.
func (f *fee) pass(until int) {
	for ; f.now < until; f.now++ {
		f.Clock(june(f.now + 1))
		f.All(billing.ChangeNext)
		f.issueAll()
	}
	f.Clock(june(f.now) + "T10:00:00")
}

func (f *fee) pay() {
	f.Do(func(tx *store.Tx) error {
		return tx.Exec(`UPDATE invoices SET status = 'paid', paid_at = ? WHERE account_id = ? AND status = 'issued'`, tx.Now, tx.AccountID).Error
	})
}

func (f *fee) voidNewest() {
	f.Do(func(tx *store.Tx) error {
		all, err := invoice.OfSubscription(tx, f.subscription.ID)
		issued := slices.DeleteFunc(all, func(v invoice.View) bool { return v.Status != invoice.StatusIssued })
		if err == nil {
			_, err = invoice.Void(tx, issued[len(issued)-1].ID)
		}
		return err
	})
}

func (f *fee) edit(e subscription.IntervalEdit) {
	e.ID = f.subscription.Intervals[0].ID
	f.Do(func(tx *store.Tx) error {
		_, err := billing.ChangeIntervals(tx, f.subscription.ID, subscription.IntervalChanges{Edit: []subscription.IntervalEdit{e}}, true)
		return err
	})
}

func (f *fee) startOn(day int) {
	f.start = day
	at := june(day)
	f.edit(subscription.IntervalEdit{Start: &at})
}

func (f *fee) endOn(day int, onDate bool) {
	f.end = day
	e := subscription.IntervalEdit{End: subscription.Sent[*string]{Given: true}}
	if at := june(day); onDate {
		e.End.Value = &at
	}
	f.edit(e)
}

func (f *fee) have(changes ...seats) {
	f.changes = changes
	e := subscription.IntervalEdit{Transitions: subscription.Sent[[]subscription.NewTransition]{Given: true}}
	for _, change := range changes {
		e.Transitions.Value = append(e.Transitions.Value, subscription.NewTransition{On: june(change.from), Quantity: money.FromInt(int64(change.are))})
	}
	f.edit(e)
}

// charged is what is left of what June was charged.
func (f *fee) charged() string { return f.testAccount.charged(f.subscription).String() }

// worth is what June would be charged at once.
func (f *fee) worth() string {
	worth, has := 0, 1
	for day := 1; day < f.end; day++ {
		if at := slices.IndexFunc(f.changes, func(c seats) bool { return c.from == day }); at >= 0 {
			has = f.changes[at].are
		}
		if day >= f.start {
			worth += has
		}
	}
	return fmt.Sprint(worth)
}
