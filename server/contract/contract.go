package contract

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/gen"
)

// Contract is openapi.yaml, indexed by method and by the path as Echo's router matched it. So
// a request is never checked against one operation and served by another.
type Contract struct {
	Document   *openapi3.T
	operations map[string]*Operation
}

// Operation is what the contract says about one method of one path.
type Operation struct {
	ID        string // as in openapi.yaml, such as createCustomer
	ReadsBody bool   // the handler reads and checks the body itself
	Scope     string // the right that a key needs, such as "invoices:read"; "" for none

	parameters []*openapi3.Parameter // of query and header; a path parameter is any text
	body       *openapi3.Schema      // nil without one
	needsBody  bool
}

// ownBody marks operations whose handler reads and checks the body.
const ownBody = "x-body-validation"

// scope is the right that an operation needs a key to have.
const scope = "x-scope"

var pathParameter = regexp.MustCompile(`\{([^}]+)\}`)

// Load returns the contract that is embedded in the program.
func Load() *Contract {
	document, err := gen.GetSpec()
	if err != nil {
		panic(fmt.Sprintf("contract: the embedded contract: %v", err)) // checked by gen's specs
	}
	c := &Contract{Document: document, operations: map[string]*Operation{}}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			// The generator makes Go names of ids, which begin with a lower-case letter in openapi.yaml.
			op.OperationID = strings.ToLower(op.OperationID[:1]) + op.OperationID[1:]
			c.operations[method+" "+pathParameter.ReplaceAllString(path, ":$1")] = newOperation(item, op)
		}
	}
	return c
}

func newOperation(item *openapi3.PathItem, op *openapi3.Operation) *Operation {
	o := &Operation{ID: op.OperationID, ReadsBody: op.Extensions[ownBody] == "handler"}
	o.Scope, _ = op.Extensions[scope].(string)
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

// Operation returns the operation of a method and a path such as /v1/items/:item_id, nil for
// paths outside the contract.
func (c *Contract) Operation(method, path string) *Operation {
	return c.operations[method+" "+path]
}

// Scopes are those that operations need.
func (c *Contract) Scopes() (scopes []string) {
	for _, op := range c.operations {
		if op.Scope != "" {
			scopes = append(scopes, op.Scope)
		}
	}
	return scopes
}
