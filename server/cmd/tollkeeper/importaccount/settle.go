package importaccount

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// settle marks what the target invoiced because subscriptions were moved as paid: the source has
// billed it.
func (t *transfer) settle(ctx context.Context) error {
	if t.DryRun {
		return nil
	}
	for _, s := range t.subs {
		if s.to == "" {
			continue
		}
		if err := t.once("settle "+s.to, func() error { return t.settleOne(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *transfer) settleOne(ctx context.Context, s *movedSubscription) error {
	open, err := upcoming(ctx, t.Target, s.to)
	if err != nil {
		return err
	}
	return t.Target.list(ctx, "/invoices", url.Values{"subscription_id": {s.to}, "status[]": {"issued", "draft"}}, func(invoice object) error {
		id := text(invoice, "id")
		if id == text(open, "id") {
			return nil
		}
		path := "/invoices/" + escaped(id)
		if text(invoice, "status") == "draft" {
			if truth(invoice, "will_auto_issue") || text(invoice, "eligible_to_issue_at") == "" {
				return nil
			}
			issued, err := t.Target.send(ctx, http.MethodPost, path+"/issue", object{}, idempotencyKey(kindInvoice, "issue "+id))
			if refused(err, http.StatusBadRequest) {
				return nil // not yet due
			}
			if err != nil {
				return err
			}
			if invoice = issued; text(invoice, "status") != "issued" {
				return nil
			}
		}
		day, err := localDate(invoice, "invoice_date", text(part(s.object, "customer"), "timezone"))
		if err != nil {
			return err
		}
		_, err = t.Target.send(ctx, http.MethodPost, path+"/mark_paid", object{
			"payment_received_date": day,
			"notes":                 "Billed by " + t.Source.url + " before the account was moved here.",
		}, idempotencyKey(kindInvoice, "paid "+id))
		return err
	})
}

// localDate is the date of an instant in a time zone.
func localDate(o object, name, zone string) (string, error) {
	at, _, err := instant(o, name)
	if err != nil {
		return "", err
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		return "", err
	}
	return at.In(location).Format(time.DateOnly), nil
}

// documents reports invoices that the source still has to issue or to collect.
func (t *transfer) documents(ctx context.Context) error {
	open := map[string]bool{}
	for _, s := range t.subs {
		open[s.draft] = true
	}
	return t.Source.list(ctx, "/invoices", url.Values{"status[]": {"issued", "draft"}}, func(invoice object) error {
		if open[text(invoice, "id")] {
			return nil
		}
		switch text(invoice, "status") {
		case "draft":
			t.leave(kindInvoice, invoice, "a draft of an earlier period, or one-off: it is issued by the source")
		case "issued":
			t.leave(kindInvoice, invoice, "number "+text(invoice, "invoice_number")+" is not paid: it is collected by the source")
		}
		return nil
	})
}
