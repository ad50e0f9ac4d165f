package server

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/gen"
)

// contract is openapi.yaml, indexed as requests need it: by method and by the
// path as Echo's router matched it, so a request is never checked against one
// operation and served by another.
type contract struct {
	document   *openapi3.T
	operations map[string]*operation
}

// operation is what the contract says about one method of one path.
type operation struct {
	id         string
	parameters []*openapi3.Parameter // of query and header; path ones are any text
	body       *openapi3.Schema      // nil without one
	needsBody  bool
	readsBody  bool // the handler reads and checks the body itself
}

// ownBody marks operations whose handler reads and checks the body.
const ownBody = "x-body-validation"

var pathParameter = regexp.MustCompile(`\{([^}]+)\}`)

func loadContract() *contract {
	document, err := gen.GetSpec()
	if err != nil {
		panic(fmt.Sprintf("server: the embedded contract: %v", err)) // checked by gen's specs
	}
	c := &contract{document: document, operations: map[string]*operation{}}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			// The generator makes Go names of ids. In openapi.yaml they begin small.
			op.OperationID = strings.ToLower(op.OperationID[:1]) + op.OperationID[1:]
			c.operations[method+" "+pathParameter.ReplaceAllString(path, ":$1")] = newOperation(item, op)
		}
	}
	return c
}

func newOperation(item *openapi3.PathItem, op *openapi3.Operation) *operation {
	o := &operation{id: op.OperationID, readsBody: op.Extensions[ownBody] == "handler"}
	for _, parameters := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range parameters {
			if p.Value.In != openapi3.ParameterInPath {
				o.parameters = append(o.parameters, p.Value)
			}
		}
	}
	if op.RequestBody != nil {
		o.needsBody = op.RequestBody.Value.Required
		o.body = op.RequestBody.Value.Content.Get("application/json").Schema.Value
	}
	return o
}

// operation finds what the contract says; nil for paths outside it.
func (c *contract) operation(method, path string) *operation {
	return c.operations[method+" "+path]
}
