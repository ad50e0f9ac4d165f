package main

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"
)

// books are the documents as they were last read.
type books struct {
	invoices     map[string]*invoice
	order        []string
	notes        []note
	totals       []noteTotal
	noteInvoices map[string]string // invoices of credit notes, by their ids
	issued       map[string]string // invoices that are issued, to what must not change any more
	ahead        map[string]bool   // invoices that were still drafts at the instant that is looked at
}

func newBooks() books { return books{issued: map[string]string{}} }

type invoice struct {
	id, status, source, sub, customer string
	date, issued                      time.Time
	total, due, subtotal              *big.Rat
	lines                             []*line
	raw                               node
}

type line struct {
	*invoice
	id, name, price                               string
	from, to                                      time.Time
	quantity, subtotal, adjusted, credits, amount *big.Rat
	partially                                     *big.Rat
	currency                                      string
	adjustments                                   []node
}

// note is a line of a credit note that is in force.
type note struct {
	invoice  string
	name     string
	amount   *big.Rat
	from, to time.Time
}

// noteTotal is the total of a credit note that is in force.
type noteTotal struct {
	invoice string
	refund  bool // the invoice was paid
	amount  *big.Rat
}

// read reads all documents of the account.
func (r *run) read(ctx context.Context) error {
	found, err := r.changed(ctx)
	if err != nil {
		return err
	}
	for _, n := range found {
		v := &invoice{id: n.str("id"), status: n.str("status"), source: n.str("invoice_source"), sub: n.at("subscription").str("id"), customer: n.at("customer").str("id"),
			date: n.instant("invoice_date"), issued: n.instant("issued_at"), total: n.num("total"), due: n.num("amount_due"), subtotal: n.num("subtotal"), raw: n}
		for _, l := range n.list("line_items") {
			v.lines = append(v.lines, &line{invoice: v, id: l.str("id"), name: l.str("name"), price: l.at("price").str("id"), from: l.instant("start_date"), to: l.instant("end_date"),
				quantity: l.num("quantity"), subtotal: l.num("subtotal"), adjusted: l.num("adjusted_subtotal"), credits: l.num("credits_applied"), amount: l.num("amount"),
				partially: l.num("partially_invoiced_amount"), currency: l.at("price").str("currency"), adjustments: l.list("adjustments")})
		}
		r.books.invoices[v.id] = v
		r.books.order = append(r.books.order, v.id)
	}
	listed := r.books.noted()
	if !r.known.full && len(r.known.touched) == 0 && listed == r.known.notes {
		return nil
	}
	r.known.notes = listed
	r.books.notes, r.books.totals, r.books.noteInvoices = nil, nil, map[string]string{}
	notes, err := r.c.all(ctx, "/v1/credit_notes")
	if err != nil {
		return err
	}
	for _, n := range notes {
		r.books.noteInvoices[n.str("id")] = n.str("invoice_id")
		r.w.credited[n.at("customer").str("id")] = true
		if n.has("voided_at") {
			r.w.uncredited[n.at("customer").str("id")] = true
		}
		if !n.has("voided_at") {
			r.books.totals = append(r.books.totals, noteTotal{n.str("invoice_id"), n.str("type") == "refund", n.num("total")})
		}
		if n.has("voided_at") {
			continue
		}
		for _, l := range n.list("line_items") {
			r.books.notes = append(r.books.notes, note{n.str("invoice_id"), l.str("name"), l.num("amount"), l.instant("start_time_inclusive"), l.instant("end_time_exclusive")})
		}
	}
	return nil
}

// changed reads the invoices of all customers, or of those whose invoices may have changed since
// the last comparison, and takes what was known of these away.
func (r *run) changed(ctx context.Context) ([]node, error) {
	const path = "/v1/invoices?status[]=draft&status[]=issued&status[]=paid&status[]=void"
	if r.known.full || r.known.now != r.w.now {
		r.books.invoices, r.books.order = map[string]*invoice{}, nil
		return r.c.all(ctx, path)
	}
	var all []node
	for _, c := range r.customers() {
		if !r.known.touched[c.name] && !r.known.used[c.name] {
			continue
		}
		r.books.order = slices.DeleteFunc(r.books.order, func(id string) bool { return r.books.invoices[id].customer == c.id })
		maps.DeleteFunc(r.books.invoices, func(_ string, v *invoice) bool { return v.customer == c.id })
		found, err := r.c.all(ctx, path+"&customer_id="+c.id)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// frozen reports whether the document of a charge's service period is issued.
func (b *books) frozen(sub string, c *charge) bool {
	for _, id := range b.order {
		v := b.invoices[id]
		if v.status == "draft" || v.status == "void" || v.source != "subscription" || v.sub != sub || b.ahead[id] {
			continue
		}
		for _, l := range v.lines {
			if l.price == c.interval.price && !c.from.Before(l.from) && c.from.Before(l.to) {
				return true
			}
		}
	}
	return false
}

// of are the lines of a price whose service lies in a span, on invoices that are not void.
func (b *books) of(sub, price string, from, to time.Time) []*line {
	var all []*line
	for _, id := range b.order {
		v := b.invoices[id]
		if v.status == "void" || v.sub != sub {
			continue
		}
		for _, l := range v.lines {
			if l.price == price && !l.from.Before(from) && l.from.Before(to) {
				all = append(all, l)
			}
		}
	}
	return all
}

func (v *invoice) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "invoice of %s, %s, %s, total %s", v.date.Format(time.RFC3339), v.source, v.status, show(v.total))
	for _, l := range v.lines {
		fmt.Fprintf(&b, "\n      %s", l)
	}
	return b.String()
}

func (l *line) String() string {
	return fmt.Sprintf("%s [%s, %s) quantity %s subtotal %s adjusted %s credits %s partially %s amount %s", l.name, l.from.Format(time.RFC3339), l.to.Format(time.RFC3339),
		show(l.quantity), show(l.subtotal), show(l.adjusted), show(l.credits), show(l.partially), show(l.amount))
}

// byDate are the documents in order of their dates.
func (b *books) byDate() (all []*invoice) {
	for _, id := range slices.Backward(b.order) { // the newest one is listed first
		all = append(all, b.invoices[id])
	}
	sort.SliceStable(all, func(i, j int) bool {
		if !all[i].date.Equal(all[j].date) {
			return all[i].date.Before(all[j].date)
		}
		return all[i].source == "partial" && all[j].source != "partial"
	})
	return all
}

// print lists the documents of a subscription for a report.
func (b *books) print(sub string) string {
	all := slices.DeleteFunc(b.byDate(), func(v *invoice) bool { return v.sub != sub })
	var text strings.Builder
	for _, v := range all {
		fmt.Fprintf(&text, "\n    %s", v)
	}
	for _, n := range b.notes {
		if v := b.invoices[n.invoice]; v != nil && v.sub == sub {
			fmt.Fprintf(&text, "\n    credit note on the invoice of %s: %s %s [%s, %s)", v.date.Format(time.RFC3339), n.name, show(n.amount), n.from.Format(time.RFC3339), n.to.Format(time.RFC3339))
		}
	}
	return text.String()
}

// frozenText is what an issued invoice says for good.
func (v *invoice) frozenText() string {
	var lines []string
	for _, l := range v.lines {
		lines = append(lines, l.String())
	}
	slices.Sort(lines)
	return fmt.Sprint(v.date, v.issued, show(v.total), lines)
}
