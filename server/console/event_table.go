package console

import (
	"fmt"
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// table shows the events that were found.
func (e eventsView) table() table {
	t := table{Label: "Events", Columns: []column{{"Key", ""}, {"Event", ""}, {"Customer", "mid"}, {"Timestamp", ""}, {"Properties", "wide"}, {"", ""}}}
	for _, found := range e.Found {
		customer := text(deref(found.ExternalCustomerID))
		if found.CustomerID != nil {
			customer = e.Names.link(*found.CustomerID)
		}
		var correct templ.Component = templ.NopComponent
		if found.Deprecated {
			correct = badge("Deprecated", "plain")
		} else if buttons := e.visit.actions(doing{Operation: "amendEvent", Name: "Amend", Known: []string{"event_id", found.ID}}, doing{Operation: "deprecateEvent", Name: "Deprecate", Kind: "danger", Known: []string{"event_id", found.ID}}); len(buttons) > 0 {
			correct = smallButtons(buttons)
		}
		t.Rows = append(t.Rows, []templ.Component{mono(found.ID), text(found.EventName), customer, instant(found.Timestamp), mono(termsOf(found.Properties).line()), correct})
	}
	return t
}

// volumeTable shows the same as the chart.
func volumeTable(days []dayVolume) table {
	t := table{Label: "Events a day", Columns: []column{{"Day", ""}, {"Events", "num"}}}
	for _, d := range days {
		t.Rows = append(t.Rows, []templ.Component{day(d.Day.Format(time.RFC3339), time.UTC), number(strconv.FormatInt(d.Count, 10))})
	}
	return t
}

// most is the largest count of a day.
func most(days []dayVolume) (largest int64) {
	for _, d := range days {
		largest = max(largest, d.Count)
	}
	return largest
}

// chartLabel says in words what the chart shows.
func chartLabel(days []dayVolume) string {
	return fmt.Sprintf("Events of each day from %s to %s; at most %d a day", dayText(days[0].Day), dayText(days[len(days)-1].Day), most(days))
}

// barOf places the bar of a day. Only the drawing is not exact.
func barOf(i int, d dayVolume, days []dayVolume) templ.Attributes {
	n := int64(len(days)) // a chart is 1,000 wide and 200 high; what follows is in tenths
	height := int64(0)
	if largest := most(days); largest > 0 {
		height = 2000 * d.Count / largest
	}
	attribute := func(tenths int64) string { return fmt.Sprintf("%d.%d", tenths/10, tenths%10) }
	return templ.Attributes{
		"x": attribute((10000*int64(i) + 1200) / n), "y": attribute(2000 - height), "width": attribute(7600 / n), "height": attribute(height),
	}
}
