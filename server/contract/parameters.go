package contract

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"tollkeeper/store/fault"
)

// checkParameters checks the query and the headers that the contract names, and ignores
// others. Empty values of a query count as absent (semantics 14.4.2).
func checkParameters(r *http.Request, op *Operation) error {
	var query url.Values
	if r.URL.RawQuery != "" {
		var err error
		if query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
			return fault.Bad("query", "is not encoded as the query of a URL")
		}
		r.URL.RawQuery = withoutEmpty(query).Encode()
	}
	var wrong []error
	for _, p := range op.parameters {
		given := len(query[p.Name])
		if p.In == openapi3.ParameterInHeader {
			given = len(r.Header.Values(p.Name))
		}
		if given == 0 && !p.Required && p.Schema.Value.Default == nil {
			continue // saves ingestion the check of parameters that are hardly ever sent
		}
		if given > 1 && !p.Schema.Value.Type.Is(openapi3.TypeArray) {
			wrong = append(wrong, fault.Bad(p.Name, "must be given only once"))
			continue
		}
		if err := openapi3filter.ValidateParameter(context.Background(), validationOf(r), p); err != nil {
			wrong = append(wrong, fault.Bad(p.Name, "%s", parameterReason(err, p)))
		}
	}
	return fault.Join(wrong...)
}

func validationOf(r *http.Request) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: r,
		Route:   &routers.Route{Spec: &openapi3.T{OpenAPI: "3.0.3"}},
		Options: &openapi3filter.Options{MultiError: true},
	}
}

// withoutEmpty removes empty values from query, and replaces characters that the database
// cannot hold.
func withoutEmpty(query url.Values) url.Values {
	for name, values := range query {
		kept := values[:0]
		for _, v := range values {
			if v != "" {
				kept = append(kept, storable(v))
			}
		}
		if query[name] = kept; len(kept) == 0 {
			delete(query, name)
		}
	}
	return query
}

// parameterReason says in words what kin-openapi found first.
func parameterReason(err error, p *openapi3.Parameter) string {
	if errors.Is(err, openapi3filter.ErrInvalidRequired) {
		return "is required"
	}
	var mismatch *openapi3.SchemaError
	if errors.As(err, &mismatch) {
		return messageFor(mismatch.SchemaField, mismatch.Schema)
	}
	schema := p.Schema.Value
	if schema.Type.Is(openapi3.TypeArray) {
		schema = schema.Items.Value
	}
	return messageFor("type", schema)
}
