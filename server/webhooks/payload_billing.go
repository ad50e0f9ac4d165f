package webhooks

import (
	"tollkeeper/domain/backfill"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

func payloadSubscription(tx *store.Tx, id string) (any, error) {
	terms, err := subscription.Find(tx, id)
	if err != nil {
		return nil, err
	}
	shown, err := wire.LoadSubscriptions(tx, terms)
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

// subscriptionBefore returns the members of a subscription that an edit changed, as they were.
func subscriptionBefore(tx *store.Tx, id string, before subscription.Subscription) (any, error) {
	after, err := subscription.Find(tx, id)
	if err != nil {
		return nil, err
	}
	return previousAttributes(editable(before), editable(after.Subscription))
}

// editable is what a client may edit of a subscription.
func editable(s subscription.Subscription) any {
	return map[string]any{
		"auto_collection":      s.AutoCollection,
		"auto_issuance":        s.AutoIssuance,
		"default_invoice_memo": s.DefaultInvoiceMemo,
		"invoicing_threshold":  wire.InvoicingThreshold(s),
		"metadata":             wire.Metadata(s.Metadata),
		"net_terms":            s.NetTermsDays,
	}
}

func payloadInvoice(tx *store.Tx, id string) (any, error) {
	view, err := invoice.Find(tx, id)
	if err != nil {
		return nil, err
	}
	shown, err := wire.LoadInvoices(tx, []invoice.View{view})
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

func payloadInvoiceSummary(tx *store.Tx, id string) (any, error) {
	view, err := invoice.Find(tx, id)
	if err != nil {
		return nil, err
	}
	return wire.InvoiceSummary(view), nil
}

// tinyInvoice is no shape of the API, only of messages.
type tinyInvoice struct {
	ID            string                    `json:"id"`
	Customer      gen.CustomerMinified      `json:"customer"`
	InvoiceNumber string                    `json:"invoice_number"`
	Status        gen.InvoiceStatus         `json:"status"`
	Subscription  *gen.SubscriptionMinified `json:"subscription"`
}

func payloadInvoiceTiny(tx *store.Tx, id string) (any, error) {
	view, err := invoice.Find(tx, id)
	if err != nil {
		return nil, err
	}
	whole := wire.InvoiceSummary(view)
	return tinyInvoice{whole.ID, whole.Customer, whole.InvoiceNumber, whole.Status, whole.Subscription}, nil
}

func payloadCreditNote(tx *store.Tx, id string) (any, error) {
	note, err := invoice.FindCreditNote(tx, id)
	if err != nil {
		return nil, err
	}
	return wire.CreditNote(note), nil
}

func payloadBackfill(tx *store.Tx, id string) (any, error) {
	found, err := backfill.Find(tx, id)
	return wire.Backfill(found), err
}
