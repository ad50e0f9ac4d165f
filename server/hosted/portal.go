package hosted

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/portal"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/mails"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mountPortal serves the portal of a customer. Each page reads in one transaction, in which the token
// is looked up first: what ends a session ends it for the page too.
func (p *pages) mountPortal(e *echo.Echo) {
	g := e.Group("/portal", p.secured, p.answered, readForm)
	for path, page := range map[string]func(*visitor, *store.Tx) (templ.Component, error){
		"/:token":          overviewPage,
		"/:token/usage":    usagePage,
		"/:token/credits":  creditsPage,
		"/:token/invoices": invoicesPage,
	} {
		g.GET(path, p.portalPage(page))
	}
	g.POST("/:token/details", p.saveDetails)
	g.POST("/:token/alerts", p.addAlert)
	g.POST("/:token/alerts/remove", p.removeAlert)
	g.POST("/:token/end", p.endSession)
	g.POST("/:token/link", p.mailLink)
	g.GET("/:token/brand.css", p.portalFile(func(c echo.Context, head letterhead.Letterhead) error {
		return brand(c, document.Document{Letterhead: head})
	}))
	g.GET("/:token/logo", p.portalFile(func(c echo.Context, head letterhead.Letterhead) error {
		if len(head.Logo) == 0 {
			return errNothing
		}
		return c.Blob(http.StatusOK, head.LogoType, head.Logo)
	}))
}

// largestForm bounds a form of the portal, in bytes.
const largestForm = 64 << 10

// readForm reads the form of a request. One that cannot be read, or is too large, is refused: its fields would
// look empty.
func readForm(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(c.Response(), r.Body, largestForm)
			if err := r.ParseForm(); err != nil {
				return fault.Bad("form", "must be readable, and have at most %d kB", largestForm>>10)
			}
		}
		return next(c)
	}
}

// visitor is a customer who looks at their portal. Every read is for this customer.
type visitor struct {
	echo     echo.Context
	Token    string
	Customer customer.Customer
	Head     letterhead.Letterhead
	Words    document.Words
	Frame    frame
	Current  string // the section
	Saved    bool
	Lasting  bool // the address does not end: it is of no session
}

