package examples

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is the text of an OpenAPI document and the examples in it.
type Document struct {
	Operations []*Operation // in the order of the text

	lines   []string
	root    *yaml.Node
	answers map[string]any // components.examples by name
}

// Operation is what a client needs to know to send the example of an operation.
type Operation struct {
	ID, Method, Path string
	Parameters       []Parameter
	HasBody          bool
	Body             any    // the example of the request, nil without one
	Status           int    // of success
	HasAnswer        bool   // a success has a body
	AnswerName       string // in components.examples, "" without one
	answerLine       int    // index of the line of the response
}

// Parameter is a parameter of a path or a query.
type Parameter struct {
	Name, In string
	Required bool
	Examples []Example
}

// Example is a value that may have a name.
type Example struct {
	Name  string
	Value any
}

// Read reads the examples of a document.
func Read(text []byte) (*Document, error) {
	var top yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return nil, err
	}
	d := &Document{lines: strings.Split(string(text), "\n"), root: top.Content[0], answers: map[string]any{}}
	for name, example := range members(at(d.root, "components", "examples")) {
		d.answers[name] = decode(at(example, "value"))
	}
	paths := at(d.root, "paths")
	for i := 0; i < len(paths.Content); i += 2 {
		path, item := paths.Content[i].Value, paths.Content[i+1]
		for k := 0; k < len(item.Content); k += 2 {
			method, node := item.Content[k].Value, item.Content[k+1]
			if id := at(node, "operationId"); id != nil {
				op, err := d.operation(node, item)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", id.Value, err)
				}
				op.Method, op.Path = strings.ToUpper(method), path
				d.Operations = append(d.Operations, op)
			}
		}
	}
	return d, nil
}

// Operation returns the operation of that id, nil if there is none.
func (d *Document) Operation(id string) *Operation {
	for _, op := range d.Operations {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Answer returns the example of what the operation answers, nil without one.
func (d *Document) Answer(op *Operation) any { return d.answers[op.AnswerName] }

func (d *Document) operation(node, item *yaml.Node) (*Operation, error) {
	op := &Operation{ID: at(node, "operationId").Value}
	for _, list := range []*yaml.Node{at(item, "parameters"), at(node, "parameters")} {
		if list == nil {
			continue
		}
		for _, p := range list.Content {
			if p = d.resolve(p); at(p, "in").Value != "header" {
				op.Parameters = append(op.Parameters, parameter(p))
			}
		}
	}
	if body := at(node, "requestBody"); body != nil {
		op.HasBody = true
		for _, example := range members(at(body, "content", "application/json", "examples")) {
			op.Body = decode(at(d.resolve(example), "value"))
		}
	}
	responses := at(node, "responses")
	for i := 0; i < len(responses.Content); i += 2 {
		status, response := responses.Content[i], responses.Content[i+1]
		if !strings.HasPrefix(status.Value, "2") {
			continue
		}
		if _, err := fmt.Sscan(status.Value, &op.Status); err != nil {
			return nil, err
		}
		op.answerLine = status.Line - 1
		if media := at(response, "content", "application/json"); media != nil {
			op.HasAnswer = true
			for _, example := range members(at(media, "examples")) {
				ref := at(example, "$ref")
				if ref == nil {
					return nil, fmt.Errorf("the example of the answer must be a reference to components.examples")
				}
				op.AnswerName = strings.TrimPrefix(ref.Value, refersTo)
			}
		}
	}
	return op, nil
}

const refersTo = "#/components/examples/"

func parameter(node *yaml.Node) Parameter {
	p := Parameter{Name: at(node, "name").Value, In: at(node, "in").Value}
	if required := at(node, "required"); required != nil {
		p.Required = required.Value == "true"
	}
	if example := at(node, "example"); example != nil {
		p.Examples = []Example{{"", decode(example)}}
	}
	list := at(node, "examples")
	if list == nil {
		return p
	}
	for i := 0; i < len(list.Content); i += 2 {
		p.Examples = append(p.Examples, Example{list.Content[i].Value, decode(at(list.Content[i+1], "value"))})
	}
	return p
}

// resolve follows a reference within the document.
func (d *Document) resolve(node *yaml.Node) *yaml.Node {
	if ref := at(node, "$ref"); ref != nil {
		return at(d.root, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
	}
	return node
}

// at returns the node under these keys, nil if there is none.
func at(node *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		node = members(node)[key]
	}
	return node
}

func members(node *yaml.Node) map[string]*yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	all := map[string]*yaml.Node{}
	for i := 0; i < len(node.Content); i += 2 {
		all[node.Content[i].Value] = node.Content[i+1]
	}
	return all
}

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// decode reads a value as JSON. Numbers keep their digits.
func decode(node *yaml.Node) any {
	if node == nil {
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i < len(node.Content); i += 2 {
			object[node.Content[i].Value] = decode(node.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, entry := range node.Content {
			list[i] = decode(entry)
		}
		return list
	}
	switch plain := node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0; {
	case plain && number.MatchString(node.Value):
		return json.Number(node.Value)
	case plain && (node.Value == "true" || node.Value == "false"):
		return node.Value == "true"
	case plain && (node.Value == "null" || node.Value == ""):
		return nil
	}
	return node.Value
}
