package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tollkeeper/gen"
)

// printJSON prints one invoice as an object, several as an array.
func printJSON(out io.Writer, invoices []gen.Invoice) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if len(invoices) == 1 {
		return encoder.Encode(invoices[0])
	}
	return encoder.Encode(invoices)
}

func printTables(out io.Writer, invoices []gen.Invoice) error {
	for i, invoice := range invoices {
		if i > 0 {
			_, _ = fmt.Fprintln(out)
		}
		if err := printTable(out, invoice); err != nil {
			return err
		}
	}
	return nil
}

// printTable prints an invoice with its lines, and the parts of a line that has
// more than one.
func printTable(out io.Writer, invoice gen.Invoice) error {
	_, _ = fmt.Fprintf(out, "Invoice %s of %s for %s (%s)\n\n",
		invoice.InvoiceNumber, day(invoice.InvoiceDate), invoice.Customer.ID, invoice.Status)
	line := func(name, from, to, quantity, amount string) {
		_, _ = fmt.Fprintf(out, "%-30s  %-10s  %-10s  %14s  %10s\n", name, from, to, quantity, amount)
	}
	line("Line", "From", "To", "Quantity", invoice.Currency)
	for _, l := range invoice.LineItems {
		line(l.Name, day(l.StartDate), day(l.EndDate), grouped(l.Quantity.String()), l.Amount)
		if len(l.SubLineItems) < 2 {
			continue
		}
		for _, s := range l.SubLineItems {
			part, err := s.AsTierSubLineItem() // the members that all kinds have
			if err != nil {
				return err
			}
			line("  "+part.Name, "", "", grouped(part.Quantity.String()), part.Amount)
		}
	}
	line("Total", "", "", "", invoice.Total)
	return nil
}

// day cuts an instant as the server prints it to its date.
func day(instant gen.Timestamp) string {
	date, _, _ := strings.Cut(instant, "T")
	return date
}

// grouped parts the digits before the point by thousands.
func grouped(number string) string {
	whole, rest, broken := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if broken {
		return whole + "." + rest
	}
	return whole
}
