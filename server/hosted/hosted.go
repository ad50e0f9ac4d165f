package hosted

import (
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/paper"
	"tollkeeper/server/page"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Config is what the pages need from outside.
type Config struct {
	Store *store.Store
	Fonts paper.Fonts

	// Addresses of the stylesheet, and of the icon of a seller without a logo.
	Stylesheet string
	Icon       string

	// Admit refuses an address that asks too often. Strange notes a token that opens nothing.
	Admit   func(c echo.Context) error
	Strange func(c echo.Context)

	// Failed logs what is no fault of the client, sets the headers of its answer and returns the
	// status.
	Failed func(c echo.Context, err error) (status int)
}

type pages struct{ Config }

// policy lets a page load files of this server alone, and nothing runs.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Mount serves the pages on e.
func Mount(e *echo.Echo, cfg Config) {
	p := &pages{cfg}
	invoices := e.Group("/i", p.secured, p.answered)
	invoices.GET("/:token", p.invoice)
	invoices.GET("/:token/:file", p.invoiceFile)
	p.mountPortal(e)
}

// secured sets the headers of every answer (semantics 20.2.1), and counts the requests of an address.
func (p *pages) secured(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		header := c.Response().Header()
		page.Secure(header, policy, "no-referrer") // the address is the key
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
		header.Set(echo.HeaderCacheControl, "no-store")
		if err := p.Admit(c); err != nil {
			return err
		}
		return next(c)
	}
}

// errNothing says that an address opens nothing: its token is not genuine, what it named is gone, or
// the link ended. Which of them is not told (semantics 20.2.2).
var errNothing = errors.New("hosted: there is nothing at this address")

// answered answers what failed by a page.
func (p *pages) answered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := fault.Recovered(func() error { return next(c) })
		if err == nil || c.Response().Committed {
			return err
		}
		var told *fault.Fault
		var ended endedLink
		w := document.In(letterhead.English)
		switch {
		case errors.As(err, &ended):
			return page.Write(c, http.StatusGone, endedPage(p.titled(ended.document), ended.document.Words))
		case errors.Is(err, errNothing), errors.Is(err, invoice.ErrNoPage), errors.Is(err, store.ErrNoAccount), errors.As(err, &told) && told.Kind == fault.KindMissing:
			p.Strange(c)
			return page.Write(c, http.StatusNotFound, endedPage(p.bare(w.LinkEnded), w))
		case errors.As(err, &told):
			return page.Write(c, http.StatusBadRequest, p.refused(sentence(told.Detail)))
		}
		var sent *echo.HTTPError
		if errors.As(err, &sent) && sent.Code < http.StatusInternalServerError {
			return page.Write(c, sent.Code, endedPage(p.bare(w.LinkEnded), w))
		}
		status := p.Failed(c, err)
		return page.Write(c, status, p.refused(http.StatusText(status)))
	}
}

// bare is the frame of a page that is no seller's.
func (p *pages) bare(title string) frame {
	return frame{Title: title, Language: "en", Stylesheet: p.Stylesheet, Icon: p.Icon}
}

func (p *pages) refused(text string) templ.Component { return refusedPage(p.bare(text), text) }

// titled is the frame of the page of a link that has ended.
func (p *pages) titled(d document.Document) frame {
	f := p.frame(d)
	f.Title = d.Words.LinkEnded
	return f
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// frame is what surrounds a page.
type frame struct {
	Title      string
	Language   string
	Stylesheet string
	Icon       string // where there is no logo
	Brand      string // address of the stylesheet with the seller's color; "": none
	Logo       string // address of the seller's logo; "": none
	Home       string // address that the seller's name leads to; "": none
	Seller     string
	Mark       string // letter in place of a logo
	Foot       string
	Email      string
	Skip       string
	Questions  string
}

// frame is that of a document's page; base is the address below which its files are.
func (p *pages) frame(d document.Document) frame {
	content := d.Letterhead.Content
	f := frame{
		Language: string(d.Words.Language), Stylesheet: p.Stylesheet, Icon: p.Icon, Seller: d.Seller,
		Foot: strings.Join(append([]string{d.Seller}, document.SellerLines(content.Address)...), ", "), Email: content.Email, Skip: d.Words.SkipToPage,
	}
	for _, n := range d.SellerNumbers() {
		f.Foot += ", " + n.Value
	}
	for _, r := range d.Seller {
		f.Mark = strings.ToUpper(string(r))
		break
	}
	if content.Email != "" {
		f.Questions, _, _ = strings.Cut(d.Words.Questions, "{address}")
	}
	return f
}
