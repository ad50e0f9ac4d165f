package coupon_test

import (
	"fmt"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/coupon"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// beFault matches an error of that kind.
func beFault(kind fault.Kind) OmegaMatcher {
	return WithTransform(func(err error) bool { return fault.Is(err, kind) }, BeTrue())
}

var _ = Describe("Create", func() {
	var d fixture
	BeforeEach(func() { d = open() })

	It("reads back what was made", func() {
		months := 3
		made := d.made("SPRING", func(c *coupon.NewCoupon) {
			c.Kind, c.Value, c.DurationMonths = rating.AmountDiscount, money.Must("15.00"), &months
		})
		found := d.find(made.ID)
		Expect(found.RedemptionCode).To(Equal("SPRING"))
		Expect(found.Kind).To(Equal(rating.AmountDiscount))
		Expect(found.Value).To(Equal(money.Must("15")))
		Expect(*found.DurationMonths).To(Equal(3))
		Expect(found.MaxRedemptions).To(BeNil())
		Expect(found.TimesRedeemed).To(BeZero())
		Expect(found.ArchivedAt).To(BeNil())
	})

	DescribeTable("refuses a discount that gives more than there is, or takes",
		func(kind rating.AdjustmentKind, value, place string) {
			_, err := d.create("X", func(c *coupon.NewCoupon) { c.Kind, c.Value = kind, money.Must(value) })
			Expect(err).To(MatchError(HavePrefix(place)))
			Expect(d.codes(coupon.Filter{})).To(BeEmpty())
		},
		Entry("more than all", rating.PercentageDiscount, "1.0001", "discount.percentage_discount: "),
		Entry("a negative fraction", rating.PercentageDiscount, "-0.1", "discount.percentage_discount: "),
		Entry("a negative amount", rating.AmountDiscount, "-0.01", "discount.amount_discount: "),
	)

	It("tells codes apart by case, and refuses one that can be redeemed", func() {
		d.made("spring", nil)
		d.made("SPRING", nil)
		_, err := d.create("spring", nil)
		Expect(err).To(beFault(fault.KindTaken))
		Expect(d.codes(coupon.Filter{})).To(Equal([]string{"SPRING", "spring"}))
	})
})

var _ = Describe("List", func() {
	It("hides what is archived, and narrows to a code", func() {
		d := open()
		old := d.made("A", nil)
		d.made("B", nil)
		_, err := d.archive(old.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(d.codes(coupon.Filter{})).To(Equal([]string{"B"}))
		Expect(d.codes(coupon.Filter{Archived: true})).To(Equal([]string{"B", "A"}))
		Expect(d.codes(coupon.Filter{RedemptionCode: "A"})).To(BeEmpty())
		Expect(d.codes(coupon.Filter{RedemptionCode: "A", Archived: true})).To(Equal([]string{"A"}))
	})
})

var _ = Describe("Archive", func() {
	It("frees the code, once and for good", func() {
		d := open()
		old := d.made("A", nil)
		archived, err := d.archive(old.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(archived.ArchivedAt).NotTo(BeNil())
		d.made("A", nil)
		_, err = d.archive(old.ID)
		Expect(err).To(beFault(fault.KindRefused))
		Expect(d.codes(coupon.Filter{})).To(Equal([]string{"A"}))
		_, err = d.archive("nope")
		Expect(err).To(beFault(fault.KindMissing))
	})
})

var _ = Describe("Take", func() {
	var d fixture
	BeforeEach(func() { d = open() })

	It("counts, by id and by code", func() {
		made := d.made("A", nil)
		Expect(d.take(made.ID)).To(HaveField("TimesRedeemed", 1))
		Expect(d.takeByCode("A")).To(HaveField("TimesRedeemed", 2))
		Expect(d.find(made.ID).TimesRedeemed).To(Equal(2))
	})

	It("takes back what the transaction does not keep", func() {
		made := d.made("A", atMost(1))
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			if _, err := coupon.Take(tx, made.ID); err != nil {
				return err
			}
			return fault.Refused("something else")
		})).To(beFault(fault.KindRefused))
		Expect(d.find(made.ID).TimesRedeemed).To(BeZero())
		Expect(d.take(made.ID)).To(HaveField("TimesRedeemed", 1))
	})

	It("refuses a code that is unknown, archived or written otherwise", func() {
		gone := d.made("GONE", nil)
		_, err := d.archive(gone.ID)
		Expect(err).NotTo(HaveOccurred())
		d.made("here", nil)
		for _, code := range []string{"nope", "GONE", "HERE", ""} {
			_, err := d.takeByCode(code)
			Expect(err).To(beFault(fault.KindRefused), code)
		}
		_, err = d.take(gone.ID)
		Expect(err).To(beFault(fault.KindRefused))
		_, err = d.take("nope")
		Expect(err).To(beFault(fault.KindMissing))
		Expect(d.find(gone.ID).TimesRedeemed).To(BeZero())
	})

	It("takes the coupon that bears the code now", func() {
		_, err := d.archive(d.made("A", nil).ID)
		Expect(err).NotTo(HaveOccurred())
		second := d.made("A", nil)
		Expect(d.takeByCode("A")).To(HaveField("ID", second.ID))
	})

	property("redeems a coupon as often as it may be, by requests at once", func(t *rapid.T) {
		asked := rapid.IntRange(1, 12).Draw(t, "asked")
		most := rapid.IntRange(1, 12).Draw(t, "most")
		made := d.made(store.NewID("code"), atMost(most))
		var given atomic.Int64
		var others sync.Map // errors that are no refusal
		var all sync.WaitGroup
		for k := range asked {
			all.Go(func() {
				take := func() (coupon.Coupon, error) { return d.take(made.ID) }
				if k%2 == 0 {
					take = func() (coupon.Coupon, error) { return d.takeByCode(made.RedemptionCode) }
				}
				switch _, err := take(); {
				case err == nil:
					given.Add(1)
				case !fault.Is(err, fault.KindRefused):
					others.Store(fmt.Sprint(k), err)
				}
			})
		}
		all.Wait()
		others.Range(func(_, err any) bool { t.Fatalf("failed: %v", err); return false })
		if want := min(asked, most); int(given.Load()) != want || d.find(made.ID).TimesRedeemed != want {
			t.Fatalf("%d of %d given to %d, %d counted", given.Load(), most, asked, d.find(made.ID).TimesRedeemed)
		}
	})
})
