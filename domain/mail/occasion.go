package mail

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
)

// Recipients are the addresses of a customer who takes mail, each once (semantics 18.1.2).
func Recipients(c customer.Customer) (all []string) {
	if !c.EmailDelivery {
		return nil
	}
	seen := map[string]bool{}
	for _, address := range append([]string{c.Email}, c.AdditionalEmails...) {
		if address != "" && !seen[address] {
			seen[address] = true
			all = append(all, address)
		}
	}
	return all
}

// SendsInvoice reports whether an invoice is mailed as it is issued (semantics 18.1.3).
func SendsInvoice(i invoice.Invoice) bool {
	return i.IssuedAt != nil && i.Status != invoice.StatusVoid && !i.Total.IsZero()
}

// SendsReceipt reports whether a receipt is mailed (semantics 18.1.4).
func SendsReceipt(i invoice.Invoice) bool { return i.PaidAt != nil && !i.Due().IsZero() }

// SendsCreditNote reports whether a credit note is mailed (semantics 18.1.5).
func SendsCreditNote(n invoice.CreditNote) bool { return n.VoidedAt == nil }

// Sends reports whether a reminder of an invoice is sent (semantics 18.1.7).
func (r Reminder) Sends(i invoice.Invoice) bool {
	collected := i.NextAttemptAt != nil
	return i.Status == invoice.StatusIssued && !i.Due().IsZero() && (r.Days > 0 || !collected)
}
