package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Answered is what an operation answered in the story.
type Answered struct {
	Operation *Operation
	Answer    any
}

const heading = "  # What operations answer in the story of their examples, as a spec got it. `SPEC_UPDATE=1` writes this part.\n  examples:"

var media = regexp.MustCompile(`(content: \{application/json: \{schema: \{\$ref: "[^"]+"\})(, examples: \{example: \{\$ref: "[^"]+"\}\})?\}\}`)

// Write returns the document with these answers as its examples. Everything else of its text
// stays as it is. An operation shares the example of an earlier one that answered the same.
func (d *Document) Write(all []Answered) (string, error) {
	lines := slices.Clone(d.lines)
	var named []Answered
	for _, a := range all {
		k := slices.IndexFunc(named, func(n Answered) bool { return reflect.DeepEqual(n.Answer, a.Answer) })
		if k < 0 {
			named = append(named, a)
			k = len(named) - 1
		}
		line := &lines[a.Operation.answerLine]
		if !media.MatchString(*line) {
			return "", fmt.Errorf("%s: line %d is not written as responses are: %s", a.Operation.ID, a.Operation.answerLine+1, *line)
		}
		*line = media.ReplaceAllString(*line, `${1}, examples: {example: {$$ref: "`+refersTo+named[k].Operation.ID+`"}}}}`)
	}
	text := strings.Join(lines, "\n")
	if i := strings.Index(text, "\n"+heading); i >= 0 {
		text = text[:i]
	}
	var out strings.Builder
	out.WriteString(strings.TrimRight(text, "\n") + "\n\n" + heading + "\n")
	slices.SortFunc(named, func(a, b Answered) int { return a.Operation.place(d) - b.Operation.place(d) })
	for _, a := range named {
		out.WriteString("    " + a.Operation.ID + ":\n      value:")
		block(&out, a.Answer, 8)
	}
	return out.String(), nil
}

func (o *Operation) place(d *Document) int { return slices.Index(d.Operations, o) }

// widest is the longest line that holds a whole value.
const widest = 150

// block writes a value after its key: in the line of the key if it fits, else below it with
// that indentation.
func block(out *strings.Builder, value any, indent int) {
	text := flow(value)
	here := out.String()
	used := utf8.RuneCountInString(here[strings.LastIndex(here, "\n")+1:])
	spaces := strings.Repeat(" ", indent)
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	if used+1+utf8.RuneCountInString(text) <= widest || !isObject && !isList {
		out.WriteString(" " + text + "\n")
		return
	}
	out.WriteString("\n")
	// Members that fit share lines; what does not fit comes under its own key.
	for _, name := range sorted(object) {
		out.WriteString(spaces + key(name) + ":")
		block(out, object[name], indent+2)
	}
	for _, entry := range list {
		item, _ := entry.(map[string]any)
		if text := flow(entry); item == nil || indent+2+utf8.RuneCountInString(text) <= widest {
			out.WriteString(spaces + "- " + text + "\n")
			continue
		}
		for i, name := range sorted(item) {
			lead := "  "
			if i == 0 {
				lead = "- "
			}
			out.WriteString(spaces + lead + key(name) + ":")
			block(out, item[name], indent+4)
		}
	}
}

func flow(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		return scalar(v)
	case []any:
		parts := make([]string, len(v))
		for i, entry := range v {
			parts[i] = flow(entry)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range sorted(v) {
			parts = append(parts, key(name)+": "+flow(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	panic(fmt.Sprintf("examples: %T is no JSON", value)) // decoded by encoding/json
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([ .-][A-Za-z0-9_]+)*\.?$`)
	reserved = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|nan|inf)$`)
)

// scalar writes a text so that every version of YAML reads it as that text.
func scalar(text string) string {
	if plain.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	quoted, _ := json.Marshal(text) // a text
	return string(unescapeHTML.ReplaceAllFunc(quoted, func(b []byte) []byte {
		return []byte{map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}[string(b)]}
	}))
}

var unescapeHTML = regexp.MustCompile(`\\u00(3c|3e|26)`)

func key(name string) string { return scalar(name) }

func sorted(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
