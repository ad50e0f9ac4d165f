package coupon

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var forUpdate = clause.Locking{Strength: clause.LockingStrengthUpdate}

// Take counts a redemption of the coupon with that id, which stays locked until the
// transaction ends. An unknown id is fault.Missing; a coupon that is archived or
// used up is refused (semantics 15.1.4).
func Take(tx *store.Tx, id string) (Coupon, error) {
	coupon, err := find(tx.Clauses(forUpdate), id)
	if err == nil && coupon.ArchivedAt != nil {
		err = fault.Refused("a coupon that is archived cannot be redeemed")
	}
	if err != nil {
		return Coupon{}, err
	}
	return coupon.take(tx)
}

// TakeByCode is Take for the code of a coupon. One that is unknown or free again is
// refused.
func TakeByCode(tx *store.Tx, code string) (coupon Coupon, err error) {
	err = tx.Clauses(forUpdate).Where("redemption_code = ? AND archived_at IS NULL", code).Take(&coupon).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = fault.Refused("no coupon can be redeemed by this code")
	}
	if err != nil {
		return Coupon{}, err
	}
	return coupon.take(tx)
}

func (c Coupon) take(tx *store.Tx) (Coupon, error) {
	if c.MaxRedemptions != nil && c.TimesRedeemed >= *c.MaxRedemptions {
		return Coupon{}, fault.Refused("this coupon has been redeemed as often as it may be")
	}
	c.TimesRedeemed++
	return c, tx.Model(&c).Select("times_redeemed").Updates(&c).Error
}

// Return takes back a redemption of the coupon with that id.
func Return(tx *store.Tx, id string) error {
	coupon, err := find(tx.Clauses(forUpdate), id)
	if err != nil {
		return err
	}
	coupon.TimesRedeemed--
	return tx.Model(&coupon).Select("times_redeemed").Updates(&coupon).Error
}
