package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"time"
)

// addedLine is a line that was put on a draft of a subscription by hand (semantics 8.1.11). It stays on the
// invoice of that date, whatever changes of the subscription make of the other lines.
type addedLine struct {
	name   string
	amount *big.Rat
	date   time.Time // of the invoice
}

// draftsOf are the drafts of a subscription.
func (r *run) draftsOf(sub *subscription) (all []*invoice) {
	for _, id := range r.books.order {
		if v := r.books.invoices[id]; v.sub == sub.id && v.status == "draft" && v.source == "subscription" {
			all = append(all, v)
		}
	}
	return all
}

// addLine puts a line on a draft.
func (r *run) addLine(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	drafts := r.draftsOf(sub)
	k := slices.IndexFunc(drafts, func(v *invoice) bool { return clock(v.date) == s.At })
	if k < 0 {
		return errSkipped
	}
	today := sub.customer.zone.day(r.w.now).String()
	made, err := r.post(ctx, "/v1/invoice_line_items", object{"invoice_id": drafts[k].id, "name": s.Name, "quantity": json.Number(fmt.Sprint(s.Months)),
		"amount": s.Amount, "start_date": today, "end_date": today})
	if err != nil {
		return err
	}
	if !same(made.num("amount"), rat(s.Amount)) {
		return differ("the line of %s that was added is %s", s.Amount, made)
	}
	sub.added = append(sub.added, addedLine{s.Name, rat(s.Amount), drafts[k].date})
	return nil
}

// removeLine takes such a line off again.
func (r *run) removeLine(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	for _, v := range r.draftsOf(sub) {
		for _, l := range v.lines {
			if l.name != s.Name {
				continue
			}
			if _, err := r.c.ask(ctx, http.MethodDelete, "/v1/invoices/"+v.id+"/invoice_line_items/"+l.id, nil); err != nil {
				return err
			}
			sub.added = slices.DeleteFunc(sub.added, func(one addedLine) bool { return one.name == s.Name })
			return nil
		}
	}
	return errSkipped
}

// isAdded reports whether a line was put on its invoice by hand.
func (s *subscription) isAdded(l *line) bool {
	return slices.ContainsFunc(s.added, func(one addedLine) bool { return one.name == l.name })
}

// addedLines compares the lines that were added: each is on one invoice of its date, unless that was
// voided by hand.
func (r *run) addedLines(s *subscription) error {
	for _, one := range s.added {
		found, void := 0, false
		for _, id := range r.books.order {
			v := r.books.invoices[id]
			if v.sub != s.id {
				continue
			}
			for _, l := range v.lines {
				switch {
				case l.name != one.name:
				case v.status == "void":
					void = void || r.w.voidedByHand[v.id]
				case !same(l.amount, one.amount) || !same(l.subtotal, one.amount) || !v.date.Equal(one.date):
					return differ("the line %s of %s that was added to the invoice of %s is %s on that of %s", one.name, show(one.amount), clock(one.date), l, clock(v.date))
				default:
					found++
				}
			}
		}
		if found != 1 && !(void && found == 0) {
			return differ("the line %s that was added to the invoice of %s of %s is on %d invoices%s", one.name, clock(one.date), s.name, found, r.books.print(s.id))
		}
	}
	return nil
}

// line is a line that is put on a draft, or taken off again.
func (g *generator) line() (step, bool) {
	sub := g.sub()
	if len(sub.added) > 0 && g.chance(35) {
		return step{Do: "remove line", Of: sub.name, Name: pick(g, sub.added...).name}, true
	}
	drafts := g.r.draftsOf(sub)
	if len(drafts) == 0 {
		return step{}, false
	}
	return step{Do: "add line", Of: sub.name, Name: g.name("extra"), At: clock(pick(g, drafts...).date), Months: 1 + g.IntN(3), Amount: pick(g, "0.01", "10.00", "33.33")}, true
}
