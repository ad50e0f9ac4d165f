package reference

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Convert turns an amount of a custom pricing unit into the invoicing currency, exact. Tiers
// are graduated. An amount below 0 gives back what the same amount above 0 would cost (price
// models 7.2). rate is conversion_rate or nil, config conversion_rate_config or nil; one of
// them is given.
func Convert(rate *big.Rat, config json.RawMessage, amount *big.Rat) (*big.Rat, error) {
	if len(config) == 0 || string(config) == "null" {
		if rate == nil {
			return nil, fmt.Errorf("conversion without a rate: %w", ErrNotCovered)
		}
		return times(amount, rate), nil
	}
	var c struct {
		Type   string          `json:"conversion_rate_type"`
		Unit   json.RawMessage `json:"unit_config"`
		Tiered json.RawMessage `json:"tiered_config"`
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	size := Usage{Quantity: new(big.Rat).Abs(amount)}
	var converted *big.Rat
	var err error
	switch c.Type {
	case "unit":
		converted, err = Rate("unit", c.Unit, size)
	case "tiered":
		converted, err = Rate("tiered", c.Tiered, size)
	default:
		err = fmt.Errorf("conversion by %q: %w", c.Type, ErrNotCovered)
	}
	if err != nil || amount.Sign() >= 0 {
		return converted, err
	}
	return new(big.Rat).Neg(converted), nil
}
