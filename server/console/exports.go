package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/export"
	"tollkeeper/store"
)

// exportsView is the form of a file to download.
type exportsView struct {
	visit   *visit
	Report  export.Report // that is chosen
	Reports []export.Report
}

// exportOrder is the order in which reports are offered.
var exportOrder = []export.Report{
	export.Invoices, export.Lines, export.CreditNotes, export.CreditNoteLines, export.Payments, export.Customers, export.Subscriptions,
	export.Balances, export.BalanceTransactions, export.Ledger, export.CreditBlocks, export.Events,
}

// mayExport reports whether the person has the right to what a report shows.
func (v *visit) mayExport(r export.Report) bool {
	right, known := r.Right()
	return known && v.login.Key.May(right)
}

// exportsPage offers what the person may read as files.
func exportsPage(v *visit) (templ.Component, error) {
	view := exportsView{visit: v, Report: export.Report(v.query("report")), Reports: slices.DeleteFunc(slices.Clone(exportOrder), func(r export.Report) bool { return !v.mayExport(r) })}
	if len(view.Reports) == 0 {
		return nil, &failure{Status: http.StatusForbidden}
	}
	if !slices.Contains(view.Reports, view.Report) {
		view.Report = view.Reports[0]
	}
	return exportsForm(view), nil
}

// exports is the button that leads from a list to its file.
func (v *visit) exports(r export.Report) []action {
	if !v.mayExport(r) {
		return nil
	}
	return []action{{Address: link("exports") + "?report=" + string(r), Name: "Export"}}
}

// mostDownloads is how many files a server makes at one time. Each holds a connection to the database.
const mostDownloads = 2

var errManyDownloads = echo.NewHTTPError(http.StatusTooManyRequests, "Other files are being made. Try again when one of them is complete.")

// download answers with a file, row by row. Whatever fails after the first row cuts the connection, so
// that no browser takes a part for the whole.
func (p *pages) download(c echo.Context) error {
	v, err := p.visit(c)
	if err != nil {
		return err
	}
	q := export.Query{Report: export.Report(v.query("report")), Format: cmp.Or(export.Format(v.query("format")), export.CSV), Temp: p.temp}
	if !v.mayExport(q.Report) {
		return writePage(c, http.StatusNotFound, missingPage(v))
	}
	select {
	case p.downloads <- struct{}{}:
		defer func() { <-p.downloads }()
	default:
		return errManyDownloads
	}
	client := deadlines{http.NewResponseController(c.Response().Writer)}
	q.Written = func(int64) error { return client.extend() }
	header := c.Response().Header()
	err = p.store.View(v.ctx, func(tx *store.Tx) (err error) {
		if q.From, err = export.ParseBound(tx, "from", v.query("from")); err != nil {
			return err
		}
		if q.To, err = export.ParseBound(tx, "to", v.query("to")); err != nil {
			return err
		}
		header.Set(echo.HeaderContentType, q.Format.MediaType())
		header.Set(echo.HeaderContentDisposition, `attachment; filename="`+q.FileName(v.now)+`"`)
		if c.Request().Method == http.MethodHead {
			return nil
		}
		_, err = export.Write(tx, q, c.Response())
		return err
	})
	if err != nil && c.Response().Committed {
		client.cut()
	}
	if err != nil {
		header.Del(echo.HeaderContentDisposition)
	}
	return err
}

// exportName is what a report is called in the form.
func exportName(r export.Report) string {
	switch r {
	case export.Lines:
		return "Invoice lines"
	case export.Ledger:
		return "Credit ledger"
	}
	return strings.ToUpper(string(r[:1])) + strings.ReplaceAll(string(r[1:]), "_", " ")
}
