package invoice

import (
	"cmp"
	"errors"
	"time"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/link"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// afterDue is how long after the due date the link to an invoice works at least (semantics 8.1.17).
const afterDue = 30 * 24 * time.Hour

// pageEnds is when the link to an issued invoice ends that does not say so itself: days after the
// issue, and not before 30 days after the due date.
func (i Invoice) pageEnds(days int) time.Time {
	ends := i.IssuedAt.AddDate(0, 0, days)
	if later := i.DueAt.Add(afterDue); later.After(ends) {
		return later
	}
	return ends
}

// pages returns the addresses of the pages of issued invoices. After the end of the first link,
// an invoice has one that works for the same time from today on.
func pages(tx *store.Tx, rows []Invoice) (func(Invoice) string, error) {
	if len(IdsOf(rows, false)) == 0 {
		return func(Invoice) string { return "" }, nil
	}
	keys, err := link.Of(tx)
	if err != nil {
		return nil, err
	}
	days, err := linkDays(tx)
	return func(i Invoice) string {
		if tx.Now.Before(i.pageEnds(days)) {
			return keys.InvoicePage(i.linked(), time.Time{})
		}
		return keys.InvoicePage(i.linked(), tx.Now.Truncate(24*time.Hour).AddDate(0, 0, 1+days))
	}, err
}

// MailedPage returns the address of an issued invoice's page as a mail has it: it works for as long as the one of an
// invoice that is issued today.
func MailedPage(tx *store.Tx, i Invoice) (string, error) {
	keys, err := link.Of(tx)
	if err != nil {
		return "", err
	}
	days, err := linkDays(tx)
	if ends := tx.Now.AddDate(0, 0, days); i.pageEnds(days).Before(ends) {
		return keys.InvoicePage(i.linked(), ends.Truncate(24*time.Hour).AddDate(0, 0, 1)), err
	}
	return keys.InvoicePage(i.linked(), time.Time{}), err
}

func (i Invoice) linked() link.Subject { return link.Subject{ID: i.ID, Withdrawn: i.LinksWithdrawn} }

// WithdrawLinks ends all links to the page and the documents of an issued invoice. The next one that is shown is another
// (semantics 8.1.19).
func WithdrawLinks(tx *store.Tx, id string) (View, error) {
	inv, err := Lock(tx, id)
	if err != nil {
		return View{}, err
	}
	if inv.Status == StatusDraft {
		return View{}, fault.Refused("a draft has no link")
	}
	inv.LinksWithdrawn++
	if err := inv.Save(tx, "links_withdrawn"); err != nil {
		return View{}, err
	}
	return Find(tx, id)
}

// linkDays is how long links work after the issue.
func linkDays(tx *store.Tx) (int, error) {
	head, err := letterhead.CurrentText(tx)
	return cmp.Or(head.Content.LinkDays, letterhead.DefaultLinkDays), err
}

// ErrNoPage says that a token opens no page.
var ErrNoPage = errors.New("invoice: the link opens no page")

// OpenPage returns the invoice whose page a token opens; ended reports that the link worked once and no longer does
// (semantics 8.1.17). A token that is not genuine or was withdrawn opens nothing, and a draft has no page:
// ErrNoPage. Nothing but the number of withdrawals is read before the link is known to be genuine.
func OpenPage(tx *store.Tx, token string) (v View, ended bool, err error) {
	row, ended, err := openPage(tx, token)
	if err != nil {
		return v, false, err
	}
	v, err = Find(tx, row.ID)
	return v, ended, err
}

// LetterheadOfPage returns the letterhead of the invoice whose page a token opens, without its logo. A token that opens no
// page, or did once, is ErrNoPage.
func LetterheadOfPage(tx *store.Tx, token string) (letterhead.Letterhead, error) {
	row, ended, err := openPage(tx, token)
	switch {
	case err != nil:
		return letterhead.Letterhead{}, err
	case ended:
		return letterhead.Letterhead{}, ErrNoPage
	case row.Particulars == nil:
		return letterhead.CurrentText(tx)
	}
	heads, err := letterhead.FindAll(tx, []string{row.Particulars.LetterheadID})
	return heads[row.Particulars.LetterheadID], err
}

// openPage is OpenPage without the lines of the invoice.
func openPage(tx *store.Tx, token string) (row Invoice, ended bool, err error) {
	named, ok := link.Parse(link.Invoice, token)
	if !ok {
		return row, false, ErrNoPage
	}
	keys, err := link.Of(tx)
	if err != nil {
		return row, false, err
	}
	var withdrawn int
	if err := tx.Model(&Invoice{}).Where("id = ?", named.ID).Select("links_withdrawn").Scan(&withdrawn).Error; err != nil {
		return row, false, err
	}
	if !keys.Signed(link.Invoice, token, withdrawn) {
		return row, false, ErrNoPage
	}
	if err := tx.Where("id = ?", named.ID).Take(&row).Error; err != nil {
		return row, false, store.Found(err, "Invoice", named.ID)
	}
	if row.Status == StatusDraft {
		return Invoice{}, false, ErrNoPage
	}
	ends := named.Ends
	if ends.IsZero() {
		days, err := linkDays(tx)
		if err != nil {
			return row, false, err
		}
		ends = row.pageEnds(days)
	}
	return row, !tx.Now.Before(ends), nil
}

// PDFOf is the address of the PDF of the invoice whose page is given; nil of drafts, which have no page.
func PDFOf(page string) *string { return below(page, ".pdf") }

// ReceiptOf is the address of the receipt for an invoice whose page is given.
func ReceiptOf(page string) *string { return below(page, "/receipt.pdf") }

// NotePDF is the address of the PDF of a credit note of the invoice whose page is given.
func NotePDF(page, noteID string) *string { return below(page, "/"+noteID+".pdf") }

func below(page, what string) *string {
	if page == "" {
		return nil
	}
	page += what
	return &page
}
