package console

import (
	"time"

	"github.com/a-h/templ"

	days "tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// invoiceBadge shows the state of an invoice. An issued one that is past due needs somebody.
func invoiceBadge(v *visit, i gen.InvoiceHeader) templ.Component {
	switch i.Status {
	case "draft":
		return hollow("Draft", "info")
	case "paid":
		return badge("Paid", "good")
	case "void":
		return badge("Void", "plain")
	case "synced", "issued":
		if i.Overdue {
			return badge("Overdue", "bad")
		}
		return badge("Issued", "info")
	}
	return badge(form.Words(string(i.Status)), "plain")
}

// stateBadge shows a state of the contract. A state that is unknown here is shown plain.
func stateBadge(state string) templ.Component {
	switch state {
	case "active", "delivered", "reflected", "enabled", "applied", "completed", "committed", "succeeded", "sent", "paid":
		return badge(form.Words(state), "good")
	case "pending", "upcoming", "draft", "in_progress", "not_started", "pending_payment":
		return hollow(form.Words(state), "info")
	case "issued", "synced":
		return badge(form.Words(state), "info")
	case "failed", "pending_revert", "uncertain":
		return badge(form.Words(state), "bad")
	}
	return badge(form.Words(state), "plain")
}

// enabledBadge shows whether something is switched on.
func enabledBadge(on bool) templ.Component {
	if on {
		return badge("Enabled", "good")
	}
	return badge("Disabled", "plain")
}

// past reports whether an instant of the API lies before the account's clock.
func (v *visit) past(text *string) bool {
	if text == nil {
		return false
	}
	at, ok := parseInstant(*text)
	return ok && !at.After(v.now)
}

// daysAfter is how many days of a zone the day of an instant is after that of another.
func daysAfter(from, to time.Time, zone *time.Location) int {
	return days.DateOf(to, zone).Since(days.DateOf(from, zone))
}
