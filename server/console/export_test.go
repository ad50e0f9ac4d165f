package console

import (
	"context"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// What specs look at from inside.
var (
	AmountFigure = func(value, currency string) (string, string) {
		f := amountFigure(value, currency)
		return f.Text, f.Fine
	}
	NumberText = func(value string) string { return numberFigure(value).Text }
	PeriodText = periodText
	Words      = form.Words
	Initials   = initials
)

// Form is the form of an operation, without a server behind it.
type Form struct{ operationForm }

// FormOf makes the form of an operation of a contract for somebody who may do all.
func FormOf(document *openapi3.T, operation string, values url.Values) Form {
	f, err := formWith(document, operation, values)
	if err != nil {
		panic(err)
	}
	return Form{f}
}

func formWith(document *openapi3.T, operation string, values url.Values) (operationForm, error) {
	p := &pages{operations: readOperations(document)}
	v := &visit{pages: p, ctx: context.Background()}
	v.echo = echo.New().NewContext(httptest.NewRequest("GET", "/console/do/"+operation, nil), httptest.NewRecorder())
	v.login.Key.ScopeList = string(account.ScopeAll)
	return makeForm(v, p.operations[operation], values)
}

// PageOf is the page of a form with those values, as HTML, or why there is none.
func PageOf(document *openapi3.T, operation string, values url.Values) (string, error) {
	f, err := formWith(document, operation, values)
	if err != nil {
		return "", err
	}
	return Form{f}.HTML()
}

// Lists are the lists of a form that have rows, by name, each with the values under which it is there:
// what is chosen, and one row of each list around it.
func Lists(document *openapi3.T, operation string) map[string]url.Values {
	found, tried := map[string]url.Values{}, map[string]bool{}
	var explore func(values url.Values)
	explore = func(values url.Values) {
		f, err := formWith(document, operation, values)
		if err != nil || f.Body == nil {
			return
		}
		with := func(name, value string) {
			if tried[name+"="+value] {
				return
			}
			tried[name+"="+value] = true
			more := maps.Clone(values)
			more[name] = append(slices.Clone(values[name]), value)
			explore(more)
		}
		var look func(list []form.Field)
		look = func(list []form.Field) {
			for _, each := range list {
				switch {
				case each.Kind == form.KindRows:
					if found[each.Name] == nil {
						found[each.Name] = values
					}
					with("rows", each.Name+"[0]")
				case each.Kind == form.KindUnion && !values.Has(each.Chooser):
					for _, choice := range each.Choices {
						with(each.Chooser, choice.Value)
					}
				}
				look(each.Fields)
				look(each.More)
			}
		}
		look([]form.Field{*f.Body})
	}
	explore(url.Values{})
	return found
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
	form.Fill(values, "", readOperations(document)[operation].schema(), body)
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
	err := f.page().Render(context.Background(), &b)
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

// Answered is the answer to a request that failed.
func Answered(err error) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	ec := echo.New().NewContext(httptest.NewRequest("POST", root+"/login", nil), recorder)
	_ = (&Console{}).answered(func(echo.Context) error { return err })(ec)
	return recorder
}
