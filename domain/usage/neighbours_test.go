package usage_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An account whose neighbours send very much", func() {
	var d, neighbour fixture
	const own = 1_000
	var asked usage.Request
	BeforeEach(func() {
		asked = usage.Request{
			Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{noon, noon.AddDate(0, 0, 1)},
		}
		d = newFixtureOn(storetest.New())
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{asked}) })).To(Succeed())
		d.sendMany(own)
		d.settle()
		neighbour = newFixtureOn(d.store)
		neighbour.sendMany(2 * own)
		owner, err := pgx.Connect(d.ctx, storetest.URL(d.store))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(owner.Close, context.Background())
		_, err = owner.Exec(d.ctx, "ANALYZE events") // what is newer than a seq, and whose it is, are told apart
		Expect(err).NotTo(HaveOccurred())
	})

	// fetched is how many rows of events the session has fetched, as it counts them itself.
	fetched := func(tx *store.Tx) (rows int) {
		GinkgoHelper()
		Expect(tx.Raw(`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_xact_user_tables
			WHERE relname ~ '^events_[0-9]'`).Scan(&rows).Error).To(Succeed())
		return rows
	}
	// touched is how many of them something fetches.
	touched := func(do func(tx *store.Tx) error) (rows int) {
		GinkgoHelper()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			before := fetched(tx)
			err := do(tx)
			rows = fetched(tx) - before
			return err
		})).To(Succeed())
		return rows
	}

	It("reads its usage past none of theirs, however long it sent nothing", func() {
		rows := touched(func(tx *store.Tx) error {
			Expect(usage.FromBuckets(tx, asked)).To(BeTrue())
			readings, err := usage.Measure(tx, asked)
			Expect(readings[0].Total.String()).To(Equal(fmt.Sprint(own)))
			return err
		})
		Expect(rows).To(BeZero())
	})

	It("looks for events to put into buckets past none of theirs", func() {
		Expect(touched(func(tx *store.Tx) error {
			_, err := usage.Aggregate(tx)
			return err
		})).To(BeZero())
	})

	It("reads the few of its own that are newer than its buckets", func() {
		d.send(call("one more"))
		Expect(touched(func(tx *store.Tx) error {
			readings, err := usage.Measure(tx, asked)
			Expect(readings[0].Total.String()).To(Equal(fmt.Sprint(own + 1)))
			return err
		})).To(Equal(1))
	})
})

// sendMany sends so many events at noon.
func (d fixture) sendMany(n int) {
	GinkgoHelper()
	events := make([]string, n)
	for i := range events {
		events[i] = call(fmt.Sprint(i))
	}
	Expect(d.send(events...).Ingested).To(HaveLen(n))
}
