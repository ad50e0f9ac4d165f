package console

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"tollkeeper/server/console/form"
)

// term is a JSON value with its members in their order. Parts that differ by their kind, such
// as the terms of a price, are shown by their names: a new one is shown without a change here.
type term struct {
	Name    string // of a member
	Text    string // of a scalar; "" for null
	Null    bool
	Number  bool
	List    bool
	Object  bool
	Entries []term // of a list or an object
}

// termsOf reads a value that encodes to JSON.
func termsOf(value any) term {
	text, err := json.Marshal(value)
	if err != nil {
		return term{Null: true}
	}
	return readTerm(text)
}

func readTerm(text []byte) term {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return nextTerm(d)
}

func nextTerm(d *json.Decoder) term {
	token, err := d.Token()
	if err != nil {
		return term{Null: true}
	}
	switch t := token.(type) {
	case json.Delim:
		out := term{List: t == '[', Object: t == '{'}
		for d.More() {
			name := ""
			if out.Object {
				key, _ := d.Token()
				name, _ = key.(string)
			}
			entry := nextTerm(d)
			entry.Name = name
			out.Entries = append(out.Entries, entry)
		}
		_, _ = d.Token() // the end
		return out
	case string:
		return term{Text: t}
	case json.Number:
		return term{Text: t.String(), Number: true}
	case bool:
		if t {
			return term{Text: "yes"}
		}
		return term{Text: "no"}
	}
	return term{Null: true}
}

// at returns the member at a path of names; null where there is none.
func (t term) at(path ...string) term {
	for _, name := range path {
		i := slices.IndexFunc(t.Entries, func(e term) bool { return e.Name == name })
		if !t.Object || i < 0 {
			return term{Null: true}
		}
		t = t.Entries[i]
	}
	return t
}

// given are the members of an object that say something.
func (t term) given() (members []term) {
	for _, e := range t.Entries {
		if !e.Null && (!e.List && !e.Object || len(e.Entries) > 0) {
			members = append(members, e)
		}
	}
	return members
}

// scalar reports whether it is one text or number.
func (t term) scalar() bool { return !t.List && !t.Object }

// rows reports whether it is a list of objects, which is shown as a table.
func (t term) rows() bool {
	return t.List && len(t.Entries) > 0 && t.Entries[0].Object
}

// columns are the names of all members of a list of objects, in the order they come.
func (t term) columns() (names []string) {
	for _, row := range t.Entries {
		for _, cell := range row.Entries {
			if !slices.Contains(names, cell.Name) && !cell.Null {
				names = append(names, cell.Name)
			}
		}
	}
	return names
}

// numeric reports whether a column of a list has numbers only.
func (t term) numeric(name string) bool {
	for _, row := range t.Entries {
		if cell := row.at(name); !cell.Null && !cell.isNumber() {
			return false
		}
	}
	return true
}

// isNumber reports whether it is a number, also one that is written as text.
func (t term) isNumber() bool {
	return t.Number || t.scalar() && !t.Null && decimalText.MatchString(t.Text)
}

// line writes a value in one line, for cells of tables.
func (t term) line() string {
	switch {
	case t.Null:
		return ""
	case t.isNumber():
		return numberFigure(t.Text).Text
	case t.scalar():
		return t.Text
	}
	parts := make([]string, 0, len(t.Entries))
	for _, e := range t.given() {
		if t.Object {
			parts = append(parts, form.Words(e.Name)+": "+e.line())
		} else {
			parts = append(parts, e.line())
		}
	}
	return strings.Join(parts, ", ")
}

// pretty writes JSON in lines.
func pretty(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}
