package money

import "github.com/ericlagergren/decimal"

// Places is the number of fractional digits that are kept where nothing else
// sets a limit (price models 1.5.1 and 1.5.4).
const Places = 20

// Round keeps that many fractional digits; a half goes away from zero
// (price models 1.5.2).
func (d Decimal) Round(places int) Decimal {
	return d.cut(places, decimal.ToNearestAway)
}

// Trunc drops what follows that many fractional digits. Rounding the result to
// fewer places gives what rounding d itself gives.
func (d Decimal) Trunc(places int) Decimal {
	return d.cut(places, decimal.ToZero)
}

// Ceil returns the least whole number that is not below d.
func (d Decimal) Ceil() Decimal {
	return d.cut(0, decimal.ToPositiveInf)
}

// trusted is how many digits of a result stay right when a few non-terminating
// quotients were added up; no product of a quantity and a rate has more.
const trusted = 90

// WithoutTail drops the digits below the 20th place that a non-terminating
// division leaves (price models 1.5.2), so that three thirds are 1 again. The
// digits of an exact result are cut there too, not rounded: a value just below
// half a cent stays below it.
func (d Decimal) WithoutTail() Decimal {
	if d.b == nil { // and so has no such digits
		return d
	}
	near := exact
	near.Precision = trusted
	near.RoundingMode = decimal.ToNearestAway
	return done(near.Round(new(decimal.Big).Copy(d.big()))).Trunc(Places)
}

// cut is the library's Quantize, asked only to shorten a number, and once more
// where a carry (9.99 to 10.0) made it stop one place early or late.
func (d Decimal) cut(places int, mode decimal.RoundingMode) Decimal {
	if d.scale() <= places {
		return d
	}
	ctx := decimal.Context{Precision: 2 * digits, RoundingMode: mode, OperatingMode: decimal.GDA}
	b := ctx.Quantize(new(decimal.Big).Copy(d.big()), places)
	if b.Scale() != places {
		b = ctx.Quantize(b, places)
	}
	return done(b)
}
