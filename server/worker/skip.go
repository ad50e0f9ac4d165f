package worker

import (
	"fmt"
	"slices"
	"strings"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/due"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// skip is how a unit of a kind is left undone for good. Only kinds that change no books have one.
type skip struct {
	kind  string
	means string
	do    func(tx *store.Tx, p due.Parked) error
}

var skips = []skip{
	{"notify of subscriptions", "no endpoint is told that the subscription began or ended", subscription.SkipNotice},
	{"notify of invoice dates", "no endpoint is told that the date of the invoice has come", billing.SkipDateNotice},
	{"collect payments", "the invoice stays issued and is not charged by itself any more; it can be charged or marked as paid by a request", invoice.SkipCollection},
	{"send reminders", "the customer is not reminded of the invoice that time", mail.SkipReminder},
	{"look at subscriptions", "alerts are not compared with what is known now, but after the next event or change; a threshold that was passed may be told late", alert.SkipDue},
}

// Skipping tells what it means to skip a parked unit, and false if it cannot be skipped.
func Skipping(p due.Parked) (means string, may bool) {
	k := slices.IndexFunc(skips, func(s skip) bool { return s.kind == p.Kind })
	if k < 0 || p.CustomerID == nil && p.SubscriptionID == nil {
		return "", false
	}
	return skips[k].means, true
}

// SkippingHelp tells what can be skipped, and what that means.
func SkippingHelp() string {
	text := "A unit that is skipped is never done. Only units that change no books can be skipped:\n\n"
	for _, s := range skips {
		text += fmt.Sprintf("%s: %s.\n\n", s.kind, s.means)
	}
	return text + "For all others mend the cause, which `tollkeeper due list` shows, and use `tollkeeper due retry`."
}

// Skip leaves a parked unit undone for good. What it held up goes on. Units without which the books would be
// wrong are refused.
func Skip(tx *store.Tx, id string) (due.Parked, error) {
	p, err := due.Lock(tx, id)
	if err != nil {
		return p, err
	}
	if _, may := Skipping(p); !may {
		kinds := make([]string, len(skips))
		for k, s := range skips {
			kinds[k] = s.kind
		}
		return p, fault.Refused("%q cannot be skipped, since what follows would be wrong without it: mend the cause and retry it; only these can be skipped, of one subscription or customer: %s",
			p.Kind, strings.Join(kinds, ", "))
	}
	k := slices.IndexFunc(skips, func(s skip) bool { return s.kind == p.Kind })
	if err := skips[k].do(tx, p); err != nil {
		return p, err
	}
	return p, due.Remove(tx, p)
}
