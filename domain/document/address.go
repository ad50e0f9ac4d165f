package document

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
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
		return customer.OneLine(*s)
	}
	return addressLines(text(a.Line1), text(a.Line2), text(a.PostalCode), text(a.City), text(a.State), text(a.Country))
}

// onOneLine is a buyer with the name on one line: one of before may have several (semantics 19.2.4).
func onOneLine(b invoice.Buyer) invoice.Buyer {
	b.Name = customer.OneLine(b.Name)
	return b
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
