package coupon

import (
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Coupon is a discount that can be redeemed.
type Coupon struct {
	store.Record
	RedemptionCode string                // as sent, upper and lower case apart; unique among coupons that are not archived
	Kind           rating.AdjustmentKind // PercentageDiscount or AmountDiscount
	Value          money.Decimal         // a fraction from 0 to 1, or money; never negative
	DurationMonths *int                  // calendar months from the redemption on; nil: for ever
	MaxRedemptions *int                  // nil: any number
	TimesRedeemed  int
	ArchivedAt     *time.Time // nil: it can be redeemed
}

// NewCoupon is what a client asks for.
type NewCoupon struct {
	RedemptionCode string
	Kind           rating.AdjustmentKind
	Value          money.Decimal
	DurationMonths *int
	MaxRedemptions *int
}

// Create makes a coupon. A code that can be redeemed already is fault.Taken.
func Create(tx *store.Tx, in NewCoupon) (Coupon, error) {
	if err := rating.CheckAdjustment(rating.Adjustment{Kind: in.Kind, Value: in.Value}); err != nil {
		return Coupon{}, fault.In("discount", err)
	}
	coupon := Coupon{
		Record:         tx.Record("coupon"),
		RedemptionCode: in.RedemptionCode,
		Kind:           in.Kind,
		Value:          in.Value,
		DurationMonths: in.DurationMonths,
		MaxRedemptions: in.MaxRedemptions,
	}
	err := tx.Create(&coupon).Error
	if store.Unique(err, "coupons_code") {
		err = fault.Taken("coupon", "redemption_code")
	}
	return coupon, err
}

// Find returns the coupon with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (Coupon, error) { return find(tx.DB, id) }

func find(query *gorm.DB, id string) (coupon Coupon, err error) {
	err = query.Where("id = ?", id).Take(&coupon).Error
	return coupon, store.Found(err, "Coupon", id)
}

// Filter narrows a list. An empty code does not.
type Filter struct {
	RedemptionCode string
	Archived       bool // also those that are archived
}

// List returns a page of coupons, newest first.
func List(tx *store.Tx, filter Filter, page store.Page) (coupons []Coupon, next string, err error) {
	query := tx.Model(&Coupon{})
	if filter.RedemptionCode != "" {
		query = query.Where("redemption_code = ?", filter.RedemptionCode)
	}
	if !filter.Archived {
		query = query.Where("archived_at IS NULL")
	}
	return store.List[Coupon](query, page)
}

// Archive ends a coupon and frees its code. Discounts that run go on (semantics
// 15.1.5). Archiving it again is refused.
func Archive(tx *store.Tx, id string) (Coupon, error) {
	coupon, err := find(tx.Clauses(forUpdate), id)
	if err == nil && coupon.ArchivedAt != nil {
		err = fault.Refused("this coupon is archived already")
	}
	if err != nil {
		return Coupon{}, err
	}
	coupon.ArchivedAt = &tx.Now
	return coupon, tx.Model(&coupon).Select("archived_at").Updates(&coupon).Error
}
