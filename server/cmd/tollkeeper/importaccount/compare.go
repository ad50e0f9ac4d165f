package importaccount

import (
	"cmp"
	"context"
	"slices"

	"tollkeeper/domain/money"
)

// Comparison sets the upcoming invoice of a subscription at both servers side by side.
type Comparison struct {
	Source      string       `json:"source_subscription_id"`
	Target      string       `json:"target_subscription_id"`
	Customer    string       `json:"customer"` // its alias, else its id at the source
	Currency    string       `json:"currency"`
	SourceTotal string       `json:"source_total"`
	TargetTotal string       `json:"target_total"`
	Differences []Difference `json:"differences"`
}

// Difference is a value of the upcoming invoice that is another one at the target. A side that is
// empty has no such line.
type Difference struct {
	Line   string `json:"line,omitempty"` // name and service period; empty for the invoice
	Field  string `json:"field"`
	Source string `json:"source"`
	Target string `json:"target"`
}

// Compare compares the upcoming invoice of each subscription that a journal knows.
func Compare(ctx context.Context, source, target *Client, journal *Journal) (all []Comparison, err error) {
	pairs := journal.ids[kindSubscription]
	from := make([]string, 0, len(pairs))
	for id := range pairs {
		from = append(from, id)
	}
	slices.Sort(from)
	for _, id := range from {
		here, err := upcoming(ctx, source, id)
		if err != nil {
			return nil, err
		}
		there, err := upcoming(ctx, target, pairs[id])
		if err != nil {
			return nil, err
		}
		c := Comparison{
			Source: id, Target: pairs[id], Customer: cmp.Or(text(part(here, "customer"), "external_customer_id"), text(part(here, "customer"), "id")), Currency: text(here, "currency"),
			SourceTotal: text(here, "total"), TargetTotal: text(there, "total"),
		}
		c.compare(here, there)
		all = append(all, c)
	}
	return all, nil
}

func (c *Comparison) compare(here, there object) {
	for _, field := range []string{"currency", "target_date"} {
		c.field("", field, text(here, field), text(there, field))
	}
	for _, field := range []string{"subtotal", "total", "amount_due"} {
		c.amount("", field, text(here, field), text(there, field))
	}
	mine, other := lines(here), lines(there)
	for k := range max(len(mine), len(other)) {
		var a, b object
		if k < len(mine) {
			a = mine[k]
		}
		if k < len(other) {
			b = other[k]
		}
		name := cmp.Or(lineName(a), lineName(b))
		c.field(name, "line", lineName(a), lineName(b))
		for _, field := range []string{"quantity", "subtotal", "adjusted_subtotal", "credits_applied", "partially_invoiced_amount", "amount"} {
			c.amount(name, field, number(a, field), number(b, field))
		}
	}
}

func (c *Comparison) field(line, name, here, there string) {
	if here != there {
		c.Differences = append(c.Differences, Difference{line, name, here, there})
	}
}

// amount compares numbers: 1.0 and 1.00 are equal.
func (c *Comparison) amount(line, name, here, there string) {
	a, errA := money.ParseNumber(here)
	b, errB := money.ParseNumber(there)
	if errA != nil || errB != nil || !a.Equal(b) {
		c.field(line, name, here, there)
	}
}

func lineName(l object) string {
	if l == nil {
		return ""
	}
	name := text(l, "name") + ", " + text(l, "start_date") + " to " + text(l, "end_date")
	if grouping := text(part(l, "grouping"), "value"); grouping != "" {
		name += ", " + grouping
	}
	return name
}

// lines are those of an invoice, in an order that does not depend on the server.
func lines(invoice object) []object {
	all := objects(invoice, "line_items")
	slices.SortStableFunc(all, func(a, b object) int {
		return cmp.Or(cmp.Compare(lineName(a), lineName(b)), cmp.Compare(text(a, "amount"), text(b, "amount")), cmp.Compare(text(a, "subtotal"), text(b, "subtotal")))
	})
	return all
}
