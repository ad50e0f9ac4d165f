package billing

import (
	"math/big"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/reference"
	"tollkeeper/domain/subscription"
)

// referArrears weighs each quantity of a fee in arrears by the days for which it was
// (price models 5.4).
func referArrears(s subscription.ServicePeriod, days reference.Days, zone *time.Location) (r referred, err error) {
	type spell struct {
		from     time.Time
		quantity money.Decimal
	}
	spells := []spell{{s.Period.Start, quantityAt(s.Interval, s.Period.Start)}}
	for _, change := range s.Interval.Transitions {
		if change.Quantity != nil && change.EffectiveAt.After(s.Period.Start) && change.EffectiveAt.Before(s.Period.End) {
			spells = append(spells, spell{change.EffectiveAt, *change.Quantity})
		}
	}
	usage := reference.Usage{Quantity: ratOf(spells[len(spells)-1].quantity), Fixed: true, Share: shareOf(days)}
	for k, sp := range spells {
		end := s.Period.End
		if k+1 < len(spells) {
			end = spells[k+1].from
		}
		part := reference.Days{To: reference.DaysBetween(sp.from, end, zone), Of: days.Of}
		usage.Spans = append(usage.Spans, reference.Span{Quantity: ratOf(sp.quantity), Share: shareOf(part)})
	}
	r, err = referRated(s.Interval.Price, usage)
	r.quantity = usage.Quantity
	return r, err
}

// quantityAt is the quantity of a fixed fee at an instant.
func quantityAt(i subscription.PriceInterval, at time.Time) money.Decimal {
	var quantity money.Decimal
	if i.Price.Quantity != nil {
		quantity = *i.Price.Quantity
	}
	for _, change := range i.Transitions { // by instant
		if change.Quantity != nil && !change.EffectiveAt.After(at) {
			quantity = *change.Quantity
		}
	}
	return quantity
}

// referInstalment is what an installment adds: the rounded fee up to its end less the rounded
// fee up to its beginning (price models 5.6).
func referInstalment(s subscription.ServicePeriod, days reference.Days) (r referred, err error) {
	if s.Before != nil || len(s.Interval.Transitions) > 0 {
		return r, changedInParts
	}
	price := s.Interval.Price
	if r, err = referFee(price, ratOf(s.Quantity), big.NewRat(1, 1)); err != nil {
		return r, err
	}
	upTo := func(day int) *big.Rat {
		return rounded(price.Currency, new(big.Rat).Mul(r.exact(), big.NewRat(int64(day), int64(days.Of))))
	}
	r.subtotal = new(big.Rat).Sub(upTo(days.To), upTo(days.From))
	r.line.Subtotal = r.subtotal
	r.line.Usage.Share = shareOf(days)
	return r, nil
}

// referFee is what a quantity of a fixed fee costs.
func referFee(price catalog.Price, quantity *big.Rat, share *big.Rat) (referred, error) {
	r, err := referRated(price, reference.Usage{Quantity: quantity, Fixed: true, Share: share})
	r.quantity = quantity
	return r, err
}

func referRated(price catalog.Price, usage reference.Usage) (referred, error) {
	r := blank(price)
	exact, err := reference.Rate(price.ModelType, price.Config, usage)
	if err != nil {
		return r, err
	}
	r.line.ModelType, r.line.Config, r.line.Usage = price.ModelType, price.Config, usage
	r.subtotal = rounded(price.Currency, exact)
	r.line.Subtotal = r.subtotal
	return r, nil
}

func blank(price catalog.Price) (r referred) {
	kinds := map[catalog.PriceType]string{catalog.PriceUsage: "usage", catalog.PriceFixed: "fixed", catalog.PriceComposite: "composite"}
	r.service.Interval.Price = price
	r.line.Price = reference.Price{
		ID: price.ID, ItemID: price.ItemID, Currency: string(price.Currency), Unit: !price.Currency.Valid(), Type: kinds[price.Type], InAdvance: price.InAdvance(),
	}
	if price.Currency.Valid() {
		r.line.Places = price.Currency.MinorUnits()
	}
	r.subtotal = new(big.Rat)
	return r
}
