package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// before is what other invoices charged of a service that is charged to date: it is taken
// off what that comes to (price models 5.6). What is void was not charged, nor what was
// undone.
type before struct {
	Amount  money.Decimal // in the currency of the invoice
	Credits money.Decimal // what credits paid of it, in the currency of the price, like
	Left    money.Decimal // what credits were asked to pay of it on the last but partial ones

	ToDate *rating.Earlier // what the last of them that is not partial came to, to date; nil: there is none

	void bool // one of those invoices charges nothing of it by now
}

// earlierLine is a line of an issued invoice that charged a price interval.
type earlierLine struct {
	ID         string
	IntervalID string
	StartAt    time.Time
	BilledFrom time.Time
	Partial    bool
	Seq        int64 // of the invoice
	Left       money.Decimal
	Amount     money.Decimal
	Subtotal   money.Decimal

	Adjustments []rating.Applied `gorm:"serializer:json"`

	Void bool // it charges nothing: its invoice is void, or a change undid it
}

// before reports whether the line charged for a time that a service of the invoice
// begins with: as an earlier part of the billing cycle, or as a partial invoice.
func (l earlierLine) before(inv Invoice, s subscription.Service) bool {
	if l.IntervalID != s.Interval.ID || !l.StartAt.Equal(s.Period.Start) {
		return false
	}
	switch {
	case !l.BilledFrom.Equal(s.From):
		return l.BilledFrom.Before(s.From)
	case inv.Source != SourcePartial:
		return l.Partial
	case inv.Status == StatusDraft:
		return true // of all that was invoiced by now
	}
	return l.Partial && l.Seq < inv.Seq
}

// continues reports whether the invoices of earlier parts of a billing cycle charged for a
// time that the service begins with.
func continues(s subscription.Service) bool { return s.From.After(s.Period.Start) }

// earlier is what other invoices charged of the services of one. A draft of an earlier
// date is issued before this one, so it counts as it reads now.
func earlier(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service) ([]before, error) {
	all, err := issuedEarlier(tx, t, inv, services)
	if err != nil || inv.Status != StatusDraft || !slices.ContainsFunc(services, continues) {
		return all, err
	}
	drafts, err := earlierDrafts(tx, t, inv)
	if err != nil {
		return nil, err
	}
	for k, s := range services {
		for _, l := range drafts {
			if l.IntervalID != nil && *l.IntervalID == s.Interval.ID && l.StartAt.Equal(s.Period.Start) && l.BilledFrom.Before(s.From) {
				all[k] = before{Amount: l.Amount.Add(l.PartiallyInvoicedAmount), Credits: l.CreditsApplied, Left: l.left(), ToDate: &rating.Earlier{Subtotal: l.Subtotal, Applied: l.Adjustments}}
			}
		}
	}
	return all, nil
}

// issuedEarlier is what other invoices that are issued charged.
func issuedEarlier(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service) ([]before, error) {
	all := make([]before, len(services))
	lines, err := earlierLines(tx, t, inv, services)
	if err != nil || len(lines) == 0 {
		return all, err
	}
	ids := make([]string, len(lines))
	for k, l := range lines {
		ids[k] = l.ID
	}
	paid, err := credit.Paid(tx, ids, credit.Days{})
	if err != nil {
		return nil, err
	}
	for k, s := range services {
		for _, l := range lines {
			if !l.before(inv, s) {
				continue
			}
			if all[k].void = all[k].void || l.Void; l.Void {
				continue
			}
			all[k].Amount, all[k].Credits = all[k].Amount.Add(l.Amount), all[k].Credits.Add(paid[l.ID])
			if !l.Partial {
				all[k].Left, all[k].ToDate = l.Left, &rating.Earlier{Subtotal: l.Subtotal, Applied: l.Adjustments}
			}
		}
	}
	return all, nil
}

// earlierLines are the lines that other invoices have of the prices of services, in the
// order of the time that they add.
func earlierLines(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service) (lines []earlierLine, err error) {
	var intervals []string
	for _, s := range services {
		if continues(s) || t.PartialAt != nil && !s.From.After(*t.PartialAt) {
			intervals = append(intervals, s.Interval.ID)
		}
	}
	if len(intervals) == 0 {
		return nil, nil
	}
	err = tx.Raw(`SELECT l.id, l.interval_id, l.start_at, l.billed_from, l.adjusted_subtotal - l.license_credits AS "left", l.amount, l.subtotal, l.adjustments,
			i.source = 'partial' AS partial, i.seq,
			i.status = 'void' OR EXISTS (SELECT FROM credit_note_lines c JOIN credit_notes n ON n.account_id = c.account_id AND n.id = c.credit_note_id
				WHERE c.account_id = l.account_id AND c.invoice_line_id = l.id AND c.undone AND n.voided_at IS NULL) AS void
		FROM invoice_lines l JOIN invoices i ON i.account_id = l.account_id AND i.id = l.invoice_id
		WHERE l.account_id = ? AND l.interval_id IN ? AND i.id <> ? ORDER BY l.billed_from, i.seq`,
		tx.AccountID, intervals, inv.ID).Scan(&lines).Error
	return lines, err
}

// earlierDrafts are the lines of drafts of earlier dates, by date.
func earlierDrafts(tx *store.Tx, t subscription.Terms, inv Invoice) (all []Line, err error) {
	var drafts []Invoice
	err = tx.Where("subscription_id = ? AND status = ? AND invoice_date < ?", t.ID, StatusDraft, inv.InvoiceDate).
		Order("invoice_date, seq").Find(&drafts).Error
	if err != nil {
		return nil, err
	}
	for _, draft := range drafts {
		of, err := lines(tx, t, draft, extra{})
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// refuseBefore refuses to issue an invoice by hand while a draft of an earlier date is to
// charge for a part of the time that it charges for.
func (v View) refuseBefore(tx *store.Tx) error {
	if !slices.ContainsFunc(v.Lines, func(l Line) bool { return l.BilledFrom.After(l.StartAt) }) {
		return nil
	}
	var drafts int64
	err := tx.Model(&Invoice{}).Where("subscription_id = ? AND status = ? AND invoice_date < ?", *v.SubscriptionID, StatusDraft, v.InvoiceDate).
		Count(&drafts).Error
	if err == nil && drafts > 0 {
		err = fault.Refused("the invoice of an earlier part of the billing cycle must be issued first")
	}
	return err
}
