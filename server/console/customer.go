package console

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/mail"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// customerView is a customer, with what is shown on each of the tabs.
type customerView struct {
	visit         *visit
	Customer      gen.Customer
	Zone          *time.Location
	Current       string // the tab
	Subscriptions []gen.Subscription
	Invoices      []gen.InvoiceSummary
	InvoicesErr   error
	Costs         gen.Costs
	CostsErr      error
}

// loadCustomer reads the customer that the address names.
func loadCustomer(v *visit, current string) (customerView, error) {
	c, err := fetch[gen.Customer](v, "fetchCustomer", params{"customer_id": v.param("id")}, nil)
	zone, zoneErr := time.LoadLocation(c.Timezone)
	if zoneErr != nil {
		zone = time.UTC
	}
	return customerView{visit: v, Customer: c, Zone: zone, Current: current}, err
}

// customerPage shows what a customer has, and what is due.
func customerPage(v *visit) (templ.Component, error) {
	view, err := loadCustomer(v, "")
	if err != nil {
		return nil, err
	}
	few := url.Values{"customer_id": {view.Customer.ID}, "limit": {"5"}}
	subscriptions, err := fetch[gen.SubscriptionPage](v, "listSubscriptions", nil, few)
	if err != nil {
		return nil, err
	}
	view.Subscriptions = subscriptions.Data
	few["status[]"] = everyInvoice
	invoices, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, few)
	view.Invoices, view.InvoicesErr = invoices.Data, err
	view.Costs, view.CostsErr = fetch[gen.Costs](v, "listCustomerCosts", params{"customer_id": view.Customer.ID}, url.Values{"view_mode": {"cumulative"}})
	return customerOverview(view), nil
}

// customerSubscriptionsPage lists the subscriptions of a customer.
func customerSubscriptionsPage(v *visit) (templ.Component, error) {
	view, err := loadCustomer(v, "subscriptions")
	if err != nil {
		return nil, err
	}
	query := v.filters("status")
	query.Set("customer_id", view.Customer.ID)
	page, err := fetch[gen.SubscriptionPage](v, "listSubscriptions", nil, query)
	if err != nil {
		return nil, err
	}
	return customerList(view, ownSubscriptions(page.Data), v.pager("subscriptions", len(page.Data), page.PaginationMetadata.NextCursor),
		empty{Icon: "repeat", Title: "No subscriptions yet", Text: "A subscription puts the customer on a plan.", Action: v.first(doing{Operation: "createSubscription", Name: "New subscription", Icon: "plus", Known: []string{"customer_id", view.Customer.ID}})}), nil
}

// customerInvoicesPage lists the invoices of a customer.
func customerInvoicesPage(v *visit) (templ.Component, error) {
	view, err := loadCustomer(v, "invoices")
	if err != nil {
		return nil, err
	}
	query := v.filters()
	query.Set("customer_id", view.Customer.ID)
	query["status[]"] = everyInvoice
	page, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, query)
	if err != nil {
		return nil, err
	}
	t, err := invoiceTable(v, page.Data)
	if err != nil {
		return nil, err
	}
	return customerList(view, t, v.pager("invoices", len(page.Data), page.PaginationMetadata.NextCursor),
		empty{Icon: "file", Title: "No invoices yet", Text: "Subscriptions open them as their periods begin and end.", Action: v.first(doing{Operation: "createInvoice", Name: "New invoice", Icon: "plus", Known: []string{"customer_id", view.Customer.ID}})}), nil
}

// customerAlertsPage lists the alerts of a customer.
func customerAlertsPage(v *visit) (templ.Component, error) {
	view, err := loadCustomer(v, "alerts")
	if err != nil {
		return nil, err
	}
	query := v.filters()
	query.Set("customer_id", view.Customer.ID)
	page, err := fetch[gen.AlertPage](v, "listAlerts", nil, query)
	if err != nil {
		return nil, err
	}
	t, err := alertTable(v, page.Data)
	if err != nil {
		return nil, err
	}
	return customerList(view, t, v.pager("alerts", len(page.Data), page.PaginationMetadata.NextCursor),
		empty{Icon: "bell", Title: "No alerts yet", Text: "An alert tells your webhooks when a balance runs out.", Action: v.first(doing{Operation: "createCustomerAlert", Name: "New alert", Icon: "plus", Known: []string{"customer_id", view.Customer.ID}})}), nil
}

// head of all the pages about the customer.
func (c customerView) head() head {
	id := c.Customer.ID
	h := head{
		Crumbs: []crumb{{link("customers"), "Customers"}},
		Title:  c.Customer.Name,
		Meta:   []templ.Component{text(c.Customer.Email), text("Days are in " + c.Customer.Timezone), copyable(id)},
		Actions: c.visit.actions(
			doing{Operation: "deleteCustomer", Name: "Delete", Kind: "danger", Known: []string{"customer_id", id}},
			doing{Operation: "withdrawPortalLinks", Name: "Withdraw links", Known: []string{"customer_id", id}},
			doing{Operation: "updateCustomer", Name: "Edit", Known: []string{"customer_id", id}},
			doing{Operation: "createLedgerEntry", Name: "Add credits", Known: []string{"customer_id", id}},
			doing{Operation: "createInvoice", Name: "New invoice", Known: []string{"customer_id", id}},
			doing{Operation: "createSubscription", Name: "New subscription", Icon: "plus", Kind: "primary", Known: []string{"customer_id", id}},
		),
	}
	if c.Customer.ExternalCustomerID != nil {
		h.Badge = tag(*c.Customer.ExternalCustomerID)
	}
	return h
}

func (c customerView) tabs() []tab {
	list := []tab{{link("customers", c.Customer.ID), "Overview", c.Current == ""}}
	for _, name := range []string{"subscriptions", "invoices", "credits", "alerts"} {
		list = append(list, tab{link("customers", c.Customer.ID, name), form.Words(name), c.Current == name})
	}
	return list
}

// facts about the customer.
func (c customerView) facts() []fact {
	customer := c.Customer
	facts := []fact{
		{"Currency", text(deref(customer.Currency))},
		{"Balance", moneyIn(customer.Balance, deref(customer.Currency))},
		{"Time zone", text(customer.Timezone)},
		{"Collect", text(onOff(customer.AutoCollection, "Automatically", "By hand"))},
		{"Created", instant(customer.CreatedAt)},
	}
	if v := c.visit; mail.Sends(v.account) && v.login.Key.May(mayOpenPortals) {
		facts = append(facts, fact{"Portal", postButton(v, link("customers", customer.ID, "portal-link"), "Mail a link")})
	}
	if address := customer.BillingAddress; address != nil {
		facts = append(facts, fact{"Billing address", text(termsOf(address).addressLine())})
	}
	if parent := customer.Hierarchy.Parent; parent != nil {
		facts = append(facts, fact{"Parent", anchor(link("customers", parent.ID), aliasOr(parent.ExternalCustomerID, parent.ID))})
	}
	for _, child := range customer.Hierarchy.Children {
		facts = append(facts, fact{"Child", anchor(link("customers", child.ID), aliasOr(child.ExternalCustomerID, child.ID))})
	}
	return facts
}

// addressLine writes an address in one line.
func (t term) addressLine() string {
	line := ""
	for _, part := range t.given() {
		if line != "" {
			line += ", "
		}
		line += part.Text
	}
	return line
}

func onOff(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

func aliasOr(alias *string, id string) string {
	if alias != nil {
		return *alias
	}
	return id
}
