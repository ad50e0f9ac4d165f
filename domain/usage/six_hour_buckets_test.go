package usage_test

import (
	"fmt"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A month of usage", func() {
	const days = 31
	start := time.Date(2025, 10, 5, 0, 0, 0, 0, time.UTC)
	var d fixture
	sum := query("SELECT SUM(n) FROM events")
	highest := query("SELECT MAX(n) FROM events")

	// month asks day by day, as a zone has them: its summer ends on the way, and a month does.
	month := func(zone string) usage.Request {
		GinkgoHelper()
		loc, err := period.LoadZone(zone)
		Expect(err).NotTo(HaveOccurred())
		first := period.DateOf(start, time.UTC)
		req := usage.Request{Query: sum, Subjects: []string{"e:acme"}}
		for day := range days + 1 {
			req.Cuts = append(req.Cuts, first.AddDays(day).In(loc))
		}
		return req
	}
	// rows is how many buckets a request reads, of six-hour buckets and of hours. Its value is
	// compared with the events on the way.
	rows := func(req usage.Request) (read int) {
		GinkgoHelper()
		kept, events, err := d.compare(req)
		Expect(err).NotTo(HaveOccurred())
		Expect(kept).To(Equal(events))
		Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
			read, err = usage.BucketsRead(tx, req)
			return err
		})).To(Succeed())
		return read
	}
	BeforeEach(func() {
		d = newFixture()
		storetest.SetClock(d.store, d.ctx, start.AddDate(0, 0, 40))
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			if err := usage.TrackMetrics(tx, []usage.Request{{Query: sum}, {Query: highest}}); err != nil {
				return err
			}
			return tx.Exec("UPDATE accounts SET grace_period_seconds = 8640000 WHERE id = ?", tx.AccountID).Error
		})).To(Succeed())
		var events []string
		for hour := -24; hour < (days+1)*24; hour++ {
			events = append(events, call(fmt.Sprint(hour), fmt.Sprintf(`"timestamp": %q, "properties": {"n": %d}`,
				start.Add(time.Duration(hour)*time.Hour).Format(time.RFC3339), hour%17)))
		}
		d.send(events...)
		d.settle()
	})

	DescribeTable("that is over is read by six-hour buckets",
		func(zone string, read int) { Expect(rows(month(zone))).To(Equal(read)) },
		Entry("all of them in UTC", "UTC", days*4),
		Entry("all of them six hours to the east", "Asia/Dhaka", days*4),
		Entry("three of each day in a zone that is a few hours away", "Asia/Tokyo", days*(3+6)),
		Entry("also where summer time ends", "America/New_York", days*(3+6)+1),
		Entry("and whole hours where the zone has halves", "Asia/Kolkata", days*(3+5)),
	)

	It("that has begun is read by the hour in the six hours that are not over", func() {
		storetest.SetClock(d.store, d.ctx, start.AddDate(0, 0, 40).Add(8*time.Hour))
		at := start.AddDate(0, 0, 40)
		var events []string
		for hour := range 8 {
			events = append(events, call(fmt.Sprint("late ", hour), fmt.Sprintf(`"timestamp": %q, "properties": {"n": 1}`,
				at.Add(time.Duration(hour)*time.Hour).Format(time.RFC3339))))
		}
		d.send(events...)
		d.settle()
		Expect(rows(usage.Request{Query: sum, Subjects: []string{"e:acme"}, Cuts: []time.Time{at, at.AddDate(0, 0, 1)}})).To(Equal(1 + 2))
	})

	It("has what came late in its six hours too", func() {
		before := rows(month("UTC"))
		d.send(call("late", fmt.Sprintf(`"timestamp": %q, "properties": {"n": 1000}`, start.Add(30*time.Hour).Format(time.RFC3339))))
		d.settle()
		Expect(rows(month("UTC"))).To(Equal(before))
	})

	It("has six-hour buckets rebuilt whose events were changed, of totals that cannot be taken back too", func() {
		before := rows(month("UTC"))
		d.correct("30", `properties = '{"n": 2000}'`)
		d.settle()
		asked := month("UTC")
		asked.Query = highest
		Expect(rows(asked)).To(Equal(before))
		d.correct("30", "deprecated = true")
		d.settle()
		Expect(rows(asked)).To(Equal(before))
	})

	It("is read by six-hour buckets when a new metric has caught up", func() {
		before := rows(month("UTC"))
		asked := month("UTC")
		asked.Query = query("SELECT COUNT(*) FROM events")
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{asked}) })).To(Succeed())
		d.settle()
		Expect(rows(asked)).To(Equal(before))
	})
})
