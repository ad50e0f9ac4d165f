package console

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
)

// What specs look at from inside.
var (
	AmountFigure = func(value, currency string) (string, string) {
		f := amountFigure(value, currency)
		return f.Text, f.Fine
	}
	NumberText = func(value string) string { return numberFigure(value).Text }
	PeriodText = periodText
	Words      = words
	Initials   = initials
	RemoveRow  = removeRow
)

// Form is the form of an operation, without a server behind it.
type Form struct{ form }

// FormOf makes the form of an operation of a contract for somebody who may do all.
func FormOf(document *openapi3.T, operation string, values url.Values) Form {
	p := &pages{operations: readOperations(document)}
	v := &visit{pages: p, ctx: context.Background()}
	v.echo = echo.New().NewContext(httptest.NewRequest("GET", "/console/do/"+operation, nil), httptest.NewRecorder())
	v.login.Key.ScopeList = string(account.ScopeAll)
	return Form{makeForm(v, p.operations[operation], values)}
}

// Operations with a form, by their ids.
func Operations(document *openapi3.T) (ids []string) {
	for id, op := range readOperations(document) {
		if op.writes() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Fill gives values the example of a body.
func Fill(document *openapi3.T, operation string, values url.Values, body any) {
	fill(values, "", readOperations(document)[operation].schema(), body)
}

// Body is what the form sends.
func (f Form) Body() string {
	in, err := f.request()
	if err != nil {
		return err.Error()
	}
	return string(in.Body)
}

// HTML of the form.
func (f Form) HTML() (string, error) {
	var b writer
	err := formDetail(f.form).Render(context.Background(), &b)
	return string(b), err
}

type writer []byte

func (w *writer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// Refused is the form after the API found that wrong.
func (f Form) Refused(detail string, violations ...string) Form {
	f.refuse(&failure{Status: 400, Problem: gen.Problem{Detail: detail, ValidationErrors: violations}})
	return f
}

// Changed is the body of an update that began with another.
func Changed(was, is string, document *openapi3.T, operation string) string {
	var before, after map[string]any
	_ = json.Unmarshal([]byte(was), &before)
	_ = json.Unmarshal([]byte(is), &after)
	text, _ := json.Marshal(changed(before, after, *FormOf(document, operation, url.Values{}).form.Body))
	return string(text)
}
