package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/account"
	"tollkeeper/domain/requestlog"
	"tollkeeper/store"
)

// requestsPage lists the last requests that came with a key, the newest first, and says why they were
// refused. Who sees who changed what sees it.
func requestsPage(v *visit) (templ.Component, error) {
	if !v.may("listAuditLog") {
		return nil, &failure{Status: http.StatusForbidden}
	}
	filter := requestlog.Filter{KeyID: v.query("key_id"), Ending: requestlog.Ending(v.query("ending"))}
	var found []requestlog.Request
	var next string
	names := map[string]string{}
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		if found, next, err = requestlog.List(tx, filter, v.page()); err != nil {
			return err
		}
		if v.may("listAPIKeys") { // others see ids, as in the audit log
			names, err = account.KeyNames(tx, keysIn(found))
		}
		return err
	})
	if err != nil {
		return nil, refusal(err)
	}
	t := table{Label: "Requests", Columns: []column{{"When", ""}, {"Request", ""}, {"Answer", ""}, {"Took, ms", "num mid"}, {"Key", "wide"}}}
	for _, r := range found {
		t.Rows = append(t.Rows, []templ.Component{
			stacked(timeOrNone(&r.CreatedAt), mono(r.RequestID)), v.requested(r), answered(r), text(tookText(r.Took())),
			anchor(link("requests")+"?key_id="+url.QueryEscape(r.KeyID), cmp.Or(names[r.KeyID], r.KeyID)),
		})
	}
	return listPage(v, listing{
		Head:    head{Title: "Requests", Lead: "What programs asked in the last seven days, without bodies. Stored events are not listed."},
		Filters: v.choices("ending", "All", string(requestlog.EndingSucceeded), string(requestlog.EndingRefused), string(requestlog.EndingFailed)),
		Table:   t,
		Pager:   v.pager("requests", len(found), &next),
		Narrow:  v.filtered(), All: link("requests"),
		Empty: empty{Icon: "pulse", Title: "No requests yet", Text: "Each request of a program with an API key is listed here a second after its answer, with the reason if it was refused."},
	}), nil
}

func keysIn(requests []requestlog.Request) (ids []string) {
	for _, r := range requests {
		ids = append(ids, r.KeyID)
	}
	return ids
}

// requested is what a program asked for.
func (v *visit) requested(r requestlog.Request) templ.Component {
	line := mono(r.Method + " " + r.Path)
	if r.Operation == "" {
		return stacked(text("Unknown path"), line)
	}
	return stacked(text(v.summaryOf(r.Operation)), line)
}

// answered is the status of a request, and why it failed.
func answered(r requestlog.Request) templ.Component {
	tone := "good"
	switch {
	case r.Status >= http.StatusInternalServerError:
		tone = "bad"
	case r.Status >= http.StatusBadRequest:
		tone = "warn"
	}
	status := badge(strings.TrimSpace(strconv.Itoa(r.Status)+" "+http.StatusText(r.Status)), tone)
	if r.Problem == "" {
		return status
	}
	return stacked(status, text(r.Problem))
}

// tookText is a time in milliseconds, as people compare it. Short ones have a fraction.
func tookText(took time.Duration) string {
	if took < 10*time.Millisecond {
		tenths := took.Round(time.Millisecond/10).Microseconds() / 100
		return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	}
	return strconv.FormatInt(took.Round(time.Millisecond).Milliseconds(), 10)
}
