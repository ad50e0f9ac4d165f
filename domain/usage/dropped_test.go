package usage_test

import (
	"context"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Months of events that are old", func() {
	may := period.Period{Start: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)}
	var d fixture
	asked := usage.Request{Query: query("SELECT SUM(n) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{may.Start, may.End}}

	// drop drops what can be dropped, and gives the months.
	drop := func() (months []string) {
		GinkgoHelper()
		for {
			month, found, err := event.DropMonth(context.Background(), d.store, 3)
			Expect(err).NotTo(HaveOccurred())
			if !found {
				return months
			}
			months = append(months, month.Format("2006-01"))
		}
	}
	// in runs a statement in the account.
	in := func(statement string) {
		GinkgoHelper()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return tx.Exec(statement, tx.AccountID).Error })).To(Succeed())
	}
	BeforeEach(func() {
		d = newFixtureOn(storetest.New())
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{asked}) })).To(Succeed())
		d.send(call("may", `"properties": {"n": 3}`))
		storetest.SetClock(d.store, d.ctx, time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC))
		d.send(call("june", `"timestamp": "2025-06-01T00:00:00Z"`, `"properties": {"n": 4}`))
		in("UPDATE accounts SET clock_now = NULL WHERE id = ?")
	})

	It("go when all of their events are in buckets, and are counted from those", func() {
		Expect(drop()).To(BeEmpty(), "no event is in a bucket yet")
		d.settle()
		Expect(drop()).To(Equal([]string{"2025-05", "2025-06"}))
		Expect(drop()).To(BeEmpty())
		Expect(d.count()).To(Equal("0"))
		Expect(d.measure(asked)[0].Total.String()).To(Equal("3"))
	})

	It("go on to count for a series that has to begin again", func() {
		different := asked
		different.Query = query("SELECT COUNT(DISTINCT n) FROM events")
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{different}) })).To(Succeed())
		d.settle()
		_, found, err := event.DropMonth(context.Background(), d.store, 3)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		in("UPDATE usage_series SET metric = 'not ' || metric WHERE account_id = ?")
		d.correct("june", `properties = '{"n": 5}'`)
		d.settle()
		in("UPDATE usage_series SET metric = substr(metric, 5), failed_at = NULL WHERE account_id = ?")
		d.settle()
		for sql, total := range map[string]string{"SELECT SUM(n) FROM events": "8", "SELECT COUNT(DISTINCT n) FROM events": "2"} {
			both := usage.Request{Query: query(sql), Subjects: asked.Subjects, Cuts: []time.Time{may.Start, may.End.AddDate(0, 1, 0)}}
			Expect(d.measure(both)[0].Total.String()).To(Equal(total), sql)
		}
	})

	It("stay as long as they are asked to", func() {
		d.settle()
		months := int(time.Since(may.End).Hours()/24/31) + 3
		_, found, err := event.DropMonth(context.Background(), d.store, months)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeFalse())
	})

	It("leave their keys behind", func() {
		d.settle()
		drop()
		storetest.SetClock(d.store, d.ctx, noon)
		Expect(d.send(call("may"), call("new")).Duplicate).To(Equal([]string{"may"}))
	})

	It("keep what counts in them from being changed when they are gone", func() {
		d.settle()
		drop()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			Expect(fault.Is(event.RefuseDropped(tx, period.Period{Start: may.End.Add(-1), End: may.End}), fault.KindRefused)).To(BeTrue())
			Expect(event.RefuseDropped(tx, period.Period{Start: may.Start.Add(-1), End: may.Start})).To(Succeed())
			Expect(fault.Is(usage.Apply(tx, usage.Replacement{ID: "r", Period: may}), fault.KindRefused)).To(BeTrue())
			return nil
		})).To(Succeed())
	})

	It("are gone for those whose events went with them, and may be of others whose clock stands there", func() {
		d.settle()
		Expect(drop()).To(ContainElement("2025-05"))
		other := newFixtureOn(d.store)
		Expect(other.store.Update(other.ctx, func(tx *store.Tx) error {
			Expect(event.RefuseDropped(tx, may)).To(Succeed())
			return usage.TrackMetrics(tx, []usage.Request{asked})
		})).To(Succeed())
		other.send(call("may", `"properties": {"n": 3}`))
		other.settle()
		other.correct("may", `properties = '{"n": 5}'`)
		other.settle()
		Expect(other.measure(asked)[0].Total.String()).To(Equal("5"))
		Expect(d.measure(asked)[0].Total.String()).To(Equal("3"))
	})

	It("stay while a backfill is open there of a customer who has no events yet", func() {
		d.settle()
		owner := d
		owner.ctx = storetest.Account(d.store, "test")
		at := func(statement string) {
			GinkgoHelper()
			Expect(owner.store.Update(owner.ctx, func(tx *store.Tx) error { return tx.Exec(statement, tx.AccountID).Error })).To(Succeed())
		}
		at(`INSERT INTO backfills (account_id, id, created_at, timeframe_start, timeframe_end, replaces, close_time, closed, status, events_ingested)
			VALUES (?, 'b', now(), '2025-05-31', '2025-06-01', false, '2100-01-01', false, 'pending', 0)`)
		Expect(drop()).To(Equal([]string{"2025-06"}))
		at("UPDATE backfills SET status = 'reverted', reverted_at = now() WHERE account_id = ?")
		Expect(drop()).To(Equal([]string{"2025-05"}))
	})

	DescribeTable("stay while",
		func(hinder, release string) {
			d.settle()
			in(hinder)
			Expect(drop()).NotTo(ContainElement("2025-05"))
			in(release)
			Expect(drop()).To(ContainElement("2025-05"))
		},
		Entry("an account's clock is near", "UPDATE accounts SET clock_now = '2025-08-31T23:59:59Z' WHERE id = ?", "UPDATE accounts SET clock_now = '2025-09-01' WHERE id = ?"),
		Entry("buckets have to be rebuilt", `INSERT INTO usage_gaps (account_id, start_at, end_at) VALUES (?, '2025-05-31T23:00:00Z', '2025-06-01T00:00:00Z')`,
			"DELETE FROM usage_gaps WHERE account_id = ?"),
		Entry("a series is behind", "UPDATE usage_series SET mark = 0 WHERE account_id = ?", "UPDATE usage_series SET mark = 1::bigint << 60 WHERE account_id = ?"),
		Entry("a backfill is open", `INSERT INTO backfills (account_id, id, created_at, timeframe_start, timeframe_end, replaces, close_time, closed, status, events_ingested)
			VALUES (?, 'b', now(), '2025-05-31', '2025-06-02', false, '2100-01-01', false, 'pending', 0)`,
			"UPDATE backfills SET status = 'reverted', reverted_at = now() WHERE account_id = ?"),
	)
})
