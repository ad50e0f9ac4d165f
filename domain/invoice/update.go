package invoice

import (
	"maps"
	"reflect"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Update applies an edit to an invoice. Its metadata may change at any time, the terms
// of payment while it is a draft, and the date of a draft only if no subscription gave
// it (semantics 8.1.10).
func Update(tx *store.Tx, id string, edit func(inv *Invoice, buyer customer.Customer) error) (_ View, err error) {
	defer fault.Doing(&err, "update invoice %s", id)
	before, err := Lock(tx, id)
	if err != nil {
		return View{}, err
	}
	buyers, err := customer.FindAll(tx, []string{before.CustomerID})
	if err != nil {
		return View{}, err
	}
	after := before
	after.Metadata = maps.Clone(before.Metadata)
	if err := edit(&after, buyers[before.CustomerID]); err != nil {
		return View{}, err
	}
	dated := !after.InvoiceDate.Equal(before.InvoiceDate)
	switch {
	case before.Status != StatusDraft && (dated || !reflect.DeepEqual(after.terms(), before.terms())):
		return View{}, fault.Refused("only a draft can change beyond its metadata; this invoice is %s", before.Status)
	case dated && before.Source != SourceOneOff:
		return View{}, fault.Refused("the date of an invoice of a subscription cannot be changed")
	case dated && after.InvoiceDate.After(tx.Now.AddDate(mostYearsAhead, 0, 0)):
		return View{}, errTooFarAhead
	}
	if err := after.Save(tx, "metadata", "net_terms_days", "custom_due_at", "auto_collection", "invoice_date"); err != nil {
		return View{}, err
	}
	if before.Status == StatusDraft && !reflect.DeepEqual(after, before) {
		webhook.Announce(tx, webhook.InvoiceEdited, id, nil)
	}
	return Find(tx, id)
}

// terms are what a draft may say for itself of its payment.
func (i Invoice) terms() any {
	return []any{i.NetTermsDays, i.CustomDueAt, i.AutoCollection}
}
