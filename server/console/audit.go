package console

import (
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// auditPage lists who changed what, the newest first.
func auditPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.AuditLogPage](v, "listAuditLog", nil, v.filters("actor_id", "action", "resource_id"))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Audit log", Columns: []column{{"When", ""}, {"Who", ""}, {"What", ""}, {"Changed", "mid"}, {"Request", "wide"}}}
	for _, e := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{
			instant(e.CreatedAt), stacked(anchor(v.here("actor_id", e.Actor.ID), e.Actor.Name), text(form.Words(string(e.Actor.Type)))),
			stacked(text(v.summaryOf(e.Action)), anchor(v.here("action", e.Action), e.Action)), auditChanges(e), mono(deref(e.RequestID)),
		})
	}
	return listPage(v, listing{
		Head:   head{Title: "Audit log", Lead: "Who changed what. An entry cannot be changed or deleted."},
		Search: &searchField{"resource_id", "Id of what was changed", v.query("resource_id")},
		Table:  t,
		Pager:  v.pager("entries", len(page.Data), page.PaginationMetadata.NextCursor),
		Narrow: v.filtered(), All: link("audit"),
		Empty: empty{Icon: "shield", Title: "Nothing was changed yet", Text: "Each change by a person, a key or a command has an entry here."},
	}), nil
}

// summaryOf returns what an operation does, in the words of the contract.
func (v *visit) summaryOf(action string) string {
	if op, ok := v.pages.operations[action]; ok {
		return op.Summary
	}
	return asSentence(strings.ToLower(capital.ReplaceAllString(action, " $0")))
}

// capital begins a word within the name of an action.
var capital = regexp.MustCompile(`[A-Z]`)

// changeLines are at most so many changes of an entry; the rest is counted.
const changeLines = 4
