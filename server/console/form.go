package console

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// operationForm is the form of an operation, made from the contract.
type operationForm struct {
	visit     *visit
	Operation operation
	Params    []form.Field // of the path
	Options   []form.Field // of the query and the header
	Body      *form.Field  // nil where the operation has none
	Was       string       // JSON of what an update began with
	Once      string       // idempotency key: sending the form twice does it once (semantics 21.2.2)
	Problems  []violation
	Failed    string
	Lists     []datalist
	Shown     string // the request as JSON
	Curl      string
}

// violation is a reason why the API refused the form.
type violation struct {
	Field string // name of the field it is shown at; "" for none
	Label string
	Text  string
}

// datalist offers the names of resources for fields that want their ids.
type datalist struct {
	ID      string
	Options []option
}

// option is a value that may be chosen.
type option = form.Option

// refusedForm is the failure of a form that has more than one may have.
func refusedForm(err error) error {
	return &failure{Status: http.StatusBadRequest, Problem: gen.Problem{Detail: err.Error()}}
}

// writes reports whether the operation has a form: reads are pages.
func (o operation) writes() bool { return o.Method != http.MethodGet && o.Method != http.MethodHead }

// schema of the body, nil without one.
func (o operation) schema() *openapi3.Schema {
	if o.RequestBody == nil {
		return nil
	}
	if media := o.RequestBody.Value.Content.Get("application/json"); media != nil && media.Schema != nil {
		return media.Schema.Value
	}
	return nil
}

// reader returns the operation that fetches what this one updates, if there is one.
func (p *pages) reader(o operation) (operation, bool) {
	for _, other := range p.operations {
		if other.Path == o.Path && other.Method == http.MethodGet && o.Method == http.MethodPut {
			return other, true
		}
	}
	return operation{}, false
}

// findForm returns the operation that the address names, if the person may do it.
func findForm(v *visit) (operation, error) {
	op, ok := v.pages.operations[v.param("operation")]
	if !ok || !op.writes() || !v.may(op.ID) {
		return op, &failure{Status: http.StatusNotFound}
	}
	return op, nil
}

// makeForm makes the form of an operation with the values that are known. One with too many rows is refused.
func makeForm(v *visit, op operation, given url.Values) (operationForm, error) {
	values, err := form.NumberRows(given)
	if err != nil {
		return operationForm{}, refusedForm(err)
	}
	f := operationForm{visit: v, Operation: op, Was: values.Get("was"), Once: values.Get("once")}
	if f.Once == "" {
		f.Once = store.NewID("form")
	}
	for _, p := range op.Parameters {
		if p.In == openapi3.ParameterInHeader && p.Name == "Idempotency-Key" {
			continue
		}
		name := "param." + p.Name
		if !values.Has(name) && values.Has(p.Name) {
			values.Set(name, values.Get(p.Name))
		}
		made := form.Build(name, form.Words(strings.ReplaceAll(p.Name, "-", " ")), p.Schema.Value, p.Required, values, 1)
		if p.Description != "" {
			made.Hint = p.Description
		}
		if p.In == openapi3.ParameterInPath {
			f.Params = append(f.Params, made)
		} else {
			f.Options = append(f.Options, made)
		}
	}
	if schema := op.schema(); schema != nil {
		body := form.Build("", op.Summary, schema, op.RequestBody.Value.Required, values, 0)
		f.Body = &body
	}
	return f, nil
}

// formPage shows the form of an operation. That of an update begins with what there is.
func formPage(v *visit) (templ.Component, error) {
	op, err := findForm(v)
	if err != nil {
		return nil, err
	}
	values := url.Values{}
	for name, given := range v.echo.QueryParams() {
		values[name] = slices.Clone(given)
	}
	f, err := makeForm(v, op, values)
	if err != nil {
		return nil, err
	}
	if reader, ok := v.pages.reader(op); ok && v.may(reader.ID) && f.known() {
		body, err := v.ask(request{Operation: reader.ID, Path: f.path()})
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		var resource any
		if err := decoder.Decode(&resource); err != nil {
			return nil, err
		}
		if schema := op.schema(); schema != nil {
			form.Fill(values, "", schema, resource)
			if f, err = makeForm(v, op, values); err != nil {
				return nil, err
			}
			began, err := json.Marshal(f.Body.Members())
			if err != nil {
				return nil, err
			}
			f.Was = string(began)
		}
	}
	f.offer()
	return f.page(), nil
}

// known reports whether all parameters of the path have a value.
func (f operationForm) known() bool {
	return !slices.ContainsFunc(f.Params, func(p form.Field) bool { return p.Value == "" })
}

// path are the parameters of the path.
func (f operationForm) path() params {
	path := params{}
	for _, p := range f.Params {
		path[strings.TrimPrefix(p.Name, "param.")] = p.Value
	}
	return path
}

// largestPage bounds the page of a form, in bytes.
const largestPage = 5 << 20

var errLongForm = &failure{
	Status:  http.StatusBadRequest,
	Problem: gen.Problem{Detail: "The form would be longer than 5 MB. What has as many parts is sent to the API"},
}

// page shows the form. One that is too long is refused while it is written.
func (f operationForm) page() templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return formDetail(f).Render(ctx, &boundedWriter{w, largestPage})
	})
}

// boundedWriter fails where more is written than it has left, in bytes.
type boundedWriter struct {
	io.Writer
	left int
}

func (w *boundedWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errLongForm
	}
	return w.Writer.Write(b)
}
