package console

import (
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// followed is how long the newest events are followed, and how often they are read. A page that is
// left open does not keep its session for ever.
const (
	followed    = 10 * time.Minute
	followEvery = "every 2s"
)

// newestEvents reads the events that were taken in last.
func (e *eventsView) newestEvents() {
	v := e.visit
	page, err := fetch[gen.EventPage](v, "listEvents", nil, v.filters())
	if err == nil {
		e.Names, err = v.customers(idsOf(page.Data, func(event gen.FoundEvent) string { return deref(event.CustomerID) }))
	}
	e.Newest, e.NewestErr = page.Data, err
	e.NewestPager = v.pager("events", len(page.Data), page.PaginationMetadata.NextCursor)
	if until, err := strconv.ParseInt(v.query("follow"), 10, 64); err == nil {
		e.Following = time.Now().Before(time.Unix(until, 0)) //nolint:forbidigo // how long a browser asks is no time of the account
	}
}

// newestTable shows the newest events.
func (e eventsView) newestTable() table {
	shown := e
	shown.Found = e.Newest
	return shown.table()
}

// follow is the address that follows the newest events from now on.
func (e eventsView) follow() string {
	until := time.Now().Add(followed) //nolint:forbidigo // as above
	return link("events") + "?" + url.Values{"follow": {strconv.FormatInt(until.Unix(), 10)}}.Encode()
}

// following are the attributes by which the list is read again and again.
func (e eventsView) following() templ.Attributes {
	if !e.Following {
		return nil
	}
	return templ.Attributes{"hx-get": e.visit.echo.Request().URL.RequestURI(), "hx-trigger": followEvery, "hx-select": "#newest", "hx-swap": "outerHTML"}
}
