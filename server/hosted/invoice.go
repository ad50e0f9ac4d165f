package hosted

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/link"
	"tollkeeper/domain/paper"
	"tollkeeper/domain/ubl"
	"tollkeeper/server/page"
	"tollkeeper/store"
)

// opened is an invoice whose address was asked for.
type opened struct {
	ctx   context.Context // of its account
	token string
	view  invoice.View
	doc   document.Document
	now   state
}

// state is where the invoice is in its life, as the page says it.
type state struct {
	Text string
	Tone string // of the badge
}

// endedLink says that a link was genuine and has ended.
type endedLink struct{ document document.Document }

func (endedLink) Error() string { return "hosted: the link has ended" }

// open reads the invoice that a token opens.
func (p *pages) open(c echo.Context, token string) (o opened, err error) {
	named, ok := link.Parse(link.Invoice, token)
	if !ok {
		return o, errNothing
	}
	o.ctx, o.token = store.WithAccount(c.Request().Context(), named.AccountID), token
	err = p.Store.View(store.Costly(o.ctx), func(tx *store.Tx) error {
		var ended bool
		if o.view, ended, err = invoice.OpenPage(tx, token); err != nil {
			return err
		}
		if o.doc, err = document.OfView(tx, o.view); err != nil {
			return err
		}
		if ended {
			return endedLink{o.doc}
		}
		o.now = stateOf(o.doc, o.view)
		return nil
	})
	return o, err
}

// stateOf says what became of an invoice (semantics 20.2.3).
func stateOf(d document.Document, v invoice.View) state {
	w := d.Words
	switch {
	case v.Status == invoice.StatusVoid:
		return state{Text: w.Fill(w.VoidSince, "date", w.LongDate(d.Day(*v.VoidedAt)))}
	case v.Status == invoice.StatusPaid:
		return state{Text: w.Fill(w.PaidOn, "date", w.LongDate(d.Day(*v.PaidAt))), Tone: "good"}
	case !v.AwaitsPayment():
		return state{Text: w.NothingDue, Tone: "good"}
	case v.Overdue:
		return state{Text: w.Fill(w.WasDueOn, "date", w.LongDate(d.Due)), Tone: "bad"}
	}
	return state{Text: w.Fill(w.IsDueOn, "date", w.LongDate(d.Due)), Tone: "info"}
}

// invoice serves the page of an invoice, and with an ending its PDF or XML.
func (p *pages) invoice(c echo.Context) error {
	token, ending := c.Param("token"), ""
	for _, known := range []string{".pdf", ".xml"} {
		if name, found := strings.CutSuffix(token, known); found {
			token, ending = name, known
		}
	}
	o, err := p.open(c, token)
	if err != nil {
		return err
	}
	switch ending {
	case ".pdf":
		return p.pdf(c, o, paper.Ref{Kind: document.KindInvoice, ID: o.view.ID})
	case ".xml":
		return xml(c, o.doc)
	}
	f := p.frame(o.doc)
	f.Title = o.doc.Title()
	f.Brand = "/i/" + token + "/brand.css"
	if o.doc.Letterhead.LogoType != "" {
		f.Logo = "/i/" + token + "/logo"
	}
	return page.WriteInTurn(o.ctx, p.Store, c, http.StatusOK, invoicePage(f, o))
}

// invoiceFile serves what belongs to an invoice's page (semantics 20.2.4).
func (p *pages) invoiceFile(c echo.Context) error {
	token, file := c.Param("token"), c.Param("file")
	switch file {
	case "brand.css":
		return p.look(c, token, brand)
	case "logo":
		return p.look(c, token, logo)
	}
	o, err := p.open(c, token)
	switch {
	case err != nil:
		return err
	case file == "receipt.pdf" && o.view.Status == invoice.StatusPaid:
		return p.pdf(c, o, paper.Ref{Kind: document.KindReceipt, ID: o.view.ID})
	default:
		return p.note(c, o, file)
	}
}

// look serves what a page is drawn with. The invoice itself, which may be long, is not read for it.
func (p *pages) look(c echo.Context, token string, serve func(echo.Context, letterhead.Letterhead) error) error {
	named, ok := link.Parse(link.Invoice, token)
	if !ok {
		return errNothing
	}
	var head letterhead.Letterhead
	err := p.Store.View(store.WithAccount(c.Request().Context(), named.AccountID), func(tx *store.Tx) (err error) {
		if head, err = invoice.LetterheadOfPage(tx, token); err != nil {
			return err
		}
		head, err = letterhead.WithLogo(tx, head)
		return err
	})
	if err != nil {
		return err
	}
	return serve(c, head)
}

// logo answers with the seller's, as it was sent.
func logo(c echo.Context, head letterhead.Letterhead) error {
	if len(head.Logo) == 0 {
		return errNothing
	}
	return c.Blob(http.StatusOK, head.LogoType, head.Logo)
}

// note serves a credit note of the invoice.
func (p *pages) note(c echo.Context, o opened, file string) error {
	for _, note := range o.view.CreditNotes {
		switch file {
		case note.ID + ".pdf":
			return p.pdf(c, o, paper.Ref{Kind: document.KindCreditNote, ID: note.ID})
		case note.ID + ".xml":
			var d document.Document
			err := p.Store.View(o.ctx, func(tx *store.Tx) (err error) {
				d, err = document.OfCreditNote(tx, note.ID)
				return err
			})
			if err != nil {
				return err
			}
			return xml(c, d)
		}
	}
	return errNothing
}

// pdf answers with a PDF. Its hash is its ETag: the bytes of a document do not change.
func (p *pages) pdf(c echo.Context, o opened, ref paper.Ref) error {
	file, d, err := p.Fonts.Fetch(o.ctx, p.Store, ref)
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "private, no-cache")
	header.Set("ETag", fmt.Sprintf(`"%x"`, file.Hash))
	header.Set(echo.HeaderContentDisposition, fmt.Sprintf(`inline; filename="%s"`, paper.FileName(d, ".pdf")))
	header.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'none'")
	if c.Request().Header.Get("If-None-Match") == header.Get("ETag") {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, "application/pdf", file.Content)
}

func xml(c echo.Context, d document.Document) error {
	content, ok := ubl.Write(d)
	if !ok {
		return errNothing
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s"`, paper.FileName(d, ".xml")))
	return c.Blob(http.StatusOK, "application/xml; charset=utf-8", content)
}

// brand answers with the stylesheet of the seller's color. Its letters are white or black, whichever
// can be read on it.
func brand(c echo.Context, head letterhead.Letterhead) error {
	color := head.Content.Color
	if color == "" {
		color = "#3a4453"
	}
	ink := "#ffffff"
	if lightColor(color) {
		ink = "#111111"
	}
	return c.Blob(http.StatusOK, "text/css; charset=utf-8", fmt.Appendf(nil, ".seller-mark{background:%s;color:%s}.hosted-head{border-top:4px solid %s}\n", color, ink, color))
}

// lightColor reports a color on which black has more contrast than white.
func lightColor(color string) bool {
	var r, g, b int
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return false
	}
	return 2126*r+7152*g+722*b > 1_350_000
}
