package allocation_test

import (
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("An allocation price", func() {
	forEver := func(a *catalog.NewAllocation) { a.ExpiresAtEndOfCadence = nil }
	every := func(cadence period.Cadence) func(*catalog.NewAllocation) {
		return func(a *catalog.NewAllocation) { a.Cadence = cadence }
	}
	once := func(a *catalog.NewAllocation) { a.Cadence, a.ExpiresAtEndOfCadence = period.CadenceOneTime, nil }
	lasting := func(length period.Length) func(*catalog.NewAllocation) {
		return func(a *catalog.NewAllocation) { a.ExpiresAtEndOfCadence, a.CustomExpiration = nil, &length }
	}

	DescribeTable("grants its amount as each period begins, from local midnight on, as long as it says (semantics 11.2.1, 11.2.3)",
		func(now, zone, until string, change func(*catalog.NewAllocation), blocks ...string) {
			h := subscribe(now, zone, grants("1000", change))
			h.until(until)
			Expect(h.blocks()).To(Equal(blocks))
		},
		Entry("AL-1: to the end of the month", "2025-06-01", "UTC", "2025-07-31T23:59:59", nil,
			"1000: 2025-06-01 to 2025-07-01", "1000: 2025-07-01 to 2025-08-01"),
		Entry("AL-2: for ever", "2025-06-01", "UTC", "2025-07-01", forEver, "1000: 2025-06-01 for ever", "1000: 2025-07-01 for ever"),
		Entry("in full where the first period is partial", "2025-06-20T15:00:00Z", "UTC", "2025-06-30", nil, "1000: 2025-06-20 to 2025-07-01"),
		Entry("once", "2025-06-01", "UTC", "2026-06-01", once, "1000: 2025-06-01 for ever"),
		Entry("by quarters", "2025-06-01", "UTC", "2025-09-01", every(period.CadenceQuarterly), "1000: 2025-06-01 to 2025-09-01", "1000: 2025-09-01 to 2025-12-01"),
		Entry("for days, over a change to summer time", "2025-03-01T05:00:00Z", "America/New_York", "2025-03-31", lasting(period.Length{Days: 10}),
			"1000: 2025-03-01 to 2025-03-11"),
		Entry("for a month, from the last of one", "2025-01-31", "UTC", "2025-01-31T12:00:00", lasting(period.Length{Months: 1}), "1000: 2025-01-31 to 2025-02-28"),
		Entry("by months of the customer's zone, over a change to winter time", "2025-10-01T04:00:00Z", "America/New_York", "2025-12-01T05:00:00Z", nil,
			"1000: 2025-10-01 to 2025-11-01", "1000: 2025-11-01 to 2025-12-01", "1000: 2025-12-01 to 2026-01-01"),
	)

	It("is due at the instant at which a period begins, and not before", func() {
		h := subscribe("2025-10-01T04:00:00Z", "America/New_York", grants("1000", nil))
		Expect(h.Next(allocation.NextDue, "2025-11-01T03:59:59.999999")).To(BeEmpty())
		Expect(h.Next(allocation.NextDue, "2025-11-01T04:00:00")).To(Equal("2025-11-01T04:00"))
		h.Clock("2025-11-01T03:59:59Z")
		Expect(h.All(grantNext)).To(BeZero())
		h.Clock("2025-11-01T04:00:00Z")
		Expect(h.All(grantNext)).To(Equal(1))
		Expect(h.Next(allocation.NextDue, "2025-12-31")).To(Equal("2025-12-01T05:00"))
	})

	It("grants each period once, however often and at how many servers it is looked at", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil))
		h.sync()
		h.Clock("2025-09-15")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				defer GinkgoRecover()
				h.All(grantNext)
			})
		}
		all.Wait()
		h.All(grantNext)
		h.sync()
		Expect(h.blocks()).To(HaveLen(4))
		h.Do(func(tx *store.Tx) error {
			strays, err := allocation.Strays(tx)
			Expect(strays).To(BeEmpty())
			return err
		})
	})

	It("grants the same in one step as in many, whatever the start", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			zone := rapid.SampledFrom([]string{"UTC", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu"}).Draw(rt, "zone")
			start := domaintest.Instant("2025-01-01").AddDate(0, 0, rapid.IntRange(0, 364).Draw(rt, "day")).Add(time.Duration(rapid.IntRange(0, 23).Draw(rt, "hour")) * time.Hour)
			cadence := rapid.SampledFrom([]period.Cadence{period.CadenceMonthly, period.CadenceQuarterly, period.CadenceAnnual}).Draw(rt, "cadence")
			end := start.AddDate(0, rapid.IntRange(1, 14).Draw(rt, "months"), 0).Format(time.RFC3339)
			at := func(t time.Time) string { return t.Format(time.RFC3339) }
			stepwise := subscribe(at(start), zone, grants("1000", every(cadence)))
			stepwise.until(end)
			atOnce := subscribe(at(start), zone, grants("1000", every(cadence)))
			atOnce.Clock(end)
			atOnce.sync()
			if one, many := atOnce.blocks(), stepwise.blocks(); !slices.Equal(one, many) {
				rt.Fatalf("at once %v, stepwise %v", one, many)
			}
			many := stepwise.blocks()
			for k := 1; k < len(many); k++ { // each begins where the one before ends
				from, to := many[k][len("1000: "):], many[k-1][len("1000: 2025-01-01 to "):]
				if from[:len(to)] != to {
					rt.Fatalf("%q after %q", many[k], many[k-1])
				}
			}
		})
	})

	It("says where its credits came from and what they cost", func() {
		h := subscribe("2025-06-01", "UTC", grants("10.5", nil))
		h.Do(func(tx *store.Tx) error {
			all, _, err := credit.ListBlocks(tx, h.ID, credit.BlockFilter{Currency: money.Credits}, store.Page{Limit: 10})
			Expect(all).To(HaveLen(1))
			Expect(all[0].Source).To(Equal(credit.SourceAllocation))
			Expect(*all[0].OriginID).To(Equal(h.terms().Intervals[0].PriceID))
			Expect(*all[0].PerUnitCostBasis).To(Equal("0.02"))
			return err
		})
	})
})

