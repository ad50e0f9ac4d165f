package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/server/console/form"
)

// request is what the form asks of the API.
func (f operationForm) request() (request, error) {
	in := request{Operation: f.Operation.ID, Path: f.path(), Query: url.Values{}, Header: http.Header{}}
	if f.Operation.Method == http.MethodPost {
		in.Header.Set("Idempotency-Key", f.Once)
	}
	for _, option := range f.Options {
		name := strings.TrimPrefix(option.Name, "param.")
		for _, p := range f.Operation.Parameters {
			if p.Name != name || option.Value == "" {
				continue
			}
			if p.In == openapi3.ParameterInHeader {
				in.Header.Set(name, option.Value)
			} else {
				in.Query.Set(name, option.Value)
			}
		}
	}
	if f.Body == nil {
		return in, nil
	}
	value, present := f.Body.Encode()
	if f.Was != "" {
		var was map[string]any
		decoder := json.NewDecoder(strings.NewReader(f.Was))
		decoder.UseNumber()
		if err := decoder.Decode(&was); err == nil {
			value, present = form.Changed(was, f.Body.Members(), *f.Body), true
		}
	}
	if !present && !f.Operation.RequestBody.Value.Required {
		return in, nil
	}
	if value == nil {
		value = map[string]any{}
	}
	body, err := json.Marshal(value)
	in.Body = body
	return in, err
}

// submitForm sends what the form has to the API, or changes the form: a row more, a row less,
// the fields of another variant.
func submitForm(v *visit) (templ.Component, error) {
	op, err := findForm(v)
	if err != nil {
		return nil, err
	}
	given, err := v.echo.FormParams()
	if err != nil {
		return nil, &failure{Status: http.StatusBadRequest}
	}
	values, err := form.NumberRows(given)
	if err != nil {
		return nil, refusedForm(err)
	}
	full := values.Has("add") && values.Full()
	again := form.Reshape(values)
	f, err := makeForm(v, op, values.Values)
	if err != nil {
		return nil, err
	}
	if again {
		if full {
			f.Failed = string(form.TooManyRows) + "."
		}
		f.offer()
		return f.page(), nil
	}
	in, err := f.request()
	if err != nil {
		return nil, err
	}
	if values.Has("show") {
		f.Shown, f.Curl = f.example(in)
		f.offer()
		return f.page(), nil
	}
	answer, err := v.ask(in)
	if err != nil {
		if status := statusOf(err); status >= http.StatusInternalServerError {
			return nil, err
		}
		f.refuse(err)
		f.offer()
		return withStatus{f.page(), statusOf(err)}, nil
	}
	return f.done(answer)
}

// example writes the request for a program.
func (f operationForm) example(in request) (body, curl string) {
	if in.Body != nil {
		var indented bytes.Buffer
		if err := json.Indent(&indented, in.Body, "", "  "); err == nil {
			body = indented.String()
		}
	}
	curl = "curl -X " + f.Operation.Method + " \"$TOLLKEEPER" + f.Operation.url(in.Path, in.Query) + "\" \\\n  -H \"Authorization: Bearer $KEY\""
	if in.Body != nil {
		curl += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(string(in.Body), "'", `'\''`) + "'"
	}
	return body, curl
}

// withStatus is a page with a status other than 200.
type withStatus struct {
	templ.Component
	status int
}
