package topup_test

import (
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/topup"
	"tollkeeper/store"
)

var _ = Describe("A top-up", func() {
	var b buyer
	BeforeEach(func() { b = open("2025-03-10T09:00:00Z", "UTC") })

	It("TU-5: takes the place of the one in its unit, and of no other (semantics 11.1.1)", func() {
		first := b.agreed(nil)
		b.agreed(func(in *topup.NewTopUp) { in.Currency = "USD" })
		b.agreed(func(in *topup.NewTopUp) { in.Threshold = "50" })
		Expect(b.thresholds()).To(Equal([]string{"50 credits", "20 USD"}))
		b.Do(func(tx *store.Tx) error {
			_, err := topup.Find(tx, b.ID, first.ID)
			Expect(err).To(domaintest.BeMissing())
			_, active, err := topup.Lock(tx, first.ID)
			Expect(active).To(BeFalse())
			return err
		})
	})

	It("is one of its unit, however many are made at once", func() {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				defer GinkgoRecover()
				b.agreed(nil)
			})
		}
		all.Wait()
		Expect(b.thresholds()).To(Equal([]string{"20 credits"}))
	})

	It("takes the place of another also where it is active later", func() {
		b.agreed(nil)
		later := instant("2025-04-01")
		b.agreed(func(in *topup.NewTopUp) { in.Threshold, in.ActiveFrom = "50", &later })
		Expect(b.thresholds()).To(Equal([]string{"50 credits"}))
		Expect(b.Next(topup.NextDue, "2025-03-31T23:59:59")).To(BeEmpty())
	})

	It("is of its customer and account alone", func() {
		made := b.agreed(nil)
		other, elsewhere := b.CustomerIn("UTC"), open("2025-03-10T09:00:00Z", "UTC")
		for _, of := range []struct {
			domaintest.Account
			customer string
		}{{b.Account, other.ID}, {elsewhere.Account, b.ID}} {
			of.Do(func(tx *store.Tx) error {
				_, err := topup.Find(tx, of.customer, made.ID)
				Expect(err).To(domaintest.BeMissing())
				return nil
			})
		}
		elsewhere.Do(func(tx *store.Tx) error { return topup.Deactivate(tx, made.ID) })
		Expect(b.thresholds()).To(Equal([]string{"20 credits"}))
	})

	It("is shown no more once it is deactivated, and not when it is made again", func() {
		made := b.agreed(nil)
		b.Do(func(tx *store.Tx) error { return topup.Deactivate(tx, made.ID) })
		Expect(b.thresholds()).To(BeEmpty())
		b.agreed(nil)
		Expect(b.thresholds()).To(HaveLen(1))
		b.agreed(func(in *topup.NewTopUp) { in.Currency = "USD" })
		b.Do(func(tx *store.Tx) error { return topup.DeactivateOf(tx, b.ID) })
		Expect(b.thresholds()).To(BeEmpty())
	})

	It("keeps amounts as they were sent", func() {
		made := b.agreed(func(in *topup.NewTopUp) { in.Threshold, in.Amount, in.PerUnitCostBasis = "20.50", "100.0", "0.100" })
		b.Do(func(tx *store.Tx) error {
			kept, err := topup.Find(tx, b.ID, made.ID)
			Expect([]string{kept.Threshold, kept.Amount, kept.PerUnitCostBasis}).To(Equal([]string{"20.50", "100.0", "0.100"}))
			return err
		})
	})

	DescribeTable("is refused, without a trace, at what is wrong",
		func(change func(*topup.NewTopUp), fields ...string) {
			b.agreed(nil)
			_, err := b.agree(func(in *topup.NewTopUp) {
				in.Threshold = "7"
				change(in)
			})
			Expect(err).To(domaintest.BeInvalid(fields...))
			Expect(b.thresholds()).To(Equal([]string{"20 credits"}))
		},
		Entry("a unit that is none", func(in *topup.NewTopUp) { in.Currency = "tokens" }, "currency"),
		Entry("a threshold below 0", func(in *topup.NewTopUp) { in.Threshold = "-1" }, "threshold"),
		Entry("a threshold that is no number", func(in *topup.NewTopUp) { in.Threshold = "1e2" }, "threshold"),
		Entry("an amount of 0", func(in *topup.NewTopUp) { in.Amount = "0.00" }, "amount"),
		Entry("parts of a cent", func(in *topup.NewTopUp) { in.Currency, in.Amount = "USD", "0.005" }, "amount"),
		Entry("a cost below 0", func(in *topup.NewTopUp) { in.PerUnitCostBasis = "-0.01" }, "per_unit_cost_basis"),
		Entry("a life without its unit", func(in *topup.NewTopUp) { in.ExpiresAfter = ref(1) }, "expires_after, expires_after_unit"),
		Entry("a unit without a life", func(in *topup.NewTopUp) { in.ExpiresAfterUnit = ref(topup.UnitDay) }, "expires_after, expires_after_unit"),
		Entry("TU-6: active for more than ten days", func(in *topup.NewTopUp) { in.ActiveFrom = ref(instant("2025-02-28T08:59:59.999999Z")) }, "active_from"),
		Entry("all at once", func(in *topup.NewTopUp) { in.Threshold, in.Amount = "-1", "-1" }, "threshold", "amount"),
	)

	It("TU-6: may have been active for ten days", func() {
		made := b.agreed(func(in *topup.NewTopUp) { in.ActiveFrom = ref(instant("2025-02-28T09:00:00Z")) })
		Expect(made.ActiveFrom).To(BeTemporally("==", instant("2025-02-28T09:00:00Z")))
	})

	It("costs nothing, or what the customer can be charged", func() {
		b.Do(func(tx *store.Tx) (err error) {
			b.Customer, err = customer.Create(tx, customer.NewCustomer{Name: "No currency", Email: "none@acme.test"})
			return err
		})
		_, err := b.agree(nil)
		Expect(err).To(domaintest.BeRefused("it has none"))
		Expect(b.agreed(func(in *topup.NewTopUp) { in.PerUnitCostBasis = "0.00" }).Sells()).To(BeFalse())
	})

	DescribeTable("is reached at its threshold and below (semantics 11.1.1)",
		func(balance string, reached bool) {
			t := topup.TopUp{Threshold: "20"}
			Expect(t.Reached(money.Must(balance))).To(Equal(reached))
		},
		Entry("above", "20.00000000000000000001", false),
		Entry("at", "20.0", true),
		Entry("below", "19.99", true),
		Entry("overdrawn", "-1000", true),
	)
})