var _ = Describe("Granted credits expire", func() {
	forEver := func(a *catalog.NewAllocation) { a.ExpiresAtEndOfCadence = nil }

	It("AL-4: where the subscription is canceled, and no later than they would (semantics 11.2.4)", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil), grants("50", forEver))
		h.until("2025-06-10T12:00:00Z")
		h.cancel("2025-06-10T12:00:00Z")
		Expect(h.blocks()).To(Equal([]string{"1000: 2025-06-01 to 2025-06-10T12:00", "50: 2025-06-01 to 2025-06-10T12:00"}))
		h.until("2026-01-01")
		Expect(h.blocks()).To(HaveLen(2))
	})

	It("as before, where a cancellation that lies ahead is taken back", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil), grants("50", forEver))
		was := h.blocks()
		h.cancel("2025-06-20")
		Expect(h.blocks()).To(Equal([]string{"1000: 2025-06-01 to 2025-06-20", "50: 2025-06-01 to 2025-06-20"}))
		h.Do(func(tx *store.Tx) error {
			t, err := subscription.Lock(tx, h.subscription)
			if err != nil {
				return err
			}
			return subscription.UnscheduleCancellation(tx, t)
		})
		h.sync()
		Expect(h.blocks()).To(Equal(was))
	})

	It("where the price ends within the period, those of earlier periods as before (semantics 11.2.5)", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", forEver))
		h.until("2025-07-05")
		h.end("2025-07-20")
		h.sync()
		Expect(h.blocks()).To(Equal([]string{"1000: 2025-06-01 for ever", "1000: 2025-07-01 to 2025-07-20"}))
	})

	DescribeTable("and leave the days of a period for a refund, whole local days",
		func(zone, start, end string, part, whole int) {
			h := subscribe(start, zone, grants("1000", nil))
			h.end(end)
			i := h.terms().Intervals[0]
			cut := func() (c allocation.Cut, found bool) {
				h.Do(func(tx *store.Tx) (err error) {
					c, found, err = allocation.CutGrant(tx, h.terms(), i, i.StartAt)
					return err
				})
				return c, found
			}
			h.Clock(i.EndAt.Add(-24 * time.Hour).Format(time.RFC3339))
			_, found := cut()
			Expect(found).To(BeFalse(), "the price has not ended yet")
			i = h.terms().Intervals[0]
			h.Clock(h.terms().Intervals[0].EndAt.Format(time.RFC3339))
			c, found := cut()
			Expect(found).To(BeTrue())
			loc := h.Location()
			Expect([]int{period.Days(c.Days, loc), period.Days(c.Whole, loc)}).To(Equal([]int{part, whole}))
		},
		Entry("half of a month", "UTC", "2025-06-01", "2025-06-16", 15, 30),
		Entry("within a day, which counts", "UTC", "2025-06-01", "2025-06-16T18:00:00Z", 15, 30),
		Entry("over a change of the clock", "America/New_York", "2025-03-01T05:00:00Z", "2025-03-05", 27, 31),
		Entry("the last day of February", "UTC", "2024-02-01", "2024-02-29", 1, 29),
	)
})

