package console

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// webhooksPage lists the endpoints that are told what happens.
func webhooksPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.WebhookEndpointPage](v, "listWebhookEndpoints", nil, v.filters())
	if err != nil {
		return nil, err
	}
	t := table{Label: "Webhook endpoints", Links: true, Columns: []column{{"Endpoint", ""}, {"State", ""}, {"Messages", "mid"}, {"Created", "wide"}}}
	for _, e := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("webhooks", e.ID), e.URL, ""), enabledBadge(e.Enabled), text(eventTypes(e)), instant(e.CreatedAt)})
	}
	create := doing{Operation: "createWebhookEndpoint", Name: "New endpoint", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:  head{Title: "Webhooks", Lead: "Where what happens in the account is told.", Actions: v.actions(create)},
		Table: t,
		Pager: v.pager("endpoints", len(page.Data), page.PaginationMetadata.NextCursor),
		Empty: empty{Icon: "hook", Title: "No webhook endpoints yet", Text: "An endpoint is an address of yours that gets a signed POST for each thing that happens.", Action: v.first(create)},
	}), nil
}

func eventTypes(e gen.WebhookEndpoint) string {
	if len(e.EventTypes) == 0 {
		return "all"
	}
	return strings.Join(e.EventTypes, ", ")
}

// webhookPage shows an endpoint with its deliveries, the newest first.
func webhookPage(v *visit) (templ.Component, error) {
	id := v.param("id")
	e, err := fetch[gen.WebhookEndpoint](v, "fetchWebhookEndpoint", params{"webhook_endpoint_id": id}, nil)
	if err != nil {
		return nil, err
	}
	query := v.filters("status", "type")
	query.Set("webhook_endpoint_id", id)
	page, err := fetch[gen.WebhookDeliveryPage](v, "listWebhookDeliveries", nil, query)
	if err != nil {
		return nil, err
	}
	known := []string{"webhook_endpoint_id", id}
	return webhookDetail(webhookView{
		visit: v, Endpoint: e, Deliveries: deliveryTable(page.Data),
		Pager:   v.pager("deliveries", len(page.Data), page.PaginationMetadata.NextCursor),
		Filters: v.choices("status", "All", "pending", "delivered", "failed"),
		Head: head{
			Crumbs: []crumb{{link("webhooks"), "Webhooks"}}, Title: e.URL, Badge: enabledBadge(e.Enabled), Meta: []templ.Component{text("Messages: " + eventTypes(e)), copyable(e.ID)},
			Actions: v.actions(
				doing{Operation: "deleteWebhookEndpoint", Name: "Delete", Kind: "danger", Known: known},
				doing{Operation: "rotateWebhookSecret", Name: "Rotate secret", Known: known},
				doing{Operation: "updateWebhookEndpoint", Name: "Edit", Known: known},
				doing{Operation: "testWebhookEndpoint", Name: "Send a test", Known: known},
				doing{Operation: "resendWebhookDeliveries", Name: "Resend failed", Kind: "primary", Known: known},
			),
		},
	}), nil
}

// webhookView is an endpoint with a page of its deliveries.
type webhookView struct {
	visit      *visit
	Endpoint   gen.WebhookEndpoint
	Head       head
	Filters    []choice
	Deliveries table
	Pager      pager
}

func deliveryTable(all []gen.WebhookDelivery) table {
	t := table{Label: "Deliveries", Links: true, Columns: []column{{"Message", ""}, {"Status", ""}, {"Attempts", "num mid"}, {"Last answer", "wide"}, {"Created", "mid"}}}
	for _, d := range all {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("deliveries", d.ID), d.Type, ""), stateBadge(string(d.Status)), whole(len(d.Attempts)), text(lastAnswer(d)), instant(d.CreatedAt)})
	}
	return t
}

// lastAnswer says how the newest attempt ended.
func lastAnswer(d gen.WebhookDelivery) string {
	if len(d.Attempts) == 0 {
		return ""
	}
	return answerOf(d.Attempts[len(d.Attempts)-1])
}

func answerOf(a gen.WebhookAttempt) string {
	if a.ResponseStatus != nil {
		return strconv.Itoa(*a.ResponseStatus)
	}
	return deref(a.Error)
}

// deliveryPage shows a message, its attempts, and how to send it again.
func deliveryPage(v *visit) (templ.Component, error) {
	d, err := fetch[gen.WebhookDelivery](v, "fetchWebhookDelivery", params{"webhook_delivery_id": v.param("id")}, nil)
	if err != nil {
		return nil, err
	}
	attempts := table{Label: "Attempts", Columns: []column{{"When", ""}, {"Answer", ""}}}
	for _, a := range d.Attempts {
		attempts.Rows = append(attempts.Rows, []templ.Component{instant(a.AttemptedAt), text(answerOf(a))})
	}
	return recordPage(v, record{
		Head: head{
			Crumbs: []crumb{{link("webhooks"), "Webhooks"}, {link("webhooks", d.WebhookEndpointID), "Endpoint"}}, Title: d.Type, Badge: stateBadge(string(d.Status)), Meta: []templ.Component{instant(d.CreatedAt), copyable(d.ID)},
			Actions: v.actions(doing{Operation: "resendWebhookDelivery", Name: "Send again", Kind: "primary", Known: []string{"webhook_delivery_id", d.ID}}),
		},
		Title: "Delivery", Facts: []fact{{"Message", mono(d.EventID)}, {"Next attempt", optionalInstant(d.NextAttemptAt)}, {"Created", instant(d.CreatedAt)}},
		Code: []code{{"Body", pretty(d.Payload)}}, Tables: []titled{{"Attempts", attempts}},
	}), nil
}
