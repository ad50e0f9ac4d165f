package reference

import "fmt"

// Price is what filters of adjustments look at.
type Price struct {
	ID        string
	ItemID    string
	Currency  string
	Unit      bool   // Currency is a custom pricing unit
	Type      string // "usage", "fixed" or "composite"
	InAdvance bool
}

// Filter selects prices.
type Filter struct {
	Field    string // price_id, item_id, price_type, currency or pricing_unit_id
	Operator string // includes or excludes
	Values   []string
}

// Matches reports whether all filters hold for a price; none hold for every price.
func Matches(filters []Filter, p Price) (bool, error) {
	for _, f := range filters {
		found := false
		for _, v := range f.Values {
			has, err := p.has(f.Field, v)
			if err != nil {
				return false, err
			}
			found = found || has
		}
		if found != (f.Operator == "includes") {
			return false, nil
		}
	}
	return true, nil
}

// has reports whether the price has the value in a field of a filter (price models 6.1).
func (p Price) has(field, value string) (bool, error) {
	switch field {
	case "price_id":
		return p.ID == value, nil
	case "item_id":
		return p.ItemID == value, nil
	case "currency":
		return p.Currency == value, nil
	case "pricing_unit_id":
		return p.Unit && p.Currency == value, nil
	case "price_type":
		switch value {
		case "usage", "fixed":
			return p.Type == value, nil
		case "fixed_in_advance":
			return p.Type == "fixed" && p.InAdvance, nil
		case "fixed_in_arrears":
			return p.Type == "fixed" && !p.InAdvance, nil
		case "in_arrears":
			return !p.InAdvance, nil
		}
	}
	return false, fmt.Errorf("filter of %s %q: %w", field, value, ErrNotCovered)
}
