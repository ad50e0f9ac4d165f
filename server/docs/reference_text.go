package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// reference is the contract, from which its operations and schemas are written as text.
type reference struct {
	document *openapi3.T
	byTag    map[string][]operation // in the order of the contract
}

// operation is an operation of the contract with its address.
type operation struct {
	*openapi3.Operation
	ID, Method, Path string
	Shared           openapi3.Parameters // of all operations of the path
}

func newReference(written []byte) *reference {
	document, err := openapi3.NewLoader().LoadFromData(written)
	if err != nil {
		panic("docs: openapi.yaml: " + err.Error()) // gen's specs read it
	}
	r := &reference{document: document, byTag: map[string][]operation{}}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			tag := op.Tags[0]
			r.byTag[tag] = append(r.byTag[tag], operation{op, op.OperationID, method, path, item.Parameters})
		}
	}
	place := func(o operation) int { return bytes.Index(written, []byte("operationId: "+o.ID+"\n")) }
	for _, ops := range r.byTag {
		slices.SortFunc(ops, func(a, b operation) int { return cmp.Compare(place(a), place(b)) })
	}
	return r
}

func (r *reference) operations(tag string) []operation { return r.byTag[tag] }

// schemaNames are those of the contract, sorted.
func (r *reference) schemaNames() []string {
	return slices.Sorted(maps.Keys(r.document.Components.Schemas))
}

