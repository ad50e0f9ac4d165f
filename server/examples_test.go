package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/migration"
	"tollkeeper/server/examples"
	"tollkeeper/store"
)

// contractFile holds the examples.
const contractFile = "../openapi.yaml"

// storyStep is a part of the story of the examples: an operation whose example is sent and
// compared, or something else that happens.
type storyStep struct {
	op        string
	of        map[string]string // which of the examples of a parameter is sent, by the parameter
	query     []string          // optional parameters of the query that are sent
	ids       map[string]string // names of ids in the answer, by their place
	meanwhile func(t *teller)
}

// tell is a step whose example is sent and compared.
func tell(op string) storyStep { return storyStep{op: op} }

// meanwhile is a step that is no example.
func meanwhile(do func(t *teller)) storyStep { return storyStep{meanwhile: do} }

// as names ids of the answer: place, name, place, name.
func (s storyStep) as(pairs ...string) storyStep {
	s.ids = map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		s.ids[pair[0]] = pair[1]
	}
	return s
}

// with chooses an example of a parameter that has several.
func (s storyStep) with(parameter, example string) storyStep {
	s.of = maps.Clone(s.of)
	if s.of == nil {
		s.of = map[string]string{}
	}
	s.of[parameter] = example
	return s
}

// asking names the optional parameters of the query that are sent.
func (s storyStep) asking(query ...string) storyStep {
	s.query = query
	return s
}

// teller plays the story on an account, and gathers what is not as the examples say.
type teller struct {
	*api
	document *examples.Document
	names    *examples.Names
	ask      func(op *examples.Operation, path string, body any) *answer // sends an example
	told     []examples.Answered
	sent     map[string]bool // operations
	faults   []string        // steps that cannot be played
	others   []string        // answers that are not as the examples say
}

func newTeller(a *api, text []byte) *teller {
	GinkgoHelper()
	document, err := examples.Read(text)
	Expect(err).NotTo(HaveOccurred())
	t := &teller{
		api: a, document: document, sent: map[string]bool{},
		names: examples.NewNames(document, time.Now(), instant("2025-06-02T09:00:00Z")),
	}
	t.ask = func(op *examples.Operation, path string, body any) *answer {
		return t.send(op.Method, path, body, header{"X-Request-Id", "request-" + op.ID}) // which is in the audit log
	}
	return t
}

func (t *teller) play(story []storyStep) {
	GinkgoHelper()
	for _, s := range story {
		t.sendStep(s)
	}
	for _, op := range t.document.Operations {
		if !t.sent[op.ID] {
			t.fault(op.ID, "no step sends its example")
		}
	}
}

func (t *teller) sendStep(s storyStep) {
	GinkgoHelper()
	if s.meanwhile != nil {
		s.meanwhile(t)
	} else if op := t.document.Operation(s.op); op != nil {
		t.sendExample(op, s)
	} else {
		t.fault(s.op, "there is no such operation")
	}
}

func (t *teller) fault(op, what string) { t.faults = append(t.faults, op+": "+what) }

// sendExample sends the example of an operation and compares the answer.
func (t *teller) sendExample(op *examples.Operation, s storyStep) {
	GinkgoHelper()
	if t.sent[op.ID] {
		t.fault(op.ID, "two steps send it")
	}
	t.sent[op.ID] = true
	var body any
	if op.HasBody {
		if op.Body == nil {
			t.fault(op.ID, "the request has no example")
			return
		}
		body = t.names.Real(op.Body)
	}
	path, ok := t.path(op, s)
	if !ok {
		return
	}
	r := t.ask(op, path, body)
	if r.status != op.Status {
		t.fault(op.ID, fmt.Sprintf("is answered %d: %s", r.status, r.text))
		return
	}
	if !op.HasAnswer {
		return
	}
	answer := r.body()
	for place, name := range s.ids {
		id, _ := answer.find(place)
		if err := t.names.Bind(fmt.Sprint(id), name); err != nil {
			t.fault(op.ID, err.Error())
		}
	}
	example := t.document.Answer(op)
	told := t.names.Told(answer.json, example)
	t.told = append(t.told, examples.Answered{Operation: op, Answer: told})
	for _, difference := range examples.Differences(told, example) {
		t.others = append(t.others, op.ID+": answers "+difference)
	}
}

