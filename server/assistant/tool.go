package assistant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is an operation that only reads.
type tool struct {
	method, path string
	operation    *openapi3.Operation
	parameters   []*openapi3.Parameter // of path and query
	scope        string
	body         *openapi3.SchemaRef // nil without one
}

// bodyArgument is the argument that is sent as the body.
const bodyArgument = "body"

// readTools are the operations of the contract that only read, by their names.
func readTools(document *openapi3.T) (tools []tool) {
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			t := tool{method: method, path: path, operation: op}
			t.scope, _ = op.Extensions["x-scope"].(string)
			if method != http.MethodGet && !strings.HasSuffix(t.scope, ":read") {
				continue
			}
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				if p.Value.In == openapi3.ParameterInPath || p.Value.In == openapi3.ParameterInQuery {
					t.parameters = append(t.parameters, p.Value)
				}
			}
			if op.RequestBody != nil {
				t.body = op.RequestBody.Value.Content.Get("application/json").Schema
			}
			tools = append(tools, t)
		}
	}
	slices.SortFunc(tools, func(a, b tool) int { return cmp.Compare(a.name(), b.name()) })
	return tools
}

func (t tool) name() string { return t.operation.OperationID }

// argumentNames makes names of parameters that programs accept: those of lists and bounds have brackets.
var argumentNames = strings.NewReplacer("[]", "_list", "[", "_", "]", "")

func argumentName(p *openapi3.Parameter) string { return argumentNames.Replace(p.Name) }

// resource is what the scope of the operation names; "" where any key may call it.
func (t tool) resource() string {
	name, _, _ := strings.Cut(t.scope, ":")
	return name
}

// described is the tool as programs see it.
func (t tool) described() *mcp.Tool {
	members, required := schema{}, []string{}
	for _, p := range t.parameters {
		member := plainSchema(p.Schema, 1)
		if text := cmp.Or(p.Description, p.Schema.Value.Description); text != "" {
			member["description"] = strings.TrimSpace(text)
		}
		members[argumentName(p)] = member
		if p.Required {
			required = append(required, argumentName(p))
		}
	}
	if t.body != nil {
		members[bodyArgument] = plainSchema(t.body, depthOfBodies)
		if t.operation.RequestBody.Value.Required {
			required = append(required, bodyArgument)
		}
	}
	return &mcp.Tool{
		Name:        t.name(),
		Title:       t.operation.Summary,
		Description: t.operation.Summary + ". " + strings.TrimSpace(t.operation.Description),
		Annotations: readOnly(t.operation.Summary),
		InputSchema: schema{"type": "object", "properties": members, "required": required, "additionalProperties": false},
	}
}

// readArguments reads the arguments of a call. Numbers keep their digits.
func readArguments(raw json.RawMessage) (map[string]any, error) {
	arguments := map[string]any{}
	if len(raw) == 0 {
		return arguments, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil {
		return nil, errors.New("the arguments must be an object")
	}
	return arguments, nil
}

// request is the request that a call stands for. The server checks the values.
func (t tool) request(ctx context.Context, base string, arguments map[string]any) (*http.Request, error) {
	path, query := t.path, url.Values{}
	known := []string{bodyArgument}
	for _, p := range t.parameters {
		name := argumentName(p)
		known = append(known, name)
		value, given := arguments[name]
		if given && value != nil {
			texts, err := parameterTexts(name, value)
			if err != nil {
				return nil, err
			}
			if p.In == openapi3.ParameterInQuery {
				query[p.Name] = texts
				continue
			}
			if len(texts) == 1 && texts[0] != "" && texts[0] != "." && texts[0] != ".." {
				path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(texts[0]))
				continue
			}
		}
		if p.Required {
			return nil, fmt.Errorf("%s: is required", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(known, name) || name == bodyArgument && t.body == nil {
			return nil, fmt.Errorf("%s: is no argument of %s", name, t.name())
		}
	}
	var body io.Reader
	if value, given := arguments[bodyArgument]; given {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	address := base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, t.method, address, body)
	if err == nil && body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, err
}

// parameterTexts are a value as it stands in an address; a list has several.
func parameterTexts(name string, value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case json.Number:
		return []string{v.String()}, nil
	case bool:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		var all []string
		for _, item := range v {
			if _, isList := item.([]any); isList {
				break
			}
			texts, err := parameterTexts(name, item)
			if err != nil {
				return nil, err
			}
			all = append(all, texts...)
		}
		if len(all) == len(v) {
			return all, nil
		}
	}
	return nil, fmt.Errorf("%s: must be a text, a number, true or false, or a list of them", name)
}
