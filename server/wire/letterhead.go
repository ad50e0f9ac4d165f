package wire

import (
	"cmp"
	"encoding/base64"

	"tollkeeper/domain/letterhead"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadLetterhead reads a letterhead and its logo.
func ReadLetterhead(in gen.LetterheadInput) (letterhead.Content, []byte, error) {
	c := letterhead.Content{
		Name: Deref(in.Name), Email: Deref(in.Email), Phone: Deref(in.Phone), Website: Deref(in.Website),
		Instructions: Deref(in.PaymentInstructions), Footer: Deref(in.Footer), Color: Deref(in.Color),
		Language: letterhead.Language(Deref(in.Language)), LinkDays: derefInt(in.LinkDays),
	}
	if a := in.Address; a != nil {
		c.Address = letterhead.Address{
			Line1: Deref(a.Line1), Line2: Deref(a.Line2), PostalCode: Deref(a.PostalCode), City: Deref(a.City), State: Deref(a.State), Country: Deref(a.Country),
		}
	}
	if b := in.Bank; b != nil {
		c.Bank = letterhead.Bank{
			Holder: Deref(b.AccountHolder), Name: Deref(b.BankName), IBAN: Deref(b.Iban), BIC: Deref(b.Bic),
			AccountNumber: Deref(b.AccountNumber), RoutingNumber: Deref(b.RoutingNumber),
		}
	}
	c.TaxNumbers = MapSlice(in.TaxNumbers, func(n gen.LetterheadNumber) letterhead.TaxNumber {
		return letterhead.TaxNumber{Kind: letterhead.NumberKind(n.Kind), Value: n.Value}
	})
	c.CustomFields = MapSlice(in.CustomFields, func(f gen.LetterheadField) letterhead.CustomField {
		return letterhead.CustomField{Key: f.MetadataKey, Label: f.Label}
	})
	logo, err := base64.StdEncoding.DecodeString(Deref(in.Logo))
	if err != nil {
		return c, nil, fault.Bad("logo", "must be base64")
	}
	return c, logo, nil
}

func derefInt(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// Letterhead returns a letterhead. Without an id it is the one before the first update.
func Letterhead(l letterhead.Letterhead) gen.Letterhead {
	c := l.Content
	shown := gen.Letterhead{
		ID: optionalText(l.ID), Name: optionalText(c.Name), Email: optionalText(c.Email), Phone: optionalText(c.Phone), Website: optionalText(c.Website),
		PaymentInstructions: optionalText(c.Instructions), Footer: optionalText(c.Footer), Color: optionalText(c.Color),
		Language: (*gen.DocumentLanguage)(optionalText(string(c.Language))), LinkDays: cmp.Or(c.LinkDays, letterhead.DefaultLinkDays),
		Logo: optionalText(base64.StdEncoding.EncodeToString(l.Logo)),
		Bank: gen.LetterheadBank{
			AccountHolder: optionalText(c.Bank.Holder), BankName: optionalText(c.Bank.Name), Iban: optionalText(c.Bank.IBAN), Bic: optionalText(c.Bank.BIC),
			AccountNumber: optionalText(c.Bank.AccountNumber), RoutingNumber: optionalText(c.Bank.RoutingNumber),
		},
		TaxNumbers: MapSlice(c.TaxNumbers, func(n letterhead.TaxNumber) gen.LetterheadNumber {
			return gen.LetterheadNumber{Kind: gen.LetterheadNumberKind(n.Kind), Value: n.Value}
		}),
		CustomFields: MapSlice(c.CustomFields, func(f letterhead.CustomField) gen.LetterheadField {
			return gen.LetterheadField{MetadataKey: f.Key, Label: f.Label}
		}),
	}
	if l.ID != "" {
		shown.CreatedAt = OptionalInstant(&l.CreatedAt)
	}
	if a := c.Address; a != (letterhead.Address{}) {
		shown.Address = &gen.Address{
			Line1: optionalText(a.Line1), Line2: optionalText(a.Line2), PostalCode: optionalText(a.PostalCode), City: optionalText(a.City),
			State: optionalText(a.State), Country: optionalText(a.Country),
		}
	}
	return shown
}