var _ = Describe("A price that takes the place of another within a period", func() {
	grant := func(h holder, amount string) catalog.NewPrice { return h.Grants(amount, "0.02") }

	It("grants the difference, and the period after it the whole (semantics 11.2.5)", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil))
		h.replace("2025-06-16", grant(h, "1500"))
		h.Clock("2025-06-16")
		h.sync()
		Expect(h.blocks()).To(Equal([]string{"1000: 2025-06-01 to 2025-07-01", "500: 2025-06-16 to 2025-07-01"}))
		Expect(h.takeBack()).To(BeEmpty())
		h.until("2025-07-01")
		Expect(h.blocks()[2:]).To(Equal([]string{"1500: 2025-07-01 to 2025-08-01"}))
	})

	It("grants nothing where it grants as much", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil))
		h.replace("2025-06-16", grant(h, "1000"))
		h.Clock("2025-06-16")
		h.sync()
		Expect(h.blocks()).To(Equal([]string{"1000: 2025-06-01 to 2025-07-01"}))
	})

	DescribeTable("takes back, of what is unspent, the difference, once",
		func(spent, taken string) {
			h := subscribe("2025-05-01", "UTC", grants("1000", nil))
			h.until("2025-06-01")
			h.spend(spent)
			h.replace("2025-06-16", grant(h, "600"))
			Expect(h.takeBack()).To(BeEmpty(), "it has not begun")
			h.Clock("2025-06-16")
			h.sync()
			Expect(h.takeBack()).To(Equal([]string{taken + " of 400"}))
			Expect(h.takeBack()).To(BeEmpty())
			t := h.terms()
			h.Do(func(tx *store.Tx) error {
				all, err := allocation.Reductions(tx, t, t.Intervals[0], domaintest.Instant("2025-06-01"))
				Expect(all).To(HaveLen(1))
				Expect(all[0].Amount.String()).To(Equal(taken))
				Expect([]int{period.Days(all[0].Days, time.UTC), period.Days(all[0].Whole, time.UTC)}).To(Equal([]int{15, 30}))
				return err
			})
		},
		Entry("all of it", "300", "400"),
		Entry("what is left", "900", "100"),
		Entry("to the last credit", "600", "400"),
		Entry("nothing", "1000", "0"),
	)

	It("leaves the customer the amount of the last price, whatever the prices were, as long as nothing is spent", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			last := rapid.IntRange(1, 2000).Draw(rt, "first")
			h := subscribe("2025-06-01", "UTC", grants(fmt.Sprint(last), nil))
			day := 1
			for range rapid.IntRange(1, 4).Draw(rt, "prices") {
				day += rapid.IntRange(1, 7).Draw(rt, "days")
				last = rapid.IntRange(1, 2000).Draw(rt, "amount")
				h.replace(fmt.Sprintf("2025-06-%02d", day), grant(h, fmt.Sprint(last)))
				h.Clock(fmt.Sprintf("2025-06-%02d", day))
				h.sync()
				h.takeBack()
			}
			h.Do(func(tx *store.Tx) error {
				balance, err := credit.Balance(tx, h.ID, money.Credits)
				if balance.String() != fmt.Sprint(last) {
					rt.Fatalf("%s are left of %d", balance, last)
				}
				return err
			})
		})
	})

	It("is found where a block came of no period", func() {
		h := subscribe("2025-06-01", "UTC", grants("1000", nil))
		h.Do(func(tx *store.Tx) error {
			made, err := credit.Add(tx, h.Customer, credit.Grant{Currency: money.Credits, Amount: money.FromInt(1), Source: credit.SourceAllocation})
			if err != nil {
				return err
			}
			strays, err := allocation.Strays(tx)
			Expect(strays).To(Equal([]string{made.BlockID}))
			return err
		})
	})
})
