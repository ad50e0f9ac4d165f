package wire

import "tollkeeper/domain/money"

// CreditCurrency is the unit asked for, credits by default.
func CreditCurrency(in *string) money.Currency {
	if in == nil {
		return money.Credits
	}
	return money.Currency(*in)
}
