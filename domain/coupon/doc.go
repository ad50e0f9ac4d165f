// Package coupon is what customers redeem for a discount: on all prices that a
// subscription then has, for some months or for ever (semantics 15).
//
// # Choices
//
// A coupon knows what it takes off and how often it may be redeemed, and counts.
// The discount itself is an adjustment of the subscription, made where it is
// redeemed; what happens to the coupon afterwards does not touch it.
//
// A discount by an amount has no currency. It is money of the currency of each
// invoice it meets, and rounded to its minor unit there.
//
// A code that cannot be redeemed is refused in the same words whether it never
// was or belongs to archived coupons only. An id that does not exist is missing,
// as elsewhere; one of an archived coupon is refused.
package coupon
