package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Kind says which control a field is.
type Kind string

// Kinds of fields, by what their schema is.
const (
	KindText    Kind = "text"
	KindLong    Kind = "long" // text of many lines
	KindNumber  Kind = "number"
	KindDecimal Kind = "decimal" // text on the wire
	KindBoolean Kind = "boolean"
	KindChoice  Kind = "choice"
	KindDate    Kind = "date"
	KindAny     Kind = "any"   // text, a number or a truth value
	KindLines   Kind = "lines" // a list of texts, one a line
	KindSet     Kind = "set"   // a list of some of the choices
	KindJSON    Kind = "json"
	KindMap     Kind = "map"
	KindObject  Kind = "object"
	KindRows    Kind = "rows"
	KindUnion   Kind = "union"
)

// Field is a control of a form, with the controls within it.
type Field struct {
	Name      string // in the form, which is its place in the body: tiers[1].unit_amount
	Label     string
	Hint      string
	Kind      Kind
	Required  bool
	Null      bool
	Value     string
	Values    []string // of a set
	Choices   []Option
	MaxLength uint64
	Items     Kind     // of the lines of a list
	Chooser   string   // of a union: the name of its select
	Fields    []Field  // members that are required, entries of a list, the fields of a variant
	More      []Field  // optional members, which are folded
	Key, Data []string // of a map
	List      string   // id of the datalist with the resources it may name
	Problem   string
}

// Option is a value that may be chosen.
type Option struct{ Value, Text string }

// deepest is how far forms go into schemas that contain themselves. What lies deeper is
// written as JSON.
const deepest = 8

// Build makes the field of a schema, with the values that the form has.
func Build(name, label string, s *openapi3.Schema, required bool, values Entered, depth int) Field {
	sh := Flatten(s)
	f := Field{Name: name, Label: label, Hint: sh.Text, Required: required, Null: sh.Null, Value: values.Get(name)}
	if sh.MaxLength != nil {
		f.MaxLength = *sh.MaxLength
	}
	switch {
	case depth > deepest:
		f.Kind = KindJSON
	case sh.Union != nil && sh.Union.Discriminator != nil:
		f.buildUnion(sh, values, depth)
	case sh.Union != nil:
		f.Kind = KindAny
	case len(sh.Properties) > 0:
		f.Kind = KindObject
		f.buildMembers(sh, "", values, depth)
	case sh.is("array"):
		f.buildList(sh, values, depth)
	case sh.is("object") && sh.AdditionalProperties.Schema != nil:
		f.Kind = KindMap
		f.Items = scalarKind(Flatten(sh.AdditionalProperties.Schema.Value))
		f.Key, f.Data = values.Values[name+".key"], values.Values[name+".value"]
	case sh.is("object"):
		f.Kind = KindJSON
	default:
		f.Kind = scalarKind(sh)
		f.Choices = ChoicesOf(sh)
		f.List = resourceOf(name)
	}
	return f
}

// scalarKind is the control of a single value.
func scalarKind(s Shape) Kind {
	switch {
	case s.Union != nil:
		return KindAny
	case len(s.Enum) > 0:
		return KindChoice
	case s.is("boolean"):
		return KindBoolean
	case s.is("integer"), s.is("number"):
		return KindNumber
	case s.is("object"), s.is("array"):
		return KindJSON
	case s.Format == "date":
		return KindDate
	case strings.Contains(s.Pattern, `[0-9]{1,30}`):
		return KindDecimal
	case s.MaxLength != nil && *s.MaxLength > 1000:
		return KindLong
	}
	return KindText
}

// ChoicesOf are the values of an enum.
func ChoicesOf(s Shape) (all []Option) {
	for _, value := range s.Enum {
		if value != nil {
			all = append(all, Option{fmt.Sprint(value), Words(fmt.Sprint(value))})
		}
	}
	return all
}

// buildMembers makes the fields of an object. The discriminator has a select of its own.
func (f *Field) buildMembers(s Shape, discriminator string, values Entered, depth int) {
	for _, name := range s.names() {
		if name == discriminator {
			continue
		}
		required := slices.Contains(s.Required, name)
		member := Build(join(f.Name, name), Words(name), s.Properties[name].Schema, required, values, depth+1)
		if required || depth == 0 && len(s.Properties) < 4 {
			f.Fields = append(f.Fields, member)
		} else {
			f.More = append(f.More, member)
		}
	}
}

// buildUnion makes the select of the variants, and the fields of the one that is chosen.
func (f *Field) buildUnion(s Shape, values Entered, depth int) {
	f.Kind = KindUnion
	f.Chooser = join(f.Name, s.Union.Discriminator.PropertyName)
	f.Value = values.Get(f.Chooser)
	for _, v := range Variants(s.Union) {
		f.Choices = append(f.Choices, Option{v.Value, Words(v.Value)})
	}
	if f.Value == "" && f.Required && len(f.Choices) > 0 {
		f.Value = f.Choices[0].Value
	}
	if chosen := VariantOf(s.Union, f.Value); chosen != nil {
		if text := describe(chosen); text != "" {
			f.Hint = text
		}
		f.buildMembers(Flatten(chosen), s.Union.Discriminator.PropertyName, values, depth)
	}
}

// buildList makes the rows of a list of objects, or one control for a list of single values.
func (f *Field) buildList(s Shape, values Entered, depth int) {
	items := Flatten(s.Items.Value)
	simple := items.Union == nil && len(items.Properties) == 0 && !items.is("object") && !items.is("array")
	switch {
	case simple && len(items.Enum) > 0:
		f.Kind, f.Choices, f.Values = KindSet, ChoicesOf(items), values.Values[f.Name]
	case simple:
		f.Kind, f.Items = KindLines, scalarKind(items)
	case items.Union != nil && items.Union.Discriminator == nil || items.is("array"):
		f.Kind = KindJSON
	default:
		f.Kind = KindRows
		count := values.rows[f.Name]
		if count == 0 && f.Required {
			count = 1
		}
		for i := range count {
			place := f.Name + "[" + strconv.Itoa(i) + "]"
			f.Fields = append(f.Fields, Build(place, Singular(f.Label)+" "+strconv.Itoa(i+1), s.Items.Value, true, values, depth+1))
		}
	}
}

// Singular is the name of one entry of a list.
func Singular(label string) string { return strings.TrimSuffix(label, "s") }

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
