package coupon_test

import (
	"context"
	"flag"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/coupon"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestCoupon(t *testing.T) {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "coupon")
}

// property runs a property as one spec.
func property(sentence string, check func(t *rapid.T)) {
	It(sentence, func() { rapid.Check(GinkgoT(), check) })
}

// fixture hands out coupons of one account, on a database of its own.
type fixture struct {
	store *store.Store
	ctx   context.Context
}

func open() fixture {
	GinkgoHelper()
	st := storetest.Shared()
	return fixture{st, storetest.Account(st, "test")}
}

// try runs an operation in a transaction.
func try[T any](d fixture, do func(tx *store.Tx) (T, error)) (result T, err error) {
	err = d.store.Update(d.ctx, func(tx *store.Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// create makes a coupon of 20 % with that code; change makes it another one.
func (d fixture) create(code string, change func(*coupon.NewCoupon)) (coupon.Coupon, error) {
	wanted := coupon.NewCoupon{RedemptionCode: code, Kind: rating.PercentageDiscount, Value: money.Must("0.2")}
	if change != nil {
		change(&wanted)
	}
	return try(d, func(tx *store.Tx) (coupon.Coupon, error) { return coupon.Create(tx, wanted) })
}

// made is create for what must succeed.
func (d fixture) made(code string, change func(*coupon.NewCoupon)) coupon.Coupon {
	GinkgoHelper()
	c, err := d.create(code, change)
	Expect(err).NotTo(HaveOccurred())
	return c
}

// atMost is a change: so many redemptions.
func atMost(n int) func(*coupon.NewCoupon) {
	return func(c *coupon.NewCoupon) { c.MaxRedemptions = &n }
}

func (d fixture) take(id string) (coupon.Coupon, error) {
	return try(d, func(tx *store.Tx) (coupon.Coupon, error) { return coupon.Take(tx, id) })
}

func (d fixture) takeByCode(code string) (coupon.Coupon, error) {
	return try(d, func(tx *store.Tx) (coupon.Coupon, error) { return coupon.TakeByCode(tx, code) })
}

func (d fixture) archive(id string) (coupon.Coupon, error) {
	return try(d, func(tx *store.Tx) (coupon.Coupon, error) { return coupon.Archive(tx, id) })
}

func (d fixture) find(id string) coupon.Coupon {
	GinkgoHelper()
	c, err := try(d, func(tx *store.Tx) (coupon.Coupon, error) { return coupon.Find(tx, id) })
	Expect(err).NotTo(HaveOccurred())
	return c
}

// codes lists the codes of the coupons that a filter lets through.
func (d fixture) codes(filter coupon.Filter) []string {
	GinkgoHelper()
	all, err := try(d, func(tx *store.Tx) ([]coupon.Coupon, error) {
		coupons, _, err := coupon.List(tx, filter, store.Page{Limit: 100})
		return coupons, err
	})
	Expect(err).NotTo(HaveOccurred())
	codes := []string{}
	for _, c := range all {
		codes = append(codes, c.RedemptionCode)
	}
	return codes
}
