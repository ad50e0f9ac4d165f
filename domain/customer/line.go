package customer

import (
	"fmt"
	"strings"
	"unicode"

	"tollkeeper/store/fault"
)

// The separators of lines and paragraphs, which are no control characters.
const (
	lineSeparator      = '\u2028'
	paragraphSeparator = '\u2029'
)

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == lineSeparator || r == paragraphSeparator
}

// OneLine puts a blank in place of what breaks a line. Customers of before may have names and addresses with it; documents
// and mails show them on one line.
func OneLine(text string) string {
	if !strings.ContainsFunc(text, breaksLine) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || breaksLine(r) }), " ")
}

// lineField is a text of a customer that stands on one line of documents.
type lineField struct{ field, text string }

// lines are the texts that have to be on one line: name, email addresses, tax number and the parts of addresses.
func (c Customer) lines() []lineField {
	all := []lineField{{"name", c.Name}, {"email", c.Email}}
	for k, address := range c.AdditionalEmails {
		all = append(all, lineField{fmt.Sprintf("additional_emails[%d]", k), address})
	}
	if c.TaxID != nil {
		all = append(all, lineField{"tax_id.value", c.TaxID.Value})
	}
	add := func(place string, a *Address) {
		if a == nil {
			return
		}
		for _, part := range []struct {
			name string
			text *string
		}{{"line1", a.Line1}, {"line2", a.Line2}, {"city", a.City}, {"state", a.State}, {"postal_code", a.PostalCode}, {"country", a.Country}} {
			if part.text != nil {
				all = append(all, lineField{place + "." + part.name, *part.text})
			}
		}
	}
	add("billing_address", c.BillingAddress)
	add("shipping_address", c.ShippingAddress)
	return all
}

// checkLines refuses texts that are on several lines (semantics 14.1.7). Those that the customer had before may stay: an edit
// of something else is no reason to refuse them.
func (c Customer) checkLines(before Customer) error {
	had := map[lineField]bool{}
	for _, l := range before.lines() {
		had[l] = true
	}
	var faults []error
	for _, l := range c.lines() {
		if strings.ContainsFunc(l.text, breaksLine) && !had[l] {
			faults = append(faults, fault.Bad(l.field, "must be on one line, without control characters"))
		}
	}
	return fault.Join(faults...)
}