var _ = Describe("What a top-up adds expires", func() {
	DescribeTable("at local midnight, counted from the local date of the trigger (semantics 11.1.3)",
		func(zone, bought string, after int, unit topup.Unit, expires string) {
			loc, err := period.LoadZone(zone)
			Expect(err).NotTo(HaveOccurred())
			on := period.DateOf(instant(bought), loc)
			at := topup.TopUp{ExpiresAfter: &after, ExpiresAfterUnit: &unit}.Expiry(on, loc)
			Expect(*at).To(BeTemporally("==", instant(expires)))
		},
		Entry("TU-7: a month after the 31st of January", "UTC", "2025-01-31T12:00:00Z", 1, topup.UnitMonth, "2025-02-28T00:00:00Z"),
		Entry("a month after the 31st of January of a leap year", "UTC", "2024-01-31T12:00:00Z", 1, topup.UnitMonth, "2024-02-29T00:00:00Z"),
		Entry("a month after the last of February", "UTC", "2025-02-28T12:00:00Z", 1, topup.UnitMonth, "2025-03-28T00:00:00Z"),
		Entry("a year of months", "UTC", "2025-01-31T12:00:00Z", 12, topup.UnitMonth, "2026-01-31T00:00:00Z"),
		Entry("days over a month end", "UTC", "2025-01-31T12:00:00Z", 1, topup.UnitDay, "2025-02-01T00:00:00Z"),
		Entry("days over a change to summer time", "America/New_York", "2025-03-08T17:00:00Z", 2, topup.UnitDay, "2025-03-10T04:00:00Z"),
		Entry("days over a change to winter time", "America/New_York", "2025-11-01T16:00:00Z", 2, topup.UnitDay, "2025-11-03T05:00:00Z"),
		Entry("a month to a day whose midnight does not exist", "America/Santiago", "2025-08-07T12:00:00Z", 1, topup.UnitMonth, "2025-09-07T04:00:00Z"),
		Entry("where it is the next month already", "Asia/Tokyo", "2025-01-31T15:00:00Z", 1, topup.UnitMonth, "2025-02-28T15:00:00Z"),
	)
	It("never, where the top-up says nothing", func() {
		Expect(topup.TopUp{}.Expiry(period.Date{Year: 2025, Month: 1, Day: 31}, nil)).To(BeNil())
	})
})

