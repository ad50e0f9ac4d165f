package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Ids, prefixes of invoice numbers and secret links are random. Those of line items follow from other ids.
var (
	ids      = regexp.MustCompile(`\b(line)_[A-Za-z0-9_-]{20}|\b([a-z]+)_[A-Za-z0-9]{20}\b`)
	links    = regexp.MustCompile(`http://[^/"]+/(i|portal)/[A-Za-z0-9_-]+`)
	prefixes = regexp.MustCompile(`\b[A-Z]{6}-(\d{5}|DRAFT)\b`)
)

// canonical is what the books say about the customers: all that the API shows, with ids replaced
// by their place of first appearance.
func (l *load) canonical(ctx context.Context, customers []string) string {
	var all strings.Builder
	for _, customer := range customers {
		var shown strings.Builder
		by := "/customers/external_customer_id/" + customer
		for _, path := range []string{
			by, by + "/credits", by + "/credits/ledger", by + "/costs",
			"/subscriptions?external_customer_id[]=" + customer,
			"/invoices?external_customer_id=" + customer + "&status[]=draft&status[]=issued&status[]=paid",
		} {
			text, err := json.MarshalIndent(l.ask(ctx, "GET", path, "", nil), "", " ")
			if err != nil {
				panic(err)
			}
			_, _ = fmt.Fprintf(&shown, "%s\n%s\n", path, text)
		}
		numbers := map[string]int{}
		same := ids.ReplaceAllStringFunc(shown.String(), func(id string) string {
			if _, known := numbers[id]; !known {
				numbers[id] = len(numbers)
			}
			kind, _, _ := strings.Cut(id, "_")
			return fmt.Sprint(kind, "_", numbers[id])
		})
		same = links.ReplaceAllString(same, "LINK/$1")
		all.WriteString(prefixes.ReplaceAllString(same, "PREFIX-$1"))
	}
	return all.String()
}

// difference is the first line in which two texts differ.
func difference(one, other string) string {
	a, b := strings.Split(one, "\n"), strings.Split(other, "\n")
	for k := range min(len(a), len(b)) {
		if a[k] != b[k] {
			return fmt.Sprintf("%q and %q", a[k], b[k])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(a), len(b))
}
