package console

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// eventsView is a search for events by their keys, and how many came lately.
type eventsView struct {
	visit      *visit
	Keys       string
	Start, End string // of the timeframe
	Searched   bool
	Found      []gen.FoundEvent
	Err        error
	Volumes    []gen.EventVolume
	VolumesErr error
	Resends    gen.ChangedResends // events that came again with another body
	ResendsErr error

	Newest      []gen.FoundEvent // those that were taken in last
	NewestErr   error
	NewestPager pager
	Following   bool // the list is read again and again
	Names       customerNames
}

// eventsPage finds events by their keys, and shows how many came on each of the last days.
func eventsPage(v *visit) (templ.Component, error) {
	view := eventsView{visit: v, Keys: v.query("keys"), Start: v.query("timeframe_start"), End: v.query("timeframe_end")}
	if !v.may("searchEvents") {
		return nil, &failure{Status: 403}
	}
	if keys := strings.Fields(strings.ReplaceAll(view.Keys, ",", " ")); len(keys) > 0 {
		view.Searched = true
		view.Found, view.Err = findEvents(v, keys)
		if view.Err != nil && statusOf(view.Err) >= 500 {
			return nil, view.Err
		}
		names, err := v.customers(idsOf(view.Found, func(e gen.FoundEvent) string { return deref(e.CustomerID) }))
		if err != nil {
			return nil, err
		}
		view.Names = names
	}
	if !view.Searched {
		view.newestEvents()
	}
	if view.Following && v.echo.Request().Header.Get("HX-Request") == "true" {
		return eventsSearch(view), nil // only the newest events are taken from the page
	}
	from := v.now.AddDate(0, 0, -14).UTC().Truncate(24 * time.Hour)
	until := v.now.UTC() // in the last hour
	if at, err := time.Parse(time.RFC3339, view.Start); err == nil {
		from = at.UTC().Truncate(time.Hour)
		if at, err := time.Parse(time.RFC3339, view.End); err == nil {
			until = at.UTC().Add(-time.Second)
		}
	}
	volumes, err := fetch[gen.EventVolumes](v, "listEventVolumes", nil, url.Values{"timeframe_start": {from.Format(time.RFC3339)}, "timeframe_end": {until.Format(time.RFC3339)}})
	view.Volumes, view.VolumesErr = volumes.Data, err
	view.changedResends()
	return eventsSearch(view), nil
}

// findEvents asks for events by their keys. All of time is searched.
func findEvents(v *visit, keys []string) ([]gen.FoundEvent, error) {
	body, err := json.Marshal(map[string]any{"event_ids": keys, "timeframe_start": "1970-01-01", "timeframe_end": v.now.AddDate(1, 0, 0).Format(time.RFC3339)})
	if err != nil {
		return nil, err
	}
	answer, err := v.ask(request{Operation: "searchEvents", Body: body})
	if err != nil {
		return nil, err
	}
	var found gen.FoundEvents
	err = json.Unmarshal(answer, &found)
	return found.Data, err
}

// dayVolume is how many events have a timestamp of a day.
type dayVolume struct {
	Day   time.Time
	Count int64
}

// days adds up the hours of each day, in UTC.
func (e eventsView) days() (days []dayVolume) {
	counts := map[time.Time]int64{}
	for _, volume := range e.Volumes {
		if at, ok := parseInstant(volume.TimeframeStart); ok {
			counts[at.UTC().Truncate(24*time.Hour)] += volume.Count
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(counts), time.Time.Compare) {
		days = append(days, dayVolume{at, counts[at]})
	}
	return days
}