var _ = Describe("A balance is looked at for its top-up (semantics 11.1.4)", func() {
	const at = "2025-03-10T09:00"
	first := func(b buyer) (found bool) {
		GinkgoHelper()
		b.Do(func(tx *store.Tx) (err error) {
			_, found, err = topup.FirstDue(tx)
			return err
		})
		return found
	}

	It("when it is made, after every change and not again", func() {
		b := open("2025-03-10T09:00:00Z", "UTC")
		t := b.agreed(nil)
		Expect(b.Next(topup.NextDue, "2025-03-11")).To(Equal(at))
		b.look(t)
		Expect(b.Next(topup.NextDue, "2026-01-01")).To(BeEmpty())
		Expect(first(b)).To(BeFalse())
		b.Clock("2025-03-12T10:00:00Z")
		b.add(5)
		Expect(b.Next(topup.NextDue, "2025-03-13")).To(Equal("2025-03-12T10:00"))
		Expect(first(b)).To(BeTrue())
		b.look(t)
		Expect(first(b)).To(BeFalse())
	})

	It("as it becomes active, to the instant, over a change of the clock", func() {
		b := open("2025-03-08T09:00:00Z", "America/New_York")
		from := instant("2025-03-09T03:00:00-04:00") // an hour after midnight there
		t := b.agreed(func(in *topup.NewTopUp) { in.ActiveFrom = &from })
		Expect(b.Next(topup.NextDue, "2025-03-09T06:59:59.999999")).To(BeEmpty())
		Expect(b.Next(topup.NextDue, "2025-03-09T07:00:00")).To(Equal("2025-03-09T07:00"))
		Expect(first(b)).To(BeFalse())
		b.Clock("2025-03-09T07:00:00Z")
		Expect(first(b)).To(BeTrue())
		b.look(t)
		Expect(first(b)).To(BeFalse())
	})

	It("not once it is deactivated", func() {
		b := open("2025-03-10T09:00:00Z", "UTC")
		t := b.agreed(nil)
		b.Do(func(tx *store.Tx) error { return topup.Deactivate(tx, t.ID) })
		Expect(b.Next(topup.NextDue, "2025-04-01")).To(BeEmpty())
		b.Do(func(tx *store.Tx) error {
			_, due, err := topup.DueOf(tx, b.ID, money.Credits)
			Expect(due).To(BeFalse())
			return err
		})
	})

	It("exactly when it changed since it was looked at last", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			b := open("2025-03-31T23:00:00Z", "UTC")
			t := b.agreed(nil)
			waits := true
			for range rapid.IntRange(1, 8).Draw(rt, "steps") {
				switch rapid.SampledFrom([]string{"add", "look", "other unit", "lock"}).Draw(rt, "step") {
				case "add":
					b.add(rapid.Int64Range(1, 50).Draw(rt, "credits"))
					waits = true
				case "look":
					b.look(t)
					waits = false
				case "other unit":
					b.Do(func(tx *store.Tx) error {
						_, err := credit.Add(tx, b.Customer, credit.Grant{Currency: "USD", Amount: money.FromInt(1)})
						return err
					})
				case "lock": // which makes a ledger, and moves nothing
					b.Do(func(tx *store.Tx) error {
						_, err := credit.Lock(tx, b.ID, money.Credits)
						return err
					})
				}
				if due := first(b); due != waits {
					rt.Fatalf("due: %t, changed since: %t", due, waits)
				}
			}
		})
	})
})
