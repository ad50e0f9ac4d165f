package portal

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mostDetail bounds a field in bytes, as the contract bounds it.
const mostDetail = 500

// ErrUnchanged says that a form has what there is. The transaction is not committed then: it would leave an entry in the audit
// log each time that the form is sent.
var ErrUnchanged = errors.New("portal: nothing is changed")

// EditDetails corrects the billing address and the tax number of a customer, and nothing else (semantics 20.1.5).
// A field that is not given stays, an empty one is removed. An address without any part is none. Where all is as before it is
// [ErrUnchanged].
func EditDetails(tx *store.Tx, c customer.Customer, fields map[string]string) error {
	corrected := c
	if err := editDetails(&corrected, fields); err != nil {
		return err
	}
	if reflect.DeepEqual(corrected, c) {
		return ErrUnchanged
	}
	_, err := billing.UpdateCustomer(tx, c.ID, func(c *customer.Customer) error { return editDetails(c, fields) })
	return err
}

func editDetails(c *customer.Customer, fields map[string]string) error {
	field := func(name string, was *string) *string {
		text, given := fields[name]
		if !given {
			return was
		}
		text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
		if text = strings.ReplaceAll(text, "\x00", ""); text == "" {
			return nil
		}
		return &text
	}
	var was customer.Address
	if c.BillingAddress != nil {
		was = *c.BillingAddress
	}
	a := customer.Address{
		Line1: field("line1", was.Line1), Line2: field("line2", was.Line2), PostalCode: field("postal_code", was.PostalCode),
		City: field("city", was.City), State: field("state", was.State), Country: field("country", was.Country),
	}
	number := field("tax_id", nil)
	for _, part := range []*string{a.Line1, a.Line2, a.PostalCode, a.City, a.State, a.Country, number} {
		if part != nil && len(*part) > mostDetail {
			return fault.Bad("details", "must have at most %d bytes in each field", mostDetail)
		}
	}
	if a.Country != nil {
		if *a.Country = strings.ToUpper(*a.Country); !letterhead.IsCountry(*a.Country) {
			return fault.Bad("country", "must be the two letters of a country")
		}
	}
	c.BillingAddress = &a
	if a == (customer.Address{}) {
		c.BillingAddress = nil
	}
	_, given := fields["tax_id"]
	switch {
	case !given:
	case number == nil:
		c.TaxID = nil
	case c.TaxID != nil:
		corrected := *c.TaxID
		corrected.Value = *number
		c.TaxID = &corrected
	case a.Country != nil && slices.Contains(memberStates, *a.Country):
		c.TaxID = &customer.TaxID{Country: *a.Country, Type: "eu_vat", Value: *number}
	default:
		return fault.Bad("tax_id", "can be set here for countries of the European Union; ask us for others")
	}
	return nil
}

// memberStates are those of the European Union, whose numbers are of one kind.
var memberStates = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")
