package main

import (
	"encoding/json"
	"math/big"
)

// conversionRate is the body that says how credits of a price become money: at one rate, or at two.
func (s priceSpec) conversionRate() object {
	if s.UpTo == "" {
		return object{"conversion_rate_type": "unit", "unit_config": object{"unit_amount": s.Conversion}}
	}
	return object{"conversion_rate_type": "tiered", "tiered_config": object{"tiers": []object{
		{"first_unit": 0, "last_unit": json.Number(s.UpTo), "unit_amount": s.Conversion},
		{"first_unit": json.Number(s.UpTo), "last_unit": nil, "unit_amount": s.Beyond},
	}}}
}

// converted is what credits cost in money.
func (s priceSpec) converted(credits *big.Rat) *big.Rat {
	if s.UpTo == "" {
		return cents(mul(credits, rat(s.Conversion)))
	}
	low := least(credits, rat(s.UpTo))
	return cents(add(mul(low, rat(s.Conversion)), mul(sub(credits, low), rat(s.Beyond))))
}

// inTiers gives the conversion of a price a second rate.
func (g *generator) inTiers(p *priceSpec) {
	p.UpTo, p.Beyond = pick(g, "3", "12.5", "40"), pick(g, "0.02", "0.333", "1.5")
}
