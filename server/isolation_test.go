package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/examples"
)

// made up ids and keys, as they stand in answers.
var madeUp = regexp.MustCompile(`\b[a-z]+(_[a-z]+)*_[0-9A-Za-z]{20}\b|\bline_[0-9A-Za-z_-]{20}`)

// crossing is a request of one account that names what belongs to another at one place.
type crossing struct {
	op           *examples.Operation
	place        string // path id, query customer_id, body prices[0].item_id; "" for a request without
	path, stolen string
	body         any
	inPath       bool
	within       bool // a part of something of ours, whose state may refuse the request first
}

// crossings are all requests that the contract's examples make when ours sends one id of theirs,
// at each place that bears an id, and those that ours sends without.
func crossings(ours, theirs *teller) (all []crossing) {
	// What a parameter is called says what it names, so one without an example has that of another.
	examplesOf := map[string]any{}
	for _, op := range ours.document.Operations {
		for _, p := range op.Parameters {
			if len(p.Examples) > 0 {
				examplesOf[strings.TrimSuffix(p.Name, "[]")] = p.Examples[0].Value
			}
		}
	}
	for _, op := range ours.document.Operations {
		path, query := op.Path, url.Values{}
		for _, p := range op.Parameters {
			if value := fmt.Sprint(ours.names.Real(examplesOf[p.Name])); p.In == "path" {
				path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
			} else if p.Required {
				query.Set(p.Name, value)
			}
		}
		plain := crossing{op: op, path: path + "?" + query.Encode(), body: ours.names.Real(op.Body)}
		if op.Method == http.MethodGet {
			all = append(all, plain)
		}
		for _, p := range op.Parameters {
			example := examplesOf[strings.TrimSuffix(p.Name, "[]")]
			stolen, foreign := stolenAt(ours, theirs, example)
			if !foreign {
				continue
			}
			other := plain
			other.place, other.stolen = p.In+" "+p.Name, stolen
			if other.inPath = p.In == "path"; other.inPath {
				mine := url.PathEscape(fmt.Sprint(ours.names.Real(example)))
				other.within = !strings.HasPrefix(op.Path[strings.IndexByte(op.Path, '{')+1:], p.Name)
				other.path = strings.Replace(plain.path, "/"+mine, "/"+url.PathEscape(stolen), 1)
			} else {
				with := url.Values{p.Name: {stolen}}
				for name, values := range query {
					if name != p.Name {
						with[name] = values
					}
				}
				other.path = path + "?" + with.Encode()
			}
			all = append(all, other)
		}
		eachText("", op.Body, func(place string, text string) {
			if stolen, foreign := stolenAt(ours, theirs, text); foreign {
				other := plain
				other.place, other.stolen = "body "+place, stolen
				other.body = ours.names.Real(replaceAt("", op.Body, place, stolen))
				all = append(all, other)
			}
		})
		for _, name := range unusedIDs(op) {
			if stolen, foreign := stolenAt(ours, theirs, examplesOf[name]); foreign {
				other := plain
				other.place, other.stolen = "body ."+name, stolen
				body := maps.Clone(plain.body.(object))
				body[name] = stolen
				other.body = body
				all = append(all, other)
			}
		}
	}
	return all
}

// unusedIDs are the members of the body of an operation that name something and are not in its example.
func unusedIDs(op *examples.Operation) (names []string) {
	example, ok := op.Body.(object)
	if !ok {
		return nil
	}
	operation := document().Paths.Value(op.Path).GetOperation(op.Method)
	schema := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if _, used := example[name]; !used && strings.HasSuffix(name, "_id") {
			names = append(names, name)
		}
	}
	return names
}

// stolenAt is what an example's value means to the other account, if that is another id.
func stolenAt(ours, theirs *teller, example any) (string, bool) {
	mine, isText := ours.names.Real(example).(string)
	stolen, _ := theirs.names.Real(example).(string)
	return stolen, isText && mine != stolen && madeUp.MatchString(stolen)
}

