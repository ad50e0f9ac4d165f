package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/gen"
)

// API answers a request to the API with the rights of a key, in the name of an actor. Pages
// read and change nothing by any other way: what a program may not do, a person may not do.
type API func(w http.ResponseWriter, r *http.Request, in account.Login, by audit.Actor)

// operation is what the contract says about one operation.
type operation struct {
	*openapi3.Operation
	ID         string
	Method     string
	Path       string                // with its parameters in braces
	Parameters []*openapi3.Parameter // of the path, the query and the header
	Right      account.Right         // that it needs (semantics 21.2.1); none when NeedsRight is false
	NeedsRight bool
}

// readOperations indexes the contract by the ids of its operations.
func readOperations(document *openapi3.T) map[string]operation {
	operations := map[string]operation{}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			o := operation{Operation: op, ID: op.OperationID, Method: method, Path: path}
			for _, parameters := range []openapi3.Parameters{item.Parameters, op.Parameters} {
				for _, p := range parameters {
					o.Parameters = append(o.Parameters, p.Value)
				}
			}
			if scope, ok := op.Extensions["x-scope"].(string); ok {
				right, err := account.ParseRight(scope)
				o.Right, o.NeedsRight = right, err == nil
			}
			operations[o.ID] = o
		}
	}
	return operations
}

// params are the values of path parameters.
type params map[string]string

// url returns the path of the operation with its parameters, and the query.
func (o operation) url(path params, query url.Values) string {
	target := o.Path
	for name, value := range path {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value))
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return target
}

// failure is a request that the API refused, or could not answer.
type failure struct {
	Status  int
	Problem gen.Problem
}

func (f *failure) Error() string { return fmt.Sprintf("%d %s", f.Status, f.Problem.Detail) }

// statusOf returns the status of an error: that of the API's answer, or 500.
func statusOf(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.Status
	}
	return http.StatusInternalServerError
}

// request is what the console asks of the API.
type request struct {
	Operation string
	Path      params
	Query     url.Values
	Header    http.Header
	Body      []byte // nil: none
}

// ask sends a request to the API for the person who is signed in. The error is a *failure
// where the API refused the request.
func (v *visit) ask(in request) (body []byte, err error) {
	op, ok := v.pages.operations[in.Operation]
	if !ok {
		return nil, fmt.Errorf("console: the contract has no operation %q", in.Operation)
	}
	r, err := http.NewRequestWithContext(v.ctx, op.Method, op.url(in.Path, in.Query), bytes.NewReader(in.Body))
	if err != nil {
		return nil, err
	}
	r.RemoteAddr = v.echo.Request().RemoteAddr
	for name, values := range in.Header {
		r.Header[name] = values
	}
	r.Header.Set("X-Request-Id", v.echo.Response().Header().Get("X-Request-Id"))
	if in.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	v.pages.api(w, r, v.login, v.actor)
	if w.status >= http.StatusBadRequest {
		f := &failure{Status: w.status}
		if err := json.Unmarshal(w.body.Bytes(), &f.Problem); err != nil {
			return nil, fmt.Errorf("console: %s answered %d without a problem", in.Operation, w.status)
		}
		return nil, f
	}
	return w.body.Bytes(), nil
}

// fetch asks for an operation that reads, and decodes the answer. Numbers stay exact: the
// types of the contract hold them as text.
func fetch[T any](v *visit, operation string, path params, query url.Values) (answer T, err error) {
	body, err := v.ask(request{Operation: operation, Path: path, Query: query})
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(body, &answer)
}

// recorder keeps an answer of the API.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
