package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/coupon"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateCoupon serves POST /v1/coupons.
func (s *Server) CreateCoupon(ctx context.Context, req gen.CreateCouponRequestObject) (gen.CreateCouponResponseObject, error) {
	wanted, err := wire.ReadCoupon(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Coupon, error) {
		made, err := coupon.Create(tx, wanted)
		if err != nil {
			return gen.Coupon{}, err
		}
		return wire.Coupon(made), nil
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
		RedemptionCode: wire.Deref(p.RedemptionCode),
		Archived:       p.ShowArchived != nil && *p.ShowArchived,
	}
	var page gen.CouponPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		coupons, next, err := coupon.List(tx, filter, wire.ReadPage(p.Limit, p.Cursor))
		page = gen.CouponPage{Data: wire.MapSlice(coupons, wire.Coupon), PaginationMetadata: wire.Page(next)}
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
	return gen.FetchCoupon200JSONResponse(wire.Coupon(found)), nil
}

// ArchiveCoupon serves POST /v1/coupons/{coupon_id}/archive.
func (s *Server) ArchiveCoupon(ctx context.Context, req gen.ArchiveCouponRequestObject) (gen.ArchiveCouponResponseObject, error) {
	archived, err := once(ctx, s, func(tx *store.Tx) (gen.Coupon, error) {
		archived, err := coupon.Archive(tx, req.CouponID)
		if err != nil {
			return gen.Coupon{}, err
		}
		return wire.Coupon(archived), nil
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
		terms, next, err := subscription.List(tx, filter, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = wire.Page(next)
		list.Data, err = wire.LoadSubscriptions(tx, terms...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCouponSubscriptions200JSONResponse(list), nil
}

// RedeemCoupon serves POST /v1/subscriptions/{subscription_id}/redeem_coupon.
func (s *Server) RedeemCoupon(ctx context.Context, req gen.RedeemCouponRequestObject) (gen.RedeemCouponResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, redemption)
	if err != nil {
		return nil, err
	}
	return gen.RedeemCoupon200JSONResponse(body), nil
}

func redemption(body gen.CouponRedeem) (change, error) {
	in := subscription.Redemption{
		CouponID: body.CouponID, Code: body.CouponRedemptionCode,
		Option: subscription.ChangeOption(body.ChangeOption), Date: body.ChangeDate,
	}
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.RedeemCoupon(tx, id, in, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, nil
}
