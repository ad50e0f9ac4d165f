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

// OfIssue reports whether the issue of an invoice is mailed (semantics 18.1.3).
func OfIssue(i invoice.Invoice) bool {
	return i.IssuedAt != nil && i.Status != invoice.StatusVoid && !i.Total.IsZero()
}

// OfPayment reports whether a receipt is mailed (semantics 18.1.4).
func OfPayment(i invoice.Invoice) bool { return i.PaidAt != nil && !i.Due().IsZero() }

// OfNote reports whether a credit note is mailed (semantics 18.1.5).
func OfNote(n invoice.CreditNote) bool { return n.VoidedAt == nil }

// Asks reports whether a reminder is sent (semantics 18.1.7).
func (r Reminder) Asks(i invoice.Invoice) bool {
	collected := i.NextAttemptAt != nil
	return i.Status == invoice.StatusIssued && !i.Due().IsZero() && (r.Days > 0 || !collected)
}
