package wire

import (
	"fmt"

	"tollkeeper/domain/coupon"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
)

// ReadCoupon reads a new coupon: a percentage between 0 and 1, or an amount.
func ReadCoupon(in gen.CouponCreate) (coupon.NewCoupon, error) {
	wanted := coupon.NewCoupon{
		RedemptionCode: in.RedemptionCode, DurationMonths: in.DurationInMonths, MaxRedemptions: in.MaxRedemptions,
	}
	union, err := in.Discount.ValueByDiscriminator()
	if err != nil {
		return wanted, fmt.Errorf("read a discount: %w", err)
	}
	switch off := union.(type) {
	case gen.PercentageOff:
		wanted.Kind = rating.PercentageDiscount
		wanted.Value, err = numberFromWire("discount.percentage_discount", off.PercentageDiscount)
	case gen.AmountOff:
		wanted.Kind = rating.AmountDiscount
		wanted.Value, err = ReadAmount("discount.amount_discount", off.AmountDiscount)
	}
	return wanted, err
}

// Coupon returns a coupon. An amount has at least two decimals, since a coupon has no currency.
func Coupon(c coupon.Coupon) gen.Coupon {
	shown := gen.Coupon{
		ID:               c.ID,
		RedemptionCode:   c.RedemptionCode,
		TimesRedeemed:    c.TimesRedeemed,
		DurationInMonths: c.DurationMonths,
		MaxRedemptions:   c.MaxRedemptions,
		ArchivedAt:       OptionalInstant(c.ArchivedAt),
	}
	var err error
	if c.Kind == rating.PercentageDiscount {
		err = shown.Discount.FromPercentageDiscount(gen.PercentageDiscount{PercentageOff: gen.PercentageOff{
			DiscountType: gen.PercentageDiscountTypePercentage, PercentageDiscount: Number(c.Value),
		}})
	} else {
		// A coupon has no currency; most currencies have two decimals.
		err = shown.Discount.FromAmountDiscount(gen.AmountDiscount{AmountOff: gen.AmountOff{
			DiscountType: gen.AmountDiscountTypeAmount, AmountDiscount: c.Value.StringFixed(max(2, c.Value.Places())),
		}})
	}
	if err != nil {
		panic(fmt.Sprintf("wire: coupon %s cannot be written: %v", c.ID, err))
	}
	return shown
}

// redemptionToWire returns the coupon that the subscription redeemed last, nil for none.
func redemptionToWire(t subscription.Terms) *gen.CouponRedemption {
	redeemed := t.Redeemed()
	if redeemed == nil {
		return nil
	}
	return &gen.CouponRedemption{
		CouponID: *redeemed.CouponID, StartDate: Instant(redeemed.StartAt), EndDate: OptionalInstant(redeemed.EndAt),
	}
}
