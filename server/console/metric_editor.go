package console

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// editorView is the editor of a new metric, with what was tried last.
type editorView struct {
	visit       *visit
	Items       []gen.Item
	Once        string // idempotency key: sending the form twice makes one metric
	Name        string
	Description string
	Item        string
	SQL         string
	Failed      string
	Problems    []violation
	Problem     string // of the query
	Pointer     string // the line of the query with a mark at the place that is wrong; "" without one
	Tried       bool
	Preview     gen.MetricPreview
	Names       customerNames
}

// newMetricPage is the editor of a new metric.
func newMetricPage(v *visit) (templ.Component, error) {
	view, err := loadEditor(v)
	if err != nil {
		return nil, err
	}
	view.Once, view.Item = store.NewID("form"), v.query("item_id")
	return metricEditor(view), nil
}

func loadEditor(v *visit) (view editorView, err error) {
	if !v.may("createMetric") {
		return view, &failure{Status: http.StatusForbidden}
	}
	items, err := fetch[gen.ItemPage](v, "listItems", nil, map[string][]string{"limit": {"100"}})
	return editorView{visit: v, Items: items.Data}, err
}

// submitMetric tries the query on recent events, or makes the metric.
func submitMetric(v *visit) (templ.Component, error) {
	view, err := loadEditor(v)
	if err != nil {
		return nil, err
	}
	form := v.echo.FormValue
	view.Once, view.Name, view.Description, view.Item = form("once"), form("name"), form("description"), form("item_id")
	view.SQL = strings.ReplaceAll(form("sql"), "\r\n", "\n")
	if v.echo.Request().Form.Has("try") {
		return view.try()
	}
	made := map[string]any{"name": view.Name, "item_id": view.Item, "sql": view.SQL, "description": nil}
	if view.Description != "" {
		made["description"] = view.Description
	}
	body, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	answer, err := v.ask(request{Operation: "createMetric", Header: http.Header{"Idempotency-Key": {view.Once}}, Body: body})
	if err != nil {
		return view.refused(err)
	}
	var metric gen.BillableMetric
	if err := json.Unmarshal(answer, &metric); err != nil {
		return nil, err
	}
	return leadTo(link("metrics", metric.ID) + "?done=createMetric"), nil
}

// try asks what the query counts of the events that came in last.
func (e editorView) try() (templ.Component, error) {
	body, err := json.Marshal(map[string]any{"sql": e.SQL})
	if err != nil {
		return nil, err
	}
	answer, err := e.visit.ask(request{Operation: "previewMetric", Body: body})
	if err != nil {
		return e.refused(err)
	}
	if err := json.Unmarshal(answer, &e.Preview); err != nil {
		return nil, err
	}
	e.Tried = true
	e.Names, err = e.visit.customers(idsOf(e.Preview.Newest, func(s gen.MetricPreviewEvent) string { return deref(s.Event.CustomerID) }))
	return metricEditor(e), err
}

// refused is the editor with what the API found wrong, the query with its place.
func (e editorView) refused(err error) (templ.Component, error) {
	if statusOf(err) >= http.StatusInternalServerError {
		return nil, err
	}
	e.Failed = problemText(err)
	for _, text := range violationsOf(err) {
		place, reason, found := strings.Cut(text, ": ")
		switch {
		case !found:
			e.Problems = append(e.Problems, violation{Text: asSentence(text)})
		case place == "sql":
			e.Problem, e.Pointer = asSentence(reason), pointAt(e.SQL, reason)
			e.Problems = append(e.Problems, violation{"sql", "Query", e.Problem})
		default:
			e.Problems = append(e.Problems, violation{place, form.Words(place), asSentence(reason)})
		}
	}
	return withStatus{metricEditor(e), statusOf(err)}, nil
}

// position is where the reader of metrics says that a query is wrong.
var position = regexp.MustCompile(`^line ([0-9]+), column ([0-9]+): `)

// pointAt is the line of the query that a message names, with a mark under its column.
func pointAt(sql, message string) string {
	found := position.FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	line, _ := strconv.Atoi(found[1])
	column, _ := strconv.Atoi(found[2])
	lines := strings.Split(sql, "\n")
	if line < 1 || line > len(lines) || column < 1 {
		return ""
	}
	before := []rune(lines[line-1])
	before = before[:min(column-1, len(before))]
	for i, r := range before {
		if r != '\t' {
			before[i] = ' '
		}
	}
	return lines[line-1] + "\n" + string(before) + "^"
}

// events is the table of the newest events, with the value of the metric up to each.
func (e editorView) events() table {
	t := table{Label: "Recent events", Columns: []column{{"Event", ""}, {"Customer", "mid"}, {"Timestamp", ""}, {"Properties", "wide"}, {"Value up to here", "num"}}}
	for _, step := range e.Preview.Newest {
		customer := text(deref(step.Event.ExternalCustomerID))
		if step.Event.CustomerID != nil {
			customer = e.Names.link(*step.Event.CustomerID)
		}
		t.Rows = append(t.Rows, []templ.Component{stacked(text(step.Event.EventName), mono(step.Event.ID)), customer, instant(step.Event.Timestamp), mono(termsOf(step.Event.Properties).line()), number(step.Value.String())})
	}
	return t
}