// operationText describes an operation: what it does, takes and answers.
func (r *reference) operationText(op operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s %s` is the operation `%s`.", op.Summary, op.Method, op.Path, op.ID)
	if scope, _ := op.Extensions["x-scope"].(string); scope != "" {
		fmt.Fprintf(&b, " A key needs the scope `%s`.", scope)
	}
	fmt.Fprintf(&b, "\n\n%s\n", strings.TrimSpace(op.Description))
	if all := append(slices.Clone(op.Shared), op.Parameters...); len(all) > 0 {
		b.WriteString("\n## Parameters\n\n")
		for _, p := range all {
			writeMember(&b, p.Value.Name, p.Value.Schema, p.Value.Required, p.Value.In, p.Value.Description)
		}
	}
	if op.RequestBody != nil {
		b.WriteString("\n## Body\n")
		writeContent(&b, op.RequestBody.Value.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses.Map())) {
		answer := op.Responses.Value(status).Value
		if !strings.HasPrefix(status, "2") || len(answer.Content) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## Answer %s\n", status)
		writeContent(&b, answer.Content)
	}
	if fails := failures(op); len(fails) > 0 {
		fmt.Fprintf(&b, "\nFails with %s, and a [Problem](%s).\n", strings.Join(fails, ", "), schemaPath("Problem"))
	}
	return b.String()
}

// failures are the statuses with which an operation may fail.
func failures(op operation) (statuses []string) {
	for _, status := range slices.Sorted(maps.Keys(op.Responses.Map())) {
		if status >= "400" && status != "default" {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

// writeContent describes a body with its members and an example, for each type that it may have.
func writeContent(b *strings.Builder, content openapi3.Content) {
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		media := content[kind]
		fmt.Fprintf(b, "\n`%s`", kind)
		if media.Schema != nil {
			fmt.Fprintf(b, ": %s", typeOf(media.Schema))
		}
		b.WriteString("\n\n")
		if media.Schema != nil && media.Schema.Ref == "" {
			writeMembers(b, media.Schema.Value)
		}
		for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
			writeExample(b, media.Examples[name].Value.Value)
		}
	}
}

func writeExample(b *strings.Builder, value any) {
	text, isText := value.(string)
	if !isText {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if enc.Encode(value) != nil {
			return
		}
		text = out.String()
	}
	fmt.Fprintf(b, "```\n%s\n```\n", strings.TrimRight(text, "\n"))
}

// schemaText describes a schema of the contract.
func (r *reference) schemaText(name string) string {
	schema := r.document.Components.Schemas[name].Value
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", name)
	if schema.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(schema.Description))
	}
	if facts := factsOf(schema); len(schema.Properties) == 0 && len(facts) > 0 {
		fmt.Fprintf(&b, "%s\n\n", raised(strings.Join(facts, ", "))+".")
	}
	writeMembers(&b, schema)
	return b.String()
}

// writeMembers lists the members of a schema, the schemas that it includes, and its variants.
func writeMembers(b *strings.Builder, schema *openapi3.Schema) {
	for _, part := range schema.AllOf {
		if part.Ref != "" {
			fmt.Fprintf(b, "- all members of %s\n", typeOf(part))
		} else {
			writeMembers(b, part.Value)
		}
	}
	for _, variants := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf} {
		for _, variant := range variants {
			fmt.Fprintf(b, "- or %s\n", typeOf(variant))
		}
	}
	names := slices.Sorted(maps.Keys(schema.Properties))
	slices.SortStableFunc(names, func(a, c string) int { return place(schema.Required, a) - place(schema.Required, c) })
	for _, name := range names {
		member := schema.Properties[name]
		text := member.Value.Description
		for _, part := range member.Value.AllOf {
			text = cmp.Or(text, part.Value.Description)
		}
		writeMember(b, name, member, slices.Contains(schema.Required, name), "", text)
	}
}

// place orders required members as the contract does, and optional ones after them.
func place(required []string, name string) int {
	if i := slices.Index(required, name); i >= 0 {
		return i
	}
	return len(required)
}

func writeMember(b *strings.Builder, name string, schema *openapi3.SchemaRef, required bool, in, text string) {
	facts := []string{typeOf(schema)}
	if in != "" {
		facts = append([]string{in}, facts...)
	}
	if required {
		facts = append(facts, "required")
	}
	if schema.Ref == "" {
		facts = append(facts, factsOf(schema.Value)[1:]...)
	}
	fmt.Fprintf(b, "- `%s` (%s)", name, strings.Join(facts, ", "))
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		fmt.Fprintf(b, ": %s", text)
	}
	b.WriteByte('\n')
}

// typeOf names the type of a value: a schema of the contract, by a link, or a type of JSON.
func typeOf(schema *openapi3.SchemaRef) string {
	if name, found := strings.CutPrefix(schema.Ref, "#/components/schemas/"); found {
		return "[" + name + "](" + schemaPath(name) + ")"
	}
	v := schema.Value
	switch {
	case v.Items != nil:
		return "array of " + typeOf(v.Items)
	case len(v.AllOf) > 0:
		return typeOf(v.AllOf[0])
	case len(v.OneOf) > 0 || len(v.AnyOf) > 0:
		var names []string
		for _, variant := range append(slices.Clone(v.OneOf), v.AnyOf...) {
			names = append(names, typeOf(variant))
		}
		return strings.Join(names, " or ")
	case v.Type == nil || len(*v.Type) == 0:
		return "any value"
	case v.Format != "":
		return (*v.Type)[0] + " " + v.Format
	}
	return (*v.Type)[0]
}

// factsOf are the type of a value and the bounds that it must keep.
func factsOf(v *openapi3.Schema) []string {
	facts := []string{typeOf(&openapi3.SchemaRef{Value: v})}
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	if v.Nullable {
		add("may be null")
	}
	if len(v.Enum) > 0 {
		var values []string
		for _, value := range v.Enum {
			values = append(values, fmt.Sprintf("`%v`", value))
		}
		add("one of %s", strings.Join(values, " "))
	}
	if v.MaxLength != nil {
		add("at most %d characters", *v.MaxLength)
	}
	if v.MaxItems != nil {
		add("at most %d", *v.MaxItems)
	}
	if v.Min != nil {
		add("at least %v", *v.Min)
	}
	if v.Max != nil {
		add("at most %v", *v.Max)
	}
	if v.Default != nil {
		add("by default `%v`", v.Default)
	}
	return facts
}

func raised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
