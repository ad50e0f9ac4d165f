package document

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
)

// AddressLines are the lines of an address.
func AddressLines(a *customer.Address) (lines []string) {
	if a == nil {
		return nil
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return addressLines(text(a.Line1), text(a.Line2), text(a.PostalCode), text(a.City), text(a.State), text(a.Country))
}

// SellerLines are the lines of the seller's address.
func SellerLines(a letterhead.Address) []string {
	return addressLines(a.Line1, a.Line2, a.PostalCode, a.City, a.State, a.Country)
}

func addressLines(line1, line2, postalCode, city, state, country string) (lines []string) {
	for _, line := range []string{line1, line2, spaced(postalCode, city), state, country} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func spaced(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
