package console

import (
	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// uncountedEvents are the recent events that a metric has no number of: how many, and the last
// of them.
func uncountedEvents(v *visit, metric string) (fact, table, error) {
	t := table{Label: "Events without a number", Columns: []column{{"Event", ""}, {"Customer", "mid"}, {"Timestamp", ""}, {"Properties", "wide"}}}
	found, err := fetch[gen.UncountedEvents](v, "fetchUncountedEvents", params{"metric_id": metric}, nil)
	if err != nil {
		if statusOf(err) == 400 { // a metric that takes too long for the page
			return fact{"Without a number", text("not known: " + problemText(err))}, t, nil
		}
		return fact{}, t, err
	}
	names, err := v.customers(idsOf(found.Examples, func(e gen.FoundEvent) string { return deref(e.CustomerID) }))
	if err != nil {
		return fact{}, t, err
	}
	for _, e := range found.Examples {
		customer := text(deref(e.ExternalCustomerID))
		if e.CustomerID != nil {
			customer = names.link(*e.CustomerID)
		}
		t.Rows = append(t.Rows, []templ.Component{stacked(text(e.EventName), mono(e.ID)), customer, instant(e.Timestamp), mono(termsOf(e.Properties).line())})
	}
	of := counted(found.Matched, "events") + " of the last 7 days"
	if !found.Complete {
		of = counted(found.Matched, "events") + " of the last 100,000 of all kinds"
	}
	return fact{"Without a number", stacked(text(counted(found.WithoutNumber, "events")), text("of "+of))}, t, nil
}
