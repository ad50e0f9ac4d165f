package hosted

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/portal"
	"tollkeeper/server/mails"
	"tollkeeper/server/page"
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
	g.GET("/:token/brand.css", p.portalFile(brand))
	g.GET("/:token/logo", p.portalFile(logo))
}

// largestForm bounds a form of the portal, in bytes.
const largestForm = 64 << 10

// readForm reads the form of a request. One that cannot be read, or is too large, is refused: its fields would
// look empty (semantics 20.2.7).
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
	Lasting  bool // the address does not end: it is of no session, and shows only
}

// visit reads whose portal a token opens, and how its pages look (semantics 20.1.7).
func (p *pages) visit(c echo.Context, tx *store.Tx) (*visitor, error) {
	v := &visitor{echo: c, Token: c.Param("token"), Saved: c.QueryParam("saved") != "", Lasting: portal.Lasts(c.Param("token"))}
	var err error
	if v.Customer, err = portal.Open(tx, v.Token); err != nil {
		return nil, err
	}
	if v.Head, err = letterhead.CurrentText(tx); err != nil {
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
	if v.Head.LogoType != "" {
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
		mailed, err := portal.MailsLinks(tx, buyer)
		if mailed {
			e.Ask = "/portal/" + c.Param("token") + "/link"
		}
		return err
	})
	if err != nil {
		return err
	}
	e.Title, e.Frame.Title = e.Words.SessionEnded, e.Words.SessionEnded
	return page.Write(c, http.StatusGone, endedSessionPage(e))
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

// mailLink mails a link to the customer whose session has ended, or whose address only shows. The answer is the same where a mail was queued a short
// time ago.
func (p *pages) mailLink(c echo.Context) error {
	accountID, ok := portal.AccountOf(c.Param("token"))
	if !ok {
		return errNothing
	}
	if !portal.Lasts(c.Param("token")) {
		p.Strange(c)
	}
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
	return page.Write(c, http.StatusOK, endedSessionPage(e))
}

// inPortal reads in a transaction of the account that a token names.
func (p *pages) inPortal(c echo.Context, fn func(tx *store.Tx) error) error {
	accountID, ok := portal.AccountOf(c.Param("token"))
	if !ok {
		return errNothing
	}
	ctx := store.WithAccount(c.Request().Context(), accountID)
	return p.unlessEnded(ctx, c, p.Store.View(store.Costly(ctx), fn))
}

// unlessEnded answers for a session that has ended.
func (p *pages) unlessEnded(ctx context.Context, c echo.Context, err error) error {
	if errors.Is(err, portal.ErrEnded) {
		return p.endedSession(ctx, c)
	}
	return err
}

func (p *pages) portalPage(of func(*visitor, *store.Tx) (templ.Component, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		var shown templ.Component
		var ctx context.Context
		err := p.inPortal(c, func(tx *store.Tx) error {
			v, err := p.visit(c, tx)
			if err != nil {
				return err
			}
			ctx = store.WithAccount(c.Request().Context(), v.Customer.AccountID)
			shown, err = of(v, tx)
			return err
		})
		if err != nil || c.Response().Committed {
			return err
		}
		return page.WriteInTurn(ctx, p.Store, c, http.StatusOK, shown)
	}
}

func (p *pages) portalFile(serve func(echo.Context, letterhead.Letterhead) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		var head letterhead.Letterhead
		err := p.inPortal(c, func(tx *store.Tx) error {
			v, err := p.visit(c, tx)
			if err != nil {
				return err
			}
			head, err = letterhead.WithLogo(tx, v.Head)
			return err
		})
		if err != nil || c.Response().Committed {
			return err
		}
		return serve(c, head)
	}
}
