package invoice

import (
	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Particulars are what a document says beside its amounts, as of its issue: later changes of names,
// metadata and the letterhead do not change the document. What an invoice has in columns of its own,
// such as addresses, is not repeated.
type Particulars struct {
	LetterheadID string              `json:"letterhead,omitempty"` // "": the account had none
	Seller       string              `json:"seller"`               // name of the account
	Language     letterhead.Language `json:"language"`
	Buyer        Buyer               `json:"buyer"`
	Plan         string              `json:"plan,omitempty"`
	Fields       []Field             `json:"fields,omitempty"` // the custom fields of the letterhead that have a value
}

// Buyer is whom a document is for.
type Buyer struct {
	Name       string `json:"name"`
	Email      string `json:"email"`
	ExternalID string `json:"external_id,omitempty"`

	// Of a credit note; an invoice has them in columns.
	Address *customer.Address `json:"address,omitempty"`
	TaxID   *customer.TaxID   `json:"tax_id,omitempty"`
}

// Field is a custom field of a document.
type Field struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Value string `json:"value"`
}

// particulars returns what the invoice says when it is issued now.
func (v View) particulars(tx *store.Tx, settings account.Account) (Particulars, error) {
	if v.letterhead == nil {
		head, err := letterhead.CurrentText(tx)
		if err != nil {
			return Particulars{}, err
		}
		v.letterhead = &head
	}
	return particularsOf(settings, *v.letterhead, v.Invoice, v.Terms), nil
}

// PresentParticulars returns what documents would say if they were issued now: of drafts, and of
// documents that have no particulars of their own.
func PresentParticulars(settings account.Account, head letterhead.Letterhead, v View) Particulars {
	return particularsOf(settings, head, v.Invoice, v.Terms)
}

func particularsOf(settings account.Account, head letterhead.Letterhead, i Invoice, t subscription.Terms) Particulars {
	p := Particulars{
		LetterheadID: head.ID, Seller: settings.Name, Language: LanguageOf(head, t.Customer),
		Buyer: Buyer{Name: t.Customer.Name, Email: t.Customer.Email},
	}
	if t.Customer.ExternalCustomerID != nil {
		p.Buyer.ExternalID = *t.Customer.ExternalCustomerID
	}
	if i.SubscriptionID != nil {
		p.Plan = t.Plan.Name
	}
	for _, f := range head.Content.CustomFields {
		for _, from := range []store.Metadata{i.Metadata, t.Metadata, t.Customer.Metadata} {
			if value := from[f.Key]; value != "" {
				p.Fields = append(p.Fields, Field{f.Key, f.Label, value})
				break
			}
		}
	}
	return p
}

// LanguageOf is the language of a customer's documents (semantics 19.2.1).
func LanguageOf(head letterhead.Letterhead, c customer.Customer) letterhead.Language {
	switch {
	case c.Language != nil:
		return *c.Language
	case head.Content.Language != "":
		return head.Content.Language
	}
	return letterhead.English
}

// particularsOfNote returns what a credit note of the invoice says that is made now: the seller and
// the customer are named as they are now, the custom fields as on the invoice.
func (i *Invoice) particularsOfNote(tx *store.Tx) (Particulars, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return Particulars{}, err
	}
	head, err := letterhead.CurrentText(tx)
	if err != nil {
		return Particulars{}, err
	}
	buyers, err := customer.FindAll(tx, []string{i.CustomerID})
	if err != nil {
		return Particulars{}, err
	}
	return i.ParticularsOfNote(settings, head, buyers[i.CustomerID]), nil
}

// ParticularsOfNote is what a credit note of the invoice says that names the customer as given.
func (i *Invoice) ParticularsOfNote(settings account.Account, head letterhead.Letterhead, buyer customer.Customer) Particulars {
	p := particularsOf(settings, head, *i, subscription.Terms{Customer: buyer})
	p.Plan, p.Fields = "", nil
	if i.Particulars != nil {
		p.Plan, p.Fields = i.Particulars.Plan, i.Particulars.Fields
	}
	p.Buyer.Address, p.Buyer.TaxID = buyer.BillingAddress, buyer.TaxID
	return p
}
