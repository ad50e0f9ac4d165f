package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// fieldKind says which control a field is.
type fieldKind string

// Kinds of fields, by what their schema is.
const (
	fieldText    fieldKind = "text"
	fieldLong    fieldKind = "long" // text of many lines
	fieldNumber  fieldKind = "number"
	fieldDecimal fieldKind = "decimal" // text on the wire
	fieldBoolean fieldKind = "boolean"
	fieldChoice  fieldKind = "choice"
	fieldDate    fieldKind = "date"
	fieldAny     fieldKind = "any"   // text, a number or a truth value
	fieldLines   fieldKind = "lines" // a list of texts, one a line
	fieldSet     fieldKind = "set"   // a list of some of the choices
	fieldJSON    fieldKind = "json"
	fieldMap     fieldKind = "map"
	fieldObject  fieldKind = "object"
	fieldRows    fieldKind = "rows"
	fieldUnion   fieldKind = "union"
)

// field is a control of a form, with the controls within it.
type field struct {
	Name      string // in the form, which is its place in the body: tiers[1].unit_amount
	Label     string
	Hint      string
	Kind      fieldKind
	Required  bool
	Null      bool
	Value     string
	Values    []string // of a set
	Choices   []option
	MaxLength uint64
	Items     fieldKind // of the lines of a list
	Chooser   string    // of a union: the name of its select
	Fields    []field   // members that are required, entries of a list, the fields of a variant
	More      []field   // optional members, which are folded
	Key, Data []string  // of a map
	List      string    // id of the datalist with the resources it may name
	Problem   string
}

// option is a value that may be chosen.
type option struct{ Value, Text string }

// deepest is how far forms go into schemas that contain themselves. What lies deeper is
// written as JSON.
const deepest = 8

// build makes the field of a schema, with the values that the form has.
func build(name, label string, s *openapi3.Schema, required bool, values entered, depth int) field {
	sh := flatten(s)
	f := field{Name: name, Label: label, Hint: sh.Text, Required: required, Null: sh.Null, Value: values.Get(name)}
	if sh.MaxLength != nil {
		f.MaxLength = *sh.MaxLength
	}
	switch {
	case depth > deepest:
		f.Kind = fieldJSON
	case sh.Union != nil && sh.Union.Discriminator != nil:
		f.buildUnion(sh, values, depth)
	case sh.Union != nil:
		f.Kind = fieldAny
	case len(sh.Properties) > 0:
		f.Kind = fieldObject
		f.buildMembers(sh, "", values, depth)
	case sh.is("array"):
		f.buildList(sh, values, depth)
	case sh.is("object") && sh.AdditionalProperties.Schema != nil:
		f.Kind = fieldMap
		f.Items = scalarKind(flatten(sh.AdditionalProperties.Schema.Value))
		f.Key, f.Data = values.Values[name+".key"], values.Values[name+".value"]
	case sh.is("object"):
		f.Kind = fieldJSON
	default:
		f.Kind = scalarKind(sh)
		f.Choices = choicesOf(sh)
		f.List = resourceOf(name)
	}
	return f
}

// scalarKind is the control of a single value.
func scalarKind(s shape) fieldKind {
	switch {
	case s.Union != nil:
		return fieldAny
	case len(s.Enum) > 0:
		return fieldChoice
	case s.is("boolean"):
		return fieldBoolean
	case s.is("integer"), s.is("number"):
		return fieldNumber
	case s.is("object"), s.is("array"):
		return fieldJSON
	case s.Format == "date":
		return fieldDate
	case strings.Contains(s.Pattern, `[0-9]{1,30}`):
		return fieldDecimal
	case s.MaxLength != nil && *s.MaxLength > 1000:
		return fieldLong
	}
	return fieldText
}

// choicesOf are the values of an enum.
func choicesOf(s shape) (all []option) {
	for _, value := range s.Enum {
		if value != nil {
			all = append(all, option{fmt.Sprint(value), words(fmt.Sprint(value))})
		}
	}
	return all
}

// buildMembers makes the fields of an object. The discriminator has a select of its own.
func (f *field) buildMembers(s shape, discriminator string, values entered, depth int) {
	for _, name := range s.names() {
		if name == discriminator {
			continue
		}
		required := slices.Contains(s.Required, name)
		member := build(join(f.Name, name), words(name), s.Properties[name].Schema, required, values, depth+1)
		if required || depth == 0 && len(s.Properties) < 4 {
			f.Fields = append(f.Fields, member)
		} else {
			f.More = append(f.More, member)
		}
	}
}

// buildUnion makes the select of the variants, and the fields of the one that is chosen.
func (f *field) buildUnion(s shape, values entered, depth int) {
	f.Kind = fieldUnion
	f.Chooser = join(f.Name, s.Union.Discriminator.PropertyName)
	f.Value = values.Get(f.Chooser)
	for _, v := range variants(s.Union) {
		f.Choices = append(f.Choices, option{v.Value, words(v.Value)})
	}
	if f.Value == "" && f.Required && len(f.Choices) > 0 {
		f.Value = f.Choices[0].Value
	}
	if chosen := variantOf(s.Union, f.Value); chosen != nil {
		if text := describe(chosen); text != "" {
			f.Hint = text
		}
		f.buildMembers(flatten(chosen), s.Union.Discriminator.PropertyName, values, depth)
	}
}

// buildList makes the rows of a list of objects, or one control for a list of single values.
func (f *field) buildList(s shape, values entered, depth int) {
	items := flatten(s.Items.Value)
	simple := items.Union == nil && len(items.Properties) == 0 && !items.is("object") && !items.is("array")
	switch {
	case simple && len(items.Enum) > 0:
		f.Kind, f.Choices, f.Values = fieldSet, choicesOf(items), values.Values[f.Name]
	case simple:
		f.Kind, f.Items = fieldLines, scalarKind(items)
	case items.Union != nil && items.Union.Discriminator == nil || items.is("array"):
		f.Kind = fieldJSON
	default:
		f.Kind = fieldRows
		count := values.rows[f.Name]
		if count == 0 && f.Required {
			count = 1
		}
		for i := range count {
			place := f.Name + "[" + strconv.Itoa(i) + "]"
			f.Fields = append(f.Fields, build(place, singular(f.Label)+" "+strconv.Itoa(i+1), s.Items.Value, true, values, depth+1))
		}
	}
}

// singular is the name of one entry of a list.
func singular(label string) string { return strings.TrimSuffix(label, "s") }

// join is the name of a member of a field.
func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// resourceOf returns the operation that lists what a field names, "" where it names nothing.
func resourceOf(name string) string {
	if i := strings.LastIndexAny(name, ".]"); i >= 0 {
		name = name[i+1:]
	}
	return listedBy[name]
}

// listedBy are the operations that list what ids name.
var listedBy = map[string]string{
	"customer_id": "listCustomers", "plan_id": "listPlans", "item_id": "listItems", "billable_metric_id": "listMetrics", "metric_id": "listMetrics",
	"price_id": "listPrices", "license_type_id": "listLicenseTypes", "coupon_id": "listCoupons", "subscription_id": "listSubscriptions",
	"dimensional_price_group_id": "listDimensionalPriceGroups",
}
