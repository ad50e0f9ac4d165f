package server

import (
	"context"
	"fmt"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/coupon"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreateCoupon serves POST /v1/coupons.
func (s *Server) CreateCoupon(ctx context.Context, req gen.CreateCouponRequestObject) (gen.CreateCouponResponseObject, error) {
	wanted, err := couponFromWire(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Coupon, error) {
		made, err := coupon.Create(tx, wanted)
		if err != nil {
			return gen.Coupon{}, err
		}
		return couponToWire(made), nil
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateCoupon201JSONResponse(created), nil
}

// ListCoupons serves GET /v1/coupons.
func (s *Server) ListCoupons(ctx context.Context, req gen.ListCouponsRequestObject) (gen.ListCouponsResponseObject, error) {
	p := req.Params
	filter := coupon.Filter{
		RedemptionCode: orEmpty(p.RedemptionCode),
		Archived:       p.ShowArchived != nil && *p.ShowArchived,
	}
	var page gen.CouponPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		coupons, next, err := coupon.List(tx, filter, pageFromWire(p.Limit, p.Cursor))
		page = gen.CouponPage{Data: toWire(coupons, couponToWire), PaginationMetadata: pageToWire(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCoupons200JSONResponse(page), nil
}

// FetchCoupon serves GET /v1/coupons/{coupon_id}.
func (s *Server) FetchCoupon(ctx context.Context, req gen.FetchCouponRequestObject) (gen.FetchCouponResponseObject, error) {
	var found coupon.Coupon
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = coupon.Find(tx, req.CouponID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchCoupon200JSONResponse(couponToWire(found)), nil
}

// ArchiveCoupon serves POST /v1/coupons/{coupon_id}/archive.
func (s *Server) ArchiveCoupon(ctx context.Context, req gen.ArchiveCouponRequestObject) (gen.ArchiveCouponResponseObject, error) {
	archived, err := once(ctx, s, func(tx *store.Tx) (gen.Coupon, error) {
		archived, err := coupon.Archive(tx, req.CouponID)
		if err != nil {
			return gen.Coupon{}, err
		}
		return couponToWire(archived), nil
	})
	if err != nil {
		return nil, err
	}
	return gen.ArchiveCoupon200JSONResponse(archived), nil
}

// ListCouponSubscriptions serves GET /v1/coupons/{coupon_id}/subscriptions.
func (s *Server) ListCouponSubscriptions(ctx context.Context, req gen.ListCouponSubscriptionsRequestObject) (gen.ListCouponSubscriptionsResponseObject, error) {
	var list gen.SubscriptionPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		if _, err := coupon.Find(tx, req.CouponID); err != nil {
			return err
		}
		filter := subscription.Filter{CouponID: req.CouponID}
		terms, next, err := subscription.List(tx, filter, pageFromWire(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = pageToWire(next)
		list.Data, err = subscriptionsToWire(tx, terms...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCouponSubscriptions200JSONResponse(list), nil
}

// RedeemCoupon serves POST /v1/subscriptions/{subscription_id}/redeem_coupon.
func (s *Server) RedeemCoupon(ctx context.Context, req gen.RedeemCouponRequestObject) (gen.RedeemCouponResponseObject, error) {
	body, err := mutate(ctx, s, req.SubscriptionID, *req.Body, redemption)
	if err != nil {
		return nil, err
	}
	return gen.RedeemCoupon200JSONResponse(body), nil
}

func redemption(body gen.CouponRedeem) (mutation, error) {
	in := subscription.Redemption{
		CouponID: body.CouponID, Code: body.CouponRedemptionCode,
		Option: subscription.ChangeOption(body.ChangeOption), Date: body.ChangeDate,
	}
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.RedeemCoupon(tx, id, in, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, nil
}

func couponFromWire(in gen.CouponCreate) (coupon.NewCoupon, error) {
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
		wanted.Value, err = amountFromWire("discount.amount_discount", off.AmountDiscount)
	}
	return wanted, err
}

func couponToWire(c coupon.Coupon) gen.Coupon {
	shown := gen.Coupon{
		ID:               c.ID,
		RedemptionCode:   c.RedemptionCode,
		TimesRedeemed:    c.TimesRedeemed,
		DurationInMonths: c.DurationMonths,
		MaxRedemptions:   c.MaxRedemptions,
		ArchivedAt:       optionalInstantToWire(c.ArchivedAt),
	}
	var err error
	if c.Kind == rating.PercentageDiscount {
		err = shown.Discount.FromPercentageDiscount(gen.PercentageDiscount{PercentageOff: gen.PercentageOff{
			DiscountType: gen.PercentageDiscountTypePercentage, PercentageDiscount: numberToWire(c.Value),
		}})
	} else {
		// There is no currency to tell how many digits; most have two.
		err = shown.Discount.FromAmountDiscount(gen.AmountDiscount{AmountOff: gen.AmountOff{
			DiscountType: gen.AmountDiscountTypeAmount, AmountDiscount: c.Value.StringFixed(max(2, c.Value.Places())),
		}})
	}
	if err != nil {
		panic(fmt.Sprintf("server: coupon %s cannot be written: %v", c.ID, err))
	}
	return shown
}

// redeemedToWire shows the coupon that a subscription redeemed last.
func redeemedToWire(t subscription.Terms) *gen.CouponRedemption {
	redeemed := t.Redeemed()
	if redeemed == nil {
		return nil
	}
	return &gen.CouponRedemption{
		CouponID: *redeemed.CouponID, StartDate: instantToWire(redeemed.StartAt), EndDate: optionalInstantToWire(redeemed.EndAt),
	}
}
