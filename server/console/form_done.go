package console

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/account"
)

// sectionOf are the sections of the console by the first part of the contract's paths.
var sectionOf = map[string]string{
	"customers": "customers", "subscriptions": "subscriptions", "invoices": "invoices", "credit_notes": "credit-notes", "plans": "plans",
	"prices": "prices", "metrics": "metrics", "coupons": "coupons", "alerts": "alerts", "webhook_endpoints": "webhooks",
	"webhook_deliveries": "deliveries", "api_keys": "keys", "test_clock": "clock",
}

// onlyList are sections without a page for each thing.
var onlyList = map[string]bool{"keys": true, "clock": true}

// done leads to what the form changed. An answer with a secret is shown, since it is the only
// time; so is one that was asked for, such as the evaluation of a price.
func (f operationForm) done(answer []byte) (templ.Component, error) {
	result := term{Null: true}
	if len(answer) > 0 {
		result = readTerm(answer)
	}
	for _, name := range []string{"api_key", "secret"} {
		if secret := result.at(name); !secret.Null && secret.Text != "" {
			return formResult(f, result, secret.Text), nil
		}
	}
	if f.Operation.Right.Access == account.AccessRead {
		return formResult(f, result, ""), nil
	}
	address := f.resultAddress(result)
	if address == "" {
		return formResult(f, result, ""), nil
	}
	return leadTo(address + "?done=" + f.Operation.ID), nil
}

// resultAddress is that of the page about what the operation changed, "" where there is none.
func (f operationForm) resultAddress(result term) string {
	parts := strings.Split(strings.TrimPrefix(f.Operation.Path, "/v1/"), "/")
	first := parts[0]
	if first == "events" && len(parts) > 1 && parts[1] == "backfills" {
		return pageOf("backfills", firstOf(result.at("id").Text, f.path()["backfill_id"]))
	}
	if first == "invoice_line_items" && f.Body != nil {
		for _, member := range f.Body.Fields {
			if member.Name == "invoice_id" {
				return pageOf("invoices", member.Value)
			}
		}
	}
	section, ok := sectionOf[first]
	switch {
	case !ok:
		return ""
	case onlyList[section] || f.Operation.Method == http.MethodDelete && len(parts) <= 2:
		return link(section)
	}
	id := result.at("id").Text
	if len(parts) > 2 || f.Operation.Method == http.MethodPut { // about the one in the path
		for _, p := range f.Operation.Parameters {
			if p.In == "path" && strings.HasSuffix(parts[1], p.Name+"}") && len(parts) > 1 {
				id = firstOf(f.path()[p.Name], id)
			}
		}
	}
	if section == "customers" && len(parts) > 2 && parts[2] == "credits" {
		return link("customers", id, "credits")
	}
	return pageOf(section, id)
}

// pageOf is the page of one thing, or the list where its id is not known.
func pageOf(section, id string) string {
	if id == "" {
		return link(section)
	}
	return link(section, id)
}

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
