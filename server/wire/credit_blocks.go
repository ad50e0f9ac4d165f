package wire

import (
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
)

// CreditBlockInvoice returns the credit block invoice as responses show it.
func CreditBlockInvoice(v invoice.View) gen.CreditBlockInvoice {
	out := gen.CreditBlockInvoice{
		ID: v.ID, Customer: customerRefToWire(v.Customer), InvoiceNumber: v.Number, Status: gen.InvoiceStatus(v.Status),
	}
	if v.SubscriptionID != nil {
		out.Subscription = &gen.SubscriptionMinified{ID: *v.SubscriptionID}
	}
	return out
}
