package usage_test

import (
	"fmt"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Usage as of a moment", func() {
	var d fixture
	var asked usage.Request
	BeforeEach(func() {
		asked = usage.Request{
			Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{noon.AddDate(0, 0, -1), noon.AddDate(0, 0, 1)},
		}
		d = newFixture()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{asked}) })).To(Succeed())
	})
	moment := func() (now event.Snapshot) {
		GinkgoHelper()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) (err error) {
			now, err = event.TakeSnapshot(tx)
			return err
		})).To(Succeed())
		return now
	}
	// asOf is what was counted then, and whether buckets say it.
	asOf := func(then event.Snapshot) (total string, fromBuckets bool) {
		GinkgoHelper()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			tx = usage.AsOf(tx, then)
			readings, err := usage.Measure(tx, asked)
			if err != nil {
				return err
			}
			total = readings[0].Total.String()
			fromBuckets, err = usage.FromBuckets(tx, asked)
			return err
		})).To(Succeed())
		return total, fromBuckets
	}

	It("is that of the events that were there, however far buckets have got since", func() {
		var moments []event.Snapshot
		for k := range 4 {
			d.send(call(fmt.Sprint(k)), call(fmt.Sprint(k, " too")))
			if k%2 == 1 {
				d.settle()
			}
			moments = append(moments, moment())
		}
		for k, then := range moments {
			total, fromBuckets := asOf(then)
			Expect(total).To(Equal(fmt.Sprint(2 * (k + 1))))
			Expect(fromBuckets).To(Equal(k == 3), "buckets that hold nothing newer")
		}
		Expect(d.measure(asked)[0].Total.String()).To(Equal("8"))
	})

	It("has no event of a transaction that was under way", func() {
		var then event.Snapshot
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			Expect(tx.Exec("SELECT event_number()").Error).To(Succeed())
			then = moment()
			Expect(tx.Exec(`INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
				VALUES (?, 'slow', 'api_call', 'e:acme', ?, '{}', ?, event_number())`, tx.AccountID, noon, tx.Now).Error).To(Succeed())
			return nil
		})).To(Succeed())
		Expect(d.measure(asked)[0].Total.String()).To(Equal("1"))
		total, _ := asOf(then)
		Expect(total).To(Equal("0"))
	})
})
