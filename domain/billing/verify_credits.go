package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// WrongCredits returns the invoices with a line that says something else of credits than
// the ledger does: what it paid of the line, or, once the invoice is void, that it gave
// that back. A line that charges to date shows what they paid of earlier lines too.
func WrongCredits(tx *store.Tx) (ids []string, err error) {
	defer fault.Doing(&err, "find wrong credits")
	paid, err := credit.PaidOfAll(tx)
	if err != nil {
		return nil, err
	}
	amended, err := credit.AmendedOfAll(tx)
	if err != nil {
		return nil, err
	}
	var lines []creditedLine
	err = tx.Model(&invoice.Line{}).Select(`invoice_lines.id, invoice_id, i.status, i.issued_at, credits_applied, i.source = 'partial' AS partial,
			coalesce(interval_id || ' ' || extract(epoch FROM start_at), invoice_lines.id) AS cycle,
			EXISTS (SELECT FROM credit_note_lines c JOIN credit_notes n ON n.account_id = c.account_id AND n.id = c.credit_note_id
				WHERE c.account_id = invoice_lines.account_id AND c.invoice_line_id = invoice_lines.id AND c.undone AND n.voided_at IS NULL) AS undone`).
		Joins("JOIN invoices i ON i.account_id = invoice_lines.account_id AND i.id = invoice_id").
		Where("credits_applied <> 0 OR billed_from > start_at OR invoice_lines.id IN (?)", credit.LinesEverPaid(tx)).
		Order("billed_from, i.seq").Find(&lines).Error
	cycles := map[string][]creditedLine{}
	for _, l := range lines {
		cycles[l.Cycle] = append(cycles[l.Cycle], l)
	}
	for _, parts := range cycles {
		for k := range parts {
			if !saysWhatWasPaid(parts, k, paid, amended) {
				ids = append(ids, parts[k].InvoiceID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// creditedLine is a line of an issued invoice that credits may have paid for.
type creditedLine struct {
	ID, InvoiceID  string
	Status         invoice.Status
	IssuedAt       time.Time
	CreditsApplied money.Decimal
	Partial        bool   // of a threshold: it says what credits were to pay
	Cycle          string // lines of one charge a price to date, one after the other
	Undone         bool   // a credit note took it away, so later lines do not go on from it
}

// saysWhatWasPaid reports whether one of the lines of a cycle says what credits paid of it and of those before it, as
// of its issue. A later part may have given back what they paid of earlier ones.
func saysWhatWasPaid(parts []creditedLine, k int, paid map[string]money.Decimal, amended map[string][]credit.Amended) bool {
	l := parts[k]
	if l.Status == invoice.StatusVoid {
		return paid[l.ID].IsZero()
	}
	later := func(at time.Time) bool {
		return slices.ContainsFunc(parts[k+1:], func(p creditedLine) bool { return p.IssuedAt.Equal(at) })
	}
	least := paid[l.ID]
	var most money.Decimal // if what was given back at the instant of its issue was so by a later part
	for n, p := range parts[:k+1] {
		if n < k && (p.Status == invoice.StatusVoid || p.Undone) {
			continue
		}
		if n < k {
			least = least.Add(paid[p.ID])
		}
		for _, a := range amended[p.ID] {
			switch {
			case !later(a.At):
			case a.At.After(l.IssuedAt):
				least = least.Add(a.Amount)
			case a.At.Equal(l.IssuedAt):
				most = most.Add(a.Amount)
			}
		}
	}
	if l.Partial {
		return l.CreditsApplied.Cmp(paid[l.ID]) >= 0
	}
	return l.CreditsApplied.Cmp(least) >= 0 && l.CreditsApplied.Cmp(least.Add(most)) <= 0
}