// eachText calls do for every text of a JSON value, with its place.
func eachText(place string, v any, do func(place, text string)) {
	switch v := v.(type) {
	case string:
		do(place, v)
	case object:
		for name, member := range v {
			eachText(place+"."+name, member, do)
		}
	case list:
		for i, entry := range v {
			eachText(fmt.Sprintf("%s[%d]", place, i), entry, do)
		}
	}
}

// replaceAt returns a copy of a value that has a text at a place.
func replaceAt(place string, v any, at, text string) any {
	switch v := v.(type) {
	case string:
		if place == at {
			return text
		}
	case object:
		changed := object{}
		for name, member := range v {
			changed[name] = replaceAt(place+"."+name, member, at, text)
		}
		return changed
	case list:
		changed := make(list, len(v))
		for i, entry := range v {
			changed[i] = replaceAt(fmt.Sprintf("%s[%d]", place, i), entry, at, text)
		}
		return changed
	}
	return v
}

// leaks sends a request as ours and returns what it tells of theirs.
func (c crossing) leaks(ours *api, theirs map[string]bool) (found string) {
	GinkgoHelper()
	var body any
	if c.op.HasBody {
		body = c.body
	}
	r := ours.send(c.op.Method, c.path, body)
	said := fmt.Sprintf("%s, %s: answers %d", c.op.ID, c.place, r.status)
	for _, id := range madeUp.FindAllString(string(r.text), -1) {
		if theirs[id] && id != c.stolen {
			return said + " with " + id
		}
	}
	switch {
	case r.status >= 500:
		return said
	case c.within && r.status == http.StatusBadRequest && strings.Contains(string(r.text), "#400-constraint-violation"):
		return ""
	case c.inPath && r.status != http.StatusNotFound:
		return said + ", not 404: " + string(r.text)
	case r.status < 300 && c.op.Method != http.MethodGet && c.place != "":
		return said + ": " + string(r.text)
	case r.status < 300 && strings.HasPrefix(c.place, "query"):
		if data, isPage := r.body().find("data"); !isPage || len(data.(list)) > 0 {
			return said + ": " + string(r.text)
		}
	}
	return ""
}

var _ = Describe("Two accounts", func() {
	told := func(text []byte) *teller {
		GinkgoHelper()
		t := newTeller(start(), text)
		t.play(story())
		Expect(t.faults).To(BeEmpty())
		return t
	}
	// idsOf are the ids in the rows of an account.
	idsOf := func(a *api) (rows []string, ids map[string]bool) {
		GinkgoHelper()
		rows = fixture{api: a}.rows()
		ids = map[string]bool{}
		for _, id := range madeUp.FindAllString(strings.Join(rows, "\n"), -1) {
			ids[id] = true
		}
		return rows, ids
	}

	It("neither see nor change anything of each other, at any place of any operation that takes an id", func() {
		text, err := os.ReadFile(contractFile)
		Expect(err).NotTo(HaveOccurred())
		theirs, ours := told(text), told(text)
		before, ids := idsOf(theirs.api)
		sent := crossings(ours, theirs)
		leaks := func(from *api) (found []string, places int) {
			GinkgoHelper()
			for _, c := range sent {
				if c.place != "" {
					places++
				}
				if leak := c.leaks(from, ids); leak != "" {
					found = append(found, leak)
				}
			}
			return found, places
		}
		found, places := leaks(ours.api)
		Expect(found).To(BeEmpty())
		after, _ := idsOf(theirs.api)
		Expect(after).To(Equal(before))
		Expect(places).To(BeNumerically(">=", 150))
		AddReportEntry("isolation", fmt.Sprintf("%d requests, %d places with an id of the other account", len(sent), places))

		By("sending the same from the account whose ids they are, which shows that an answer would be found out")
		*theirs.spoiled = true
		found, _ = leaks(theirs.api)
		Expect(len(found)).To(BeNumerically(">", 80))
	})
})
