package main

import (
	"context"

	"tollkeeper/scripts/rig"
)

// canonical is what the books say about the customers, in a form in which two runs that did the same are equal.
func (l *load) canonical(ctx context.Context, customers []string) string {
	shown := rig.Dump{Client: (*l.targets.Load())[0]}
	note := func(path string, err error) {
		if err != nil {
			l.fail("GET %s: %v", path, err)
		}
	}
	for _, customer := range customers {
		by := "/customers/external_customer_id/" + customer
		note(by, shown.Object(ctx, by))
		for _, path := range []string{
			by + "/credits", by + "/credits/ledger", "/subscriptions?external_customer_id[]=" + customer,
			"/invoices?external_customer_id=" + customer + "&status[]=draft&status[]=issued&status[]=paid",
		} {
			note(path, shown.List(ctx, path))
		}
		note(by+"/costs", shown.Object(ctx, by+"/costs"))
	}
	return shown.String()
}
