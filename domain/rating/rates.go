package rating

// Rates are amounts by the value of a property.
type Rates map[string]Amount

// of finds the amount of a value. A missing value has none.
func (r Rates) of(value *string) (amount Amount, listed bool) {
	if value != nil {
		amount, listed = r[*value]
	}
	return amount, listed
}

// rates reads a required list of objects that give each value one amount.
func (o *object) rates(key, valueKey, amountKey string) Rates {
	rates := Rates{}
	o.objects(key, func(row *object) {
		value := row.text(valueKey)
		if _, repeated := rates[value]; repeated {
			row.bad(valueKey, "must differ from those of the other rows")
		}
		rates[value] = row.amount(amountKey)
	})
	return rates
}

// sameValues reports whether r and o have amounts of the same values.
func (r Rates) sameValues(o Rates) bool {
	for value := range r {
		if _, listed := o[value]; !listed {
			return false
		}
	}
	return len(r) == len(o)
}