// visit reads whose portal a token opens.
func (p *pages) visit(c echo.Context, tx *store.Tx) (*visitor, error) {
	v := &visitor{echo: c, Token: c.Param("token"), Saved: c.QueryParam("saved") != "", Lasting: portal.Lasts(c.Param("token"))}
	var err error
	if v.Customer, err = portal.Open(tx, v.Token); err != nil {
		return nil, err
	}
	if v.Head, err = letterhead.Current(tx); err != nil {
		return nil, err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	d := document.Document{
		Words: document.In(invoice.LanguageOf(v.Head, v.Customer)), Letterhead: v.Head, Seller: settings.Name, Zone: v.Customer.Location(),
	}
	if v.Head.Content.Name != "" {
		d.Seller = v.Head.Content.Name
	}
	v.Words = d.Words
	v.Frame = p.frame(d)
	v.Frame.Title = v.Words.PortalTitle + " · " + d.Seller
	v.Frame.Brand = v.path("/brand.css")
	if len(v.Head.Logo) > 0 {
		v.Frame.Logo = v.path("/logo")
	}
	return v, nil
}

// path is below the address of the portal.
func (v *visitor) path(below string) string { return "/portal/" + v.Token + below }

// tab is a section of the portal.
type tab struct{ Name, Path, Section string }

func (v *visitor) tabs() []tab {
	w := v.Words
	return []tab{{w.Overview, v.path(""), ""}, {w.Usage, v.path("/usage"), "usage"}, {w.Credits, v.path("/credits"), "credits"}, {w.Invoices, v.path("/invoices"), "invoices"}}
}

// endedSession is answered where a token opens nothing. The customer of a session that has ended can have a link mailed.
func (p *pages) endedSession(ctx context.Context, c echo.Context) error {
	p.Strange(c)
	e := ended{Frame: p.bare(""), Words: document.In(letterhead.English)}
	err := p.Store.View(ctx, func(tx *store.Tx) error {
		buyer, found, err := portal.Owner(tx, c.Param("token"))
		if err != nil || !found {
			return err
		}
		if err := p.greet(tx, &e, buyer); err != nil {
			return err
		}
		mailed, err := mails.SendsPortalLinks(tx)
		if mailed {
			e.Ask = "/portal/" + c.Param("token") + "/link"
		}
		return err
	})
	if err != nil {
		return err
	}
	e.Title, e.Frame.Title = e.Words.SessionEnded, e.Words.SessionEnded
	return p.show(c, http.StatusGone, endedSessionPage(e))
}

// ended is a page after a session.
type ended struct {
	Frame frame
	Words document.Words
	Title string
	Lead  string
	Ask   string // address to ask for another link; "": there is none
}

// greet puts the seller and the customer's language on a page.
func (p *pages) greet(tx *store.Tx, e *ended, buyer customer.Customer) error {
	head, err := letterhead.CurrentText(tx)
	if err != nil {
		return err
	}
	settings, err := account.Of(tx)
	e.Words = document.In(invoice.LanguageOf(head, buyer))
	e.Frame = p.frame(document.Document{Words: e.Words, Letterhead: head, Seller: cmp.Or(head.Content.Name, settings.Name), Zone: buyer.Location()})
	return err
}

// mailLink mails a link to the customer whose session has ended. The answer is the same where a mail was queued a short
// time ago.
func (p *pages) mailLink(c echo.Context) error {
	accountID, ok := portal.AccountOf(c.Param("token"))
	if !ok {
		return errNothing
	}
	p.Strange(c)
	var e ended
	err := p.Store.Update(store.WithAccount(c.Request().Context(), accountID), func(tx *store.Tx) error {
		buyer, found, err := portal.Owner(tx, c.Param("token"))
		switch {
		case err != nil:
			return err
		case !found:
			return errNothing
		}
		if err := p.greet(tx, &e, buyer); err != nil {
			return err
		}
		return mails.AskPortalLink(tx, buyer)
	})
	if err != nil {
		return err
	}
	e.Title, e.Frame.Title, e.Lead = e.Words.LinkMailed, e.Words.LinkMailed, e.Words.LinkMailedLead
	return p.show(c, http.StatusOK, endedSessionPage(e))
}

// inPortal runs fn in a transaction of the account that a token names.
func (p *pages) inPortal(c echo.Context, change bool, fn func(tx *store.Tx) error) error {
	accountID, ok := portal.AccountOf(c.Param("token"))
	if !ok {
		return errNothing
	}
	ctx := store.WithAccount(c.Request().Context(), accountID)
	run := p.Store.View
	if change {
		run = p.Store.Update
	}
	err := run(ctx, fn)
	if errors.Is(err, portal.ErrEnded) {
		return p.endedSession(ctx, c)
	}
	return err
}

func (p *pages) portalPage(page func(*visitor, *store.Tx) (templ.Component, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		var shown templ.Component
		err := p.inPortal(c, false, func(tx *store.Tx) error {
			v, err := p.visit(c, tx)
			if err != nil {
				return err
			}
			shown, err = page(v, tx)
			return err
		})
		if err != nil || c.Response().Committed {
			return err
		}
		return p.show(c, http.StatusOK, shown)
	}
}

func (p *pages) portalFile(serve func(echo.Context, letterhead.Letterhead) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		var head letterhead.Letterhead
		err := p.inPortal(c, false, func(tx *store.Tx) error {
			v, err := p.visit(c, tx)
			if err == nil {
				head = v.Head
			}
			return err
		})
		if err != nil || c.Response().Committed {
			return err
		}
		return serve(c, head)
	}
}

// overview is what the first page shows.
type overview struct {
	*visitor
	Plans   []plan
	Costs   costs
	Ledgers []ledger
	Overdue string // "" where nothing is
	Alerts  []alertRow
	Own     ownAlerts
}

// plan is a subscription that is active.
type plan struct {
	Name        string
	Since       string
	NextInvoice string // "" where there is none
}

func overviewPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	o := overview{visitor: v}
	subscriptions, err := subscription.OfCustomer(tx, v.Customer.ID)
	if err != nil {
		return nil, err
	}
	for _, t := range subscriptions {
		if t.Status(tx.Now) != subscription.StatusActive {
			continue
		}
		shown := plan{Name: t.Plan.Name, Since: v.date(t.StartAt)}
		if t.NextBillingAt != nil {
			shown.NextInvoice = v.date(*t.NextBillingAt)
		}
		o.Plans = append(o.Plans, shown)
	}
	if o.Costs, err = v.costs(tx); err != nil {
		return nil, err
	}
	if o.Ledgers, err = v.ledgers(tx); err != nil {
		return nil, err
	}
	if o.Overdue, err = v.overdue(tx); err != nil {
		return nil, err
	}
	if o.Alerts, err = v.alerts(tx, subscriptions); err != nil {
		return nil, err
	}
	if o.Own, err = v.ownAlerts(tx, subscriptions); err != nil {
		return nil, err
	}
	return overviewView(o), nil
}

func usagePage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "usage"
	costs, err := v.costs(tx)
	return usageView(v, costs), err
}

func creditsPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "credits"
	ledgers, err := v.ledgers(tx)
	return creditsView(v, ledgers), err
}

func invoicesPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "invoices"
	views, next, err := invoice.List(tx, invoice.Filter{
		CustomerID: v.Customer.ID, Statuses: []invoice.Status{invoice.StatusIssued, invoice.StatusPaid, invoice.StatusSynced, invoice.StatusVoid},
	}, store.Page{Limit: 20, Cursor: v.echo.QueryParam("cursor")})
	if err != nil {
		return nil, err
	}
	rows := make([]invoiceRow, len(views))
	for k, shown := range views {
		d := document.Document{Words: v.Words, Zone: v.Customer.Location(), Due: period.DateOf(*shown.DueAt, v.Customer.Location())}
		rows[k] = invoiceRow{
			Number: shown.Number, Page: shown.Page, Date: v.date(shown.InvoiceDate), State: stateOf(tx, d, shown),
			Total: v.Words.Money(shown.Total, shown.Currency),
		}
	}
	older := ""
	if next != "" {
		older = v.path("/invoices?cursor=" + next)
	}
	return invoicesView(v, rows, older), nil
}

// invoiceRow is an invoice in the list.
type invoiceRow struct {
	Number, Page, Date, Total string
	State                     state
}

// overdue tells how many invoices are, and how much in all. Of invoices in several currencies it
// tells those of the first.
func (v *visitor) overdue(tx *store.Tx) (string, error) {
	var rows []invoice.Invoice
	const most = 1000
	err := tx.Where("customer_id = ? AND status = ? AND due_at <= ?", v.Customer.ID, invoice.StatusIssued, tx.Now).Order("due_at").Limit(most).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return "", err
	}
	sum, count := money.Decimal{}, 0
	for _, row := range rows {
		if row.Currency == rows[0].Currency && row.Due().Sign() > 0 {
			sum, count = sum.Add(row.Due()), count+1
		}
	}
	if count == 0 {
		return "", nil
	}
	return v.Words.Fill(v.Words.OverdueCount, "count", v.Words.Number(money.FromInt(int64(count))), "amount", v.Words.Money(sum, rows[0].Currency)), nil
}

// saveDetails corrects the address and the tax number of the customer, and nothing else.
func (p *pages) saveDetails(c echo.Context) error {
	to := ""
	err := p.inPortal(c, true, func(tx *store.Tx) error {
		v, err := p.visit(c, tx)
		if err != nil {
			return err
		}
		if _, err := billing.UpdateCustomer(tx, v.Customer.ID, func(c *customer.Customer) error { return v.editDetails(c) }); err != nil {
			return err
		}
		to = v.path("?saved=1")
		return nil
	})
	if err != nil || c.Response().Committed {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// mostDetail bounds a field, as the contract bounds it.
const mostDetail = 500

// editDetails takes the fields that the form has; what it does not have stays. An address without any part is
// none.
func (v *visitor) editDetails(c *customer.Customer) error {
	field := func(name string, was *string) *string {
		if !v.echo.Request().PostForm.Has(name) {
			return was
		}
		text := strings.TrimSpace(strings.ToValidUTF8(v.echo.Request().PostForm.Get(name), ""))
		if text = strings.ReplaceAll(text, "\x00", ""); text == "" {
			return nil
		}
		return &text
	}
	var was customer.Address
	if c.BillingAddress != nil {
		was = *c.BillingAddress
	}
	a := customer.Address{
		Line1: field("line1", was.Line1), Line2: field("line2", was.Line2), PostalCode: field("postal_code", was.PostalCode),
		City: field("city", was.City), State: field("state", was.State), Country: field("country", was.Country),
	}
	number := field("tax_id", nil)
	for _, part := range []*string{a.Line1, a.Line2, a.PostalCode, a.City, a.State, a.Country, number} {
		if part != nil && len(*part) > mostDetail {
			return fault.Bad("details", "must have at most %d bytes in each field", mostDetail)
		}
	}
	if a.Country != nil {
		if *a.Country = strings.ToUpper(*a.Country); len(*a.Country) != 2 {
			return fault.Bad("country", "must be the two letters of a country")
		}
	}
	c.BillingAddress = &a
	if a == (customer.Address{}) {
		c.BillingAddress = nil
	}
	switch {
	case !v.echo.Request().PostForm.Has("tax_id"):
	case number == nil:
		c.TaxID = nil
	case c.TaxID != nil:
		corrected := *c.TaxID
		corrected.Value = *number
		c.TaxID = &corrected
	case a.Country != nil && slices.Contains(memberStates, *a.Country):
		c.TaxID = &customer.TaxID{Country: *a.Country, Type: "eu_vat", Value: *number}
	default:
		return fault.Bad("tax_id", "can be set here for countries of the European Union; ask us for others")
	}
	return nil
}

// memberStates are those of the European Union, whose numbers are of one kind.
var memberStates = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

// endSession ends the session of the token. An address that lasts has none.
func (p *pages) endSession(c echo.Context) error {
	if portal.Lasts(c.Param("token")) {
		return errNothing
	}
	err := p.inPortal(c, true, func(tx *store.Tx) error { return portal.End(tx, c.Param("token")) })
	if err != nil || c.Response().Committed {
		return err
	}
	w := document.In(letterhead.English)
	return p.show(c, http.StatusOK, p.refused(w.SessionEnded))
}