// path is the path and query of the example.
func (t *teller) path(op *examples.Operation, s storyStep) (string, bool) {
	path, query := op.Path, url.Values{}
	for _, p := range op.Parameters {
		if !p.Required && !slices.Contains(s.query, p.Name) {
			continue
		}
		k := slices.IndexFunc(p.Examples, func(e examples.Example) bool { return s.of[p.Name] == "" || e.Name == s.of[p.Name] })
		if k < 0 {
			t.fault(op.ID, fmt.Sprintf("parameter %s has no example %s", p.Name, s.of[p.Name]))
			return "", false
		}
		value := fmt.Sprint(t.names.Real(p.Examples[k].Value))
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		} else {
			query.Set(p.Name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, true
}

// do does something that is no example: a request with names of the story in its path and
// body. It names ids of the answer: place, name, place, name.
func (t *teller) do(method, path, body string, pairs ...string) {
	GinkgoHelper()
	t.doAs(nil, method, path, body, pairs...)
}

func (t *teller) doAs(headers []header, method, path, body string, pairs ...string) {
	GinkgoHelper()
	steps := strings.Split(path, "/")
	for i, step := range steps {
		steps[i] = t.names.Real(step).(string)
	}
	var sent any
	if body != "" {
		sent = t.names.Real(decoded(path, body).json)
	}
	r := t.api.send(method, strings.Join(steps, "/"), sent, headers...)
	if r.status >= 300 {
		t.fault(method+" "+path, fmt.Sprintf("is answered %d: %s", r.status, r.text))
		return
	}
	answer := r.body()
	for pair := range slices.Chunk(pairs, 2) {
		Expect(t.names.Bind(answer.text(pair[0]), pair[1])).To(Succeed())
	}
}

// webhookFixture is do with POST.
func (t *teller) post(path, body string, pairs ...string) {
	GinkgoHelper()
	t.do(http.MethodPost, path, body, pairs...)
}

// migration plans what the command line plans: that subscriptions of a plan go to a version.
func (t *teller) migration(plan string, to int, effective, name string) {
	GinkgoHelper()
	t.tx(func(tx *store.Tx) error {
		m, err := migration.Create(tx, migration.New{PlanID: t.names.Real(plan).(string), To: to, Effective: effective})
		if err != nil {
			return err
		}
		return t.names.Bind(m.ID, name)
	})
}

var _ = Describe("The examples of openapi.yaml", func() {
	It("are what is sent and answered in one story", func() {
		text, err := os.ReadFile(contractFile)
		Expect(err).NotTo(HaveOccurred())
		t := newTeller(start(), text)
		update := os.Getenv("SPEC_UPDATE") != ""
		t.names.Invent = update
		t.play(story())
		Expect(t.faults).To(BeEmpty())
		if !update {
			Expect(t.others).To(BeEmpty(), "SPEC_UPDATE=1 writes new answers into openapi.yaml")
			return
		}
		written, err := t.document.Write(t.told)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(contractFile, []byte(written), 0o644)).To(Succeed())
	})

	It("are not what is answered when one is changed, taken away or added", func() {
		text, err := os.ReadFile(contractFile)
		Expect(err).NotTo(HaveOccurred())
		changed := string(text)
		change := func(from, to string) {
			GinkgoHelper()
			Expect(strings.Count(changed, from)).To(BeNumerically(">=", 1), from)
			changed = strings.Replace(changed, from, to, 1)
		}
		change("      value: {response: pong}\n", "      value: {response: pang}\n")
		change("        name: Printed maps\n", "")
		change("                value: {name: Map tiles, metadata: {team: tiles}}\n", "                value: {name: Map tiles, metadata: {team: maps}}\n")
		change("components:\n", `  /v1/nothing:
    get:
      operationId: fetchNothing
      responses:
        "200": {description: Nothing.}
components:
`)
		t := newTeller(start(), []byte(changed))
		t.play(story())
		Expect(t.faults).To(HaveExactElements("fetchNothing: no step sends its example"))
		Expect(t.others).To(ContainElements(
			`ping: answers .response: "pong", the example says "pang"`,
			`archiveItem: answers .name: the example does not have it`,
			`createItem: answers .metadata.team: "maps", the example says "tiles"`,
		))
	})
})
