package examples

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Names maps what cannot be known before, such as ids and texts of keys, to the names that the
// examples have for them: one to one, over the whole story.
type Names struct {
	toExample, toReal map[string]string
	used              map[string]bool // names of all examples
	began, story      time.Time
	Invent            bool // makes names for what has none
}

// NewNames returns an empty mapping. Times near the real time began, or after it, are those of
// the story: began is its instant story, to a quarter of an hour.
func NewNames(d *Document, began, story time.Time) *Names {
	n := &Names{toExample: map[string]string{}, toReal: map[string]string{}, used: map[string]bool{}, began: began, story: story}
	for _, answer := range d.answers {
		n.use(answer)
	}
	return n
}

func (n *Names) use(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			n.use(member)
		}
	case []any:
		for _, entry := range v {
			n.use(entry)
		}
	case string:
		n.used[v] = true
	}
}

// unknowable finds ids, texts of keys and secrets, beginnings of keys, tokens of pages, and cursors.
var unknowable = regexp.MustCompile(`tk_test_[0-9A-Za-z]{32,}|\b[ip]_[0-9A-Za-z]{40}[0-9A-Za-z_-]{27}|\bs_[0-9A-Za-z]{20}[0-9A-Za-z_-]{43}|tk_test_[0-9A-Za-z]{4}\b|whsec_[0-9A-Za-z+/=]{20,}|\bline_[0-9A-Za-z_-]{20}|\b[a-z]+(_[a-z]+)*_[0-9A-Za-z]{20}\b|\bMT[0-9A-Za-z_-]{30,}`)

// kindOf is what precedes the random part.
var kindOf = regexp.MustCompile(`^[a-z]+(_[a-z]+)*`)

var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?$`)

// Bind names something.
func (n *Names) Bind(real, example string) error {
	if known, bound := n.toExample[real]; bound && known != example {
		return fmt.Errorf("%s is %s and cannot be %s", real, known, example)
	}
	if known, bound := n.toReal[example]; bound && known != real {
		return fmt.Errorf("%s is %s and cannot be %s", example, known, real)
	}
	n.toExample[real], n.toReal[example] = example, real
	return nil
}

// Real puts what names mean in place of them, in a text that is one and in every text of a value.
func (n *Names) Real(example any) any {
	switch v := example.(type) {
	case map[string]any:
		object := map[string]any{}
		for name, member := range v {
			object[name] = n.Real(member)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, entry := range v {
			list[i] = n.Real(entry)
		}
		return list
	case string:
		if real, bound := n.toReal[v]; bound {
			return real
		}
	}
	return example
}

// Told returns an answer as the story tells it. Where example, which may be nil, has a name for
// what has none yet, it is the name from then on.
func (n *Names) Told(real, example any) any {
	switch v := real.(type) {
	case map[string]any:
		like, _ := example.(map[string]any)
		object := map[string]any{}
		for _, name := range sorted(v) {
			object[name] = n.Told(v[name], like[name])
		}
		return object
	case []any:
		like, _ := example.([]any)
		list := make([]any, len(v))
		for i, entry := range v {
			var e any
			if i < len(like) {
				e = like[i]
			}
			list[i] = n.Told(entry, e)
		}
		return list
	case string:
		like, _ := example.(string)
		return n.text(v, like)
	}
	return real
}

func (n *Names) text(real, example string) string {
	if instant.MatchString(real) {
		return n.time(real)
	}
	found := unknowable.FindAllString(real, -1)
	if len(found) == 0 {
		return real
	}
	pattern := "^" + unknowable.ReplaceAllString(regexp.QuoteMeta(real), "([0-9A-Za-z_]+)") + "$"
	if like := regexp.MustCompile(pattern).FindStringSubmatch(example); like != nil {
		for i, f := range found {
			if _, bound := n.toExample[f]; !bound && n.toReal[like[i+1]] == "" {
				_ = n.Bind(f, like[i+1]) // neither is bound
			}
		}
	}
	return unknowable.ReplaceAllStringFunc(real, func(f string) string {
		if name, bound := n.toExample[f]; bound {
			return name
		}
		if !n.Invent {
			return f
		}
		name := n.invent(f)
		_ = n.Bind(f, name) // neither is bound
		return name
	})
}

// invent makes a name that no example has.
func (n *Names) invent(real string) string {
	kind := "cursor"
	if !strings.HasPrefix(real, "MT") {
		kind = kindOf.FindString(real)
	}
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s_%d", kind, i); !n.used[name] {
			n.used[name] = true
			return name
		}
	}
}

// time returns a real time as one of the story.
func (n *Names) time(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text)
	}
	if err != nil || at.Before(n.began.Add(-time.Hour)) {
		return text
	}
	told := n.story.Add(at.Sub(n.began).Round(15 * time.Minute)).UTC().Format("2006-01-02T15:04:05")
	suffix := text[len(told):]
	if strings.HasPrefix(suffix, ".") {
		suffix = strings.TrimLeft(suffix, ".0123456789")
	}
	return told + suffix
}
