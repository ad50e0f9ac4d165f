package console

import (
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/export"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// creditNotesPage lists credit notes, the newest first.
func creditNotesPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.CreditNotePage](v, "listCreditNotes", nil, v.filters())
	if err != nil {
		return nil, err
	}
	names, err := v.customers(idsOf(page.Data, func(n gen.CreditNote) string { return n.Customer.ID }))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Credit notes", Links: true, Columns: []column{{"Credit note", ""}, {"Customer", ""}, {"Reason", "mid"}, {"Created", "wide"}, {"Total", "num"}}}
	for _, n := range page.Data {
		reason := ""
		if n.Reason != nil {
			reason = form.Words(string(*n.Reason))
		}
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("credit-notes", n.ID), n.CreditNoteNumber, voided(n)), names.link(n.Customer.ID), text(reason), instant(n.CreatedAt), number(n.Total),
		})
	}
	create := doing{Operation: "createCreditNote", Name: "New credit note", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "Credit notes", Lead: "Money of invoices that is given back.", Actions: append(v.exports(export.CreditNotes), v.actions(create)...)},
		Table: t,
		Pager: v.pager("credit notes", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "note", Title: "No credit notes yet", Text: "A credit note takes back a part of an issued invoice. Open the invoice to begin one."},
	}), nil
}

func voided(n gen.CreditNote) string {
	if n.VoidedAt != nil {
		return "Void"
	}
	return ""
}

// creditNotePage shows a credit note with its lines.
func creditNotePage(v *visit) (templ.Component, error) {
	n, err := fetch[gen.CreditNote](v, "fetchCreditNote", params{"credit_note_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	names, err := v.customers([]string{n.Customer.ID})
	if err != nil {
		return nil, err
	}
	zone := names.zone(n.Customer.ID)
	t := noteLines(n, zone)
	facts := []fact{
		{"Customer", names.link(n.Customer.ID)},
		{"Invoice", anchor(link("invoices", n.InvoiceID), "Open")},
		{"Type", text(form.Words(string(n.Type)))},
		{"Created", instant(n.CreatedAt)},
		{"Subtotal", number(n.Subtotal)},
		{"Total", number(n.Total)},
	}
	if n.Reason != nil {
		facts = append(facts, fact{"Reason", text(form.Words(string(*n.Reason)))})
	}
	if n.Memo != nil {
		facts = append(facts, fact{"Memo", text(*n.Memo)})
	}
	h := head{Crumbs: []crumb{{link("credit-notes"), "Credit notes"}}, Title: n.CreditNoteNumber, Meta: []templ.Component{names.link(n.Customer.ID), copyable(n.ID)}}
	if n.VoidedAt != nil {
		h.Badge = badge("Void", "plain")
		facts = append(facts, fact{"Voided", instant(*n.VoidedAt)})
	}
	return recordPage(v, record{Head: h, Title: "Credit note", Facts: facts, Tables: []titled{{"Line items", t}}}), nil
}

// noteLines shows the lines of a credit note.
func noteLines(n gen.CreditNote, zone *time.Location) table {
	t := table{Label: "Line items", Columns: []column{{"Line item", ""}, {"Quantity", "num"}, {"Subtotal", "num wide"}, {"Amount", "num"}}}
	for _, l := range n.LineItems {
		name := text(l.Name)
		if l.StartTimeInclusive != nil {
			name = stacked(name, openPeriod(*l.StartTimeInclusive, l.EndTimeExclusive, zone))
		}
		t.Rows = append(t.Rows, []templ.Component{name, optionalNumber(l.Quantity), number(l.Subtotal), number(l.Amount)})
	}
	return t
}
