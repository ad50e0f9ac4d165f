package allocation_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestAllocation(t *testing.T) { domaintest.RunSuite(t, "allocations", 15) }

// holder is a customer with a subscription to prices that grant credits.
type holder struct {
	domaintest.Account
	customer.Customer
	subscription string
}

// subscribe makes a customer in a time zone who subscribes, from the local date of now on, to a
// new plan, and is granted what has begun.
func subscribe(now, zone string, prices ...func(a domaintest.Account) catalog.NewPrice) holder {
	GinkgoHelper()
	h := holder{Account: domaintest.Open(now)}
	h.Customer = h.CustomerIn(zone)
	var made []catalog.NewPrice
	for _, price := range prices {
		made = append(made, price(h.Account))
	}
	start := domaintest.Instant(now).In(h.Location()).Format(time.DateOnly)
	h.subscription = h.Subscribe(h.ID, start, made...).ID
	h.sync()
	return h
}

// grants is a price of so many credits a month, which expire at its end; change makes it another.
func grants(amount string, change func(*catalog.NewAllocation)) func(domaintest.Account) catalog.NewPrice {
	return func(a domaintest.Account) catalog.NewPrice {
		price := a.Grants(amount, "0.02")
		if change != nil {
			change(price.Allocation)
		}
		return price
	}
}

// sync brings the grants into line with the terms as they are now.
func (h holder) sync() {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) error {
		t, err := subscription.Lock(tx, h.subscription)
		if err != nil {
			return err
		}
		_, err = allocation.Sync(tx, &t)
		return err
	})
}

// grantNext grants what the subscription is owed whose period began first.
func grantNext(tx *store.Tx) (more bool, err error) {
	t, found, err := subscription.LockGranting(tx)
	if err != nil || !found {
		return false, err
	}
	_, err = allocation.Sync(tx, &t)
	return true, err
}

// until lets the clock reach an instant, with each grant that falls due by then at its time.
func (h holder) until(now string) {
	GinkgoHelper()
	for at := h.Next(allocation.NextDue, now); at != ""; at = h.Next(allocation.NextDue, now) {
		h.Clock(at)
		Expect(h.All(grantNext)).To(BeNumerically(">", 0))
	}
	h.Clock(now)
}

// terms are those of the subscription.
func (h holder) terms() (t subscription.Terms) {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) (err error) {
		t, err = subscription.Find(tx, h.subscription)
		return err
	})
	return t
}

// blocks writes what was granted as "amount: from to", in local time, oldest first.
func (h holder) blocks() []string {
	GinkgoHelper()
	texts := []string{}
	h.Do(func(tx *store.Tx) error {
		all, _, err := credit.ListBlocks(tx, h.ID, credit.BlockFilter{Currency: money.Credits, All: true}, store.Page{Limit: 1000})
		for _, b := range all {
			to := "for ever"
			if b.ExpiresAt != nil {
				to = "to " + h.local(*b.ExpiresAt)
			}
			texts = append([]string{fmt.Sprintf("%s: %s %s", b.InitialBalance, h.local(b.EffectiveAt), to)}, texts...)
		}
		return err
	})
	return texts
}

// local writes an instant as the customer's clock reads it, a midnight as its date.
func (h holder) local(at time.Time) string {
	there := at.In(h.Location())
	if there.Hour() == 0 && there.Minute() == 0 && there.Second() == 0 {
		return there.Format(time.DateOnly)
	}
	return there.Format("2006-01-02T15:04")
}

// replace lets another allocation price follow the one that is open, on a day.
func (h holder) replace(day string, next catalog.NewPrice) {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) error {
		t, err := subscription.Lock(tx, h.subscription)
		if err != nil {
			return err
		}
		changes := subscription.IntervalChanges{Add: []subscription.NewInterval{{PlanPrice: catalog.PlanPrice{Price: next}, Start: day}}}
		for _, i := range t.Intervals {
			if i.EndAt == nil {
				changes.Edit = append(changes.Edit, subscription.IntervalEdit{ID: i.ID, End: subscription.Sent[*string]{Given: true, Value: &day}})
			}
		}
		return subscription.ChangeIntervals(tx, t, changes)
	})
}

// end lets the price that is open end on a day, without another in its place.
func (h holder) end(day string) {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) error {
		t, err := subscription.Lock(tx, h.subscription)
		if err != nil {
			return err
		}
		last := t.Intervals[len(t.Intervals)-1]
		return subscription.ChangeIntervals(tx, t, subscription.IntervalChanges{
			Edit: []subscription.IntervalEdit{{ID: last.ID, End: subscription.Sent[*string]{Given: true, Value: &day}}},
		})
	})
}

// cancel ends the subscription at an instant.
func (h holder) cancel(at string) {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) error {
		t, err := subscription.Lock(tx, h.subscription)
		if err != nil {
			return err
		}
		return subscription.Cancel(tx, t, domaintest.Instant(at))
	})
	h.sync()
}

// spend takes credits from the ledger.
func (h holder) spend(amount string) {
	GinkgoHelper()
	h.Do(func(tx *store.Tx) error {
		ledger, err := credit.Lock(tx, h.ID, money.Credits)
		if err != nil {
			return err
		}
		_, err = credit.Decrement(tx, ledger, h.Customer, money.Must(amount), credit.Note{})
		return err
	})
}

// takeBack takes back what is owed, and writes it as "amount of what was owed".
func (h holder) takeBack() []string {
	GinkgoHelper()
	texts := []string{}
	h.Do(func(tx *store.Tx) error {
		t, err := subscription.Lock(tx, h.subscription)
		if err != nil {
			return err
		}
		owed, err := allocation.OwedTakings(tx, t)
		if err != nil {
			return err
		}
		for _, o := range owed {
			before, err := credit.Balance(tx, h.ID, money.Credits)
			if err != nil {
				return err
			}
			ledger, err := credit.Lock(tx, h.ID, money.Credits)
			if err != nil {
				return err
			}
			if err := o.Take(tx, &t, ledger); err != nil {
				return err
			}
			after, err := credit.Balance(tx, h.ID, money.Credits)
			if err != nil {
				return err
			}
			texts = append(texts, fmt.Sprintf("%s of %s", before.Sub(after), o.Terms.Amount))
		}
		return nil
	})
	return texts
}
