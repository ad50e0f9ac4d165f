package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/export"
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
