package hosted

import (
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/portal"
	"tollkeeper/store"
)

// saveDetails corrects the address and the tax number of the customer, by the fields that the form has.
func (p *pages) saveDetails(c echo.Context) error {
	return p.change(c, editDetails, "?saved=1", func(tx *store.Tx, v *visitor) error {
		fields := map[string]string{}
		for name, values := range c.Request().PostForm {
			fields[name] = values[0]
		}
		return portal.EditDetails(tx, v.Customer, fields)
	})
}

// field is one of the form for billing details.
type field struct{ Name, Label, Value, Most, Autocomplete string }

func (v *visitor) fields() []field {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	a := customer.Address{}
	if v.Customer.BillingAddress != nil {
		a = *v.Customer.BillingAddress
	}
	number := ""
	if v.Customer.TaxID != nil {
		number = v.Customer.TaxID.Value
	}
	w := v.Words
	return []field{
		{"line1", w.Line1, text(a.Line1), "500", "address-line1"}, {"line2", w.Line2, text(a.Line2), "500", "address-line2"},
		{"postal_code", w.PostalCode, text(a.PostalCode), "255", "postal-code"}, {"city", w.City, text(a.City), "500", "address-level2"},
		{"state", w.Region, text(a.State), "500", "address-level1"}, {"country", w.Country, text(a.Country), "2", "country"},
		{"tax_id", w.TaxIDValue, number, "255", "off"},
	}
}
