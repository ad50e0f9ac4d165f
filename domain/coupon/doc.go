// Package coupon owns coupons. A customer redeems a coupon for a discount on all prices that a
// subscription has then, for some months or without an end (semantics 15).
//
// # Choices
//
// A coupon stores its discount and how often it may be redeemed, and counts redemptions. The
// redemption creates an adjustment of the subscription. Later changes of the coupon do not affect
// that adjustment.
//
// A discount by an amount has no currency. On each invoice it is an amount in the invoice's
// currency, rounded to its minor unit.
//
// A code that cannot be redeemed is refused with the same message whether it never existed or
// belongs to archived coupons only. An unknown id is missing, as elsewhere; the id of an archived
// coupon is refused.
package coupon
