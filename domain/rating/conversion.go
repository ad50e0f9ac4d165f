package rating

import (
	"encoding/json"

	"tollkeeper/domain/money"
)

// Conversion turns amounts of a custom pricing unit into the invoicing currency, at
// one rate or tier by tier (price models 7.2). The zero value is of prices in a real
// currency: they convert at 1.
type Conversion struct{ rates Model }

// DecodeConversion reads the conversion of a price in a custom unit from its
// conversion_rate and its conversion_rate_config, of which one must be given, and
// checks all of it. Its faults name fields by their path inside the price.
func DecodeConversion(rate *json.Number, config json.RawMessage) (Conversion, error) {
	doc := &document{wrong: map[string]bool{}}
	var c Conversion
	if len(config) > 0 && string(config) != "null" {
		c = readConversion(doc.object("conversion_rate_config", config))
	} else if rate == nil {
		doc.bad("conversion_rate", "is required for a price in a custom pricing unit")
	}
	if rate != nil {
		flat, err := money.ParseNumber(rate.String())
		switch {
		case err != nil:
			doc.bad("conversion_rate", "%v", err)
		case flat.Sign() < 0:
			doc.bad("conversion_rate", "must not be negative")
		case c.rates == nil:
			c.rates = Unit{UnitAmount: Amount{flat, flat.String()}}
		case len(doc.violations) == 0 && !c.isFlat(flat):
			doc.bad("conversion_rate", "must agree with conversion_rate_config")
		}
	}
	if err := doc.fault(); err != nil {
		return Conversion{}, err
	}
	return c, nil
}

// readConversion reads conversion_rate_config. Its two variants hold what the price
// models of their names do, but no flag to prorate.
func readConversion(config *object) Conversion {
	kind := config.text("conversion_rate_type")
	if kind != "unit" && kind != "tiered" {
		config.bad("conversion_rate_type", "must be unit or tiered")
		return Conversion{}
	}
	key := kind + "_config"
	raw := config.need(key)
	config.close()
	if raw == nil {
		return Conversion{}
	}
	rates := config.doc.object(config.at(key), raw)
	if _, given := rates.fields["prorated"]; given {
		rates.bad("prorated", "is not a known field")
	}
	read := models[kind](rates)
	rates.close()
	return Conversion{read}
}

// isFlat reports whether every unit converts at that rate.
func (c Conversion) isFlat(rate money.Decimal) bool {
	switch rates := c.rates.(type) {
	case Unit:
		return rates.UnitAmount.Equal(rate)
	case Tiered:
		for _, t := range rates.Tiers {
			if !t.UnitAmount.Equal(rate) {
				return false
			}
		}
	}
	return true
}

// Convert turns an amount into the invoicing currency. The result is exact, with its
// steps. An amount below 0 gives back what the same amount above 0 would cost.
func (c Conversion) Convert(amount money.Decimal) Charge {
	if c.rates == nil {
		return Charge{Quantity: amount, Subtotal: amount}
	}
	converted := c.rates.charge(Usage{Quantity: amount.Abs()})
	converted.Quantity = amount
	if amount.Sign() < 0 {
		converted.Subtotal = converted.Subtotal.Neg()
		for i, p := range converted.Parts {
			converted.Parts[i].Quantity, converted.Parts[i].Amount = p.Quantity.Neg(), p.Amount.Neg()
		}
	}
	return converted
}
