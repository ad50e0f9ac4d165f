package importaccount

import (
	"context"
	"maps"
	"slices"

	"tollkeeper/domain/customer"
)

// moveCustomers moves customers, parents before their children. None pays by itself yet.
func (t *transfer) moveCustomers(ctx context.Context) error {
	all, err := t.Source.oldestFirst(ctx, "/customers", nil)
	if err != nil {
		return err
	}
	for _, children := range []bool{false, true} {
		for _, c := range all {
			if (parent(c) != "") == children {
				if err := t.moveCustomer(ctx, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func parent(c object) string {
	return text(part(part(c, "hierarchy"), "parent"), "id")
}

// customerMembers are those of a customer that are sent as they are.
var customerMembers = []string{
	"name", "email", "additional_emails", "external_customer_id", "timezone", "currency", "auto_issuance", "email_delivery", "language",
	"billing_address", "shipping_address", "payment_provider", "payment_provider_id", "tax_id", "reporting_configuration", "metadata",
}

// customerOthers are those that are moved in another way, are told of as left, or that the target works out.
var customerOthers = []string{
	"id", "created_at", "portal_url", "balance", "hierarchy", "auto_collection", "default_payment_method", "accounting_sync_configuration",
	"payment_configuration", "exempt_from_automated_tax", "automatic_tax_enabled",
}

func (t *transfer) moveCustomer(ctx context.Context, c object) error {
	body := pick(c, customerMembers...)
	body["auto_collection"] = false
	onOneLine(body)
	if p := parent(c); p != "" {
		hierarchy := object{}
		if !t.refer(kindCustomer, c, hierarchy, "parent_customer_id", kindCustomer, p) {
			return nil
		}
		body["hierarchy"] = hierarchy
	}
	if c["default_payment_method"] != nil {
		t.leave(kindCustomer, c, "the payment method: it is kept by the payment provider")
	}
	if c["accounting_sync_configuration"] != nil || c["payment_configuration"] != nil {
		t.leave(kindCustomer, c, "its accounting and payment configuration, which names connections of the source")
	}
	if c["exempt_from_automated_tax"] != nil || c["automatic_tax_enabled"] != nil {
		t.leave(kindCustomer, c, "its tax configuration: answers do not name the tax provider")
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if c[name] != nil && !slices.Contains(customerMembers, name) && !slices.Contains(customerOthers, name) {
			t.leave(kindCustomer, c, "its "+name+", which this version does not know")
		}
	}
	_, ok, err := t.create(ctx, kindCustomer, c, "/customers", body)
	if ok {
		t.customers = append(t.customers, c)
	}
	return err
}

// onOneLine writes the name and the parts of addresses on one line each, where the source lets them have several.
func onOneLine(body object) {
	for name, member := range body {
		switch v := member.(type) {
		case string:
			if name != "email" { // one of several lines is no address: the target refuses it
				body[name] = customer.OneLine(v)
			}
		case object:
			if name == "billing_address" || name == "shipping_address" || name == "tax_id" {
				onOneLine(v)
			}
		}
	}
}

// balances carries each balance over in one transaction.
func (t *transfer) balances(ctx context.Context) error {
	for _, c := range t.customers {
		balance, err := decimal(c, "balance")
		if err != nil {
			return err
		}
		if balance.IsZero() {
			continue
		}
		body := object{"type": "increment", "amount": balance.Abs().String(), "description": "Balance at " + t.Source.url}
		if balance.Sign() < 0 {
			body["type"] = "decrement"
		}
		to, _ := t.to(kindCustomer, text(c, "id"))
		if _, _, err := t.create(ctx, kindBalance, c, "/customers/"+escaped(to)+"/balance_transactions", body); err != nil {
			return err
		}
	}
	return nil
}

// collection lets those customers and subscriptions pay by themselves that do so at the source. It is the
// last step: what the source has collected must not be collected again.
func (t *transfer) collection(ctx context.Context) error {
	for _, c := range t.customers {
		if !truth(c, "auto_collection") {
			continue
		}
		to, _ := t.to(kindCustomer, text(c, "id"))
		if err := t.put(ctx, kindCustomer, c, "/customers/"+escaped(to), object{"auto_collection": true}); err != nil {
			return err
		}
	}
	for _, s := range t.subs {
		if s.to == "" || s.object["auto_collection"] == nil {
			continue
		}
		if err := t.put(ctx, kindSubscription, s.object, "/subscriptions/"+escaped(s.to), pick(s.object, "auto_collection")); err != nil {
			return err
		}
	}
	return nil
}
