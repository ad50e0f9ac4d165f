package console

import (
	"strconv"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// changedResends reads which events came again with another body.
func (e *eventsView) changedResends() {
	e.Resends, e.ResendsErr = fetch[gen.ChangedResends](e.visit, "fetchChangedResends", nil, nil)
}

func (e eventsView) resendsText() string {
	return counted(e.Resends.Events, "events") + " of the last 7 days. The first body stays, and what came later is ignored."
}

// resendsTable shows what was sent last beside what is stored.
func (e eventsView) resendsTable() table {
	t := table{Label: "Came again with another body", Columns: []column{{"Key", ""}, {"Sent last", ""}, {"Times", "num"}, {"Counts", "wide"}, {"Ignored", "wide"}}}
	for _, r := range e.Resends.Examples {
		t.Rows = append(t.Rows, []templ.Component{mono(r.Sent.ID), instant(r.SentAt), number(strconv.Itoa(r.Times)), bodyOf(r.Kept), bodyOf(r.Sent)})
	}
	return t
}

// bodyOf shows all of an event but its key.
func bodyOf(e gen.FoundEvent) templ.Component {
	who := deref(e.ExternalCustomerID)
	if e.CustomerID != nil {
		who = *e.CustomerID
	}
	return stacked(mono(termsOf(e.Properties).line()), text(e.EventName+", "+who+", "+e.Timestamp))
}
