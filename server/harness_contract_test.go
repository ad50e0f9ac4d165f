package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/gen"
	"tollkeeper/server/contract"
)

// document is the contract that answers are held to.
var document = sync.OnceValue(func() *openapi3.T {
	d, err := gen.GetSpec()
	if err != nil {
		panic(err)
	}
	return d
})

// checkAnswer fails the spec unless the answer is one the contract allows, and
// notes what was exercised.
func checkAnswer(request *http.Request, r *answer) {
	GinkgoHelper()
	Expect(r.header.Get("X-Request-Id")).NotTo(BeEmpty(), r.asked)
	if r.status >= 400 {
		Expect(r.header.Get("Content-Type")).To(Equal("application/problem+json"), r.asked)
	}
	route := routeOf(request)
	if route == nil {
		Expect(r.status).To(BeElementOf(401, 404, 429), "%s is not in the contract", r.asked)
		return
	}
	Expect(route.Operation.Responses.Status(r.status)).NotTo(BeNil(), "%s: the contract does not list %d\n%s", r.asked, r.status, r.text)
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: route},
		Status:                 r.status,
		Header:                 r.header,
		Body:                   io.NopCloser(bytes.NewReader(r.text)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	Expect(err).NotTo(HaveOccurred(), "%s is not answered as the contract says\n%s", r.asked, r.text)
	Expect(contract.UnknownMembers(schemaOf(route.Operation, r), r.body().json)).To(BeEmpty(), "%s\n%s", r.asked, r.text)
	exercised(route.Operation.OperationID, r.status)
}

// schemaOf finds what the contract says about the body of an answer.
func schemaOf(op *openapi3.Operation, r *answer) *openapi3.Schema {
	response := op.Responses.Status(r.status)
	if response == nil {
		response = op.Responses.Default()
	}
	for _, media := range response.Value.Content {
		return media.Schema.Value
	}
	return openapi3.NewSchema()
}

var placeholder = regexp.MustCompile(`\{[^}]+\}`)

// template is a path of the contract, with what its URLs look like.
type template struct {
	text    string
	pattern *regexp.Regexp
	item    *openapi3.PathItem
}

// templates begin with those that have the fewest parameters.
var templates = sync.OnceValue(func() (all []template) {
	for text, item := range document().Paths.Map() {
		pattern := "^" + placeholder.ReplaceAllString(text, "[^/]+") + "$"
		all = append(all, template{text, regexp.MustCompile(pattern), item})
	}
	parameters := func(t template) int { return strings.Count(t.text, "{") }
	slices.SortFunc(all, func(a, b template) int { return parameters(a) - parameters(b) })
	return all
})

// routeOf finds the operation that a request means, nil outside the contract. Of
// several paths that match, the one with the fewest parameters is meant.
func routeOf(request *http.Request) *routers.Route {
	path := request.URL.EscapedPath()
	for _, t := range templates() {
		if op := t.item.GetOperation(request.Method); op != nil && t.pattern.MatchString(path) {
			return &routers.Route{Spec: document(), Path: t.text, PathItem: t.item, Method: request.Method, Operation: op}
		}
	}
	return nil
}

// entryName marks what was exercised in the report, which gathers it from all
// processes.
const entryName = "exercised"

var noted sync.Map

// outside is set by fuzz tests: they are no specs, and add nothing to the report.
var outside bool

func exercised(operation string, status int) {
	if outside {
		return
	}
	what := fmt.Sprintf("%s %d", operation, status)
	if _, known := noted.LoadOrStore(what, true); !known {
		AddReportEntry(entryName, what, ReportEntryVisibilityNever)
	}
}

// After a run of all specs, no operation of the contract may be left that none
// of them called. What else was never seen is listed.
var _ = ReportAfterSuite("the contract is exercised", func(report Report) {
	config := report.SuiteConfig
	if !report.SuiteSucceeded || report.SuiteHasProgrammaticFocus ||
		len(config.FocusStrings)+len(config.SkipStrings)+len(config.FocusFiles)+len(config.SkipFiles) > 0 || config.LabelFilter != "" {
		return
	}
	seen := map[string][]int{}
	for _, spec := range report.SpecReports {
		for _, entry := range spec.ReportEntries {
			if entry.Name == entryName {
				operation, status, _ := strings.Cut(entry.StringRepresentation(), " ")
				code, _ := strconv.Atoi(status)
				seen[operation] = append(seen[operation], code)
			}
		}
	}
	var never, unseen, unrefused []string
	for _, item := range document().Paths.Map() {
		for _, op := range item.Operations() {
			id := op.OperationID
			if len(seen[id]) == 0 {
				never = append(never, id)
				continue
			}
			for status := range op.Responses.Map() {
				if code, err := strconv.Atoi(status); err == nil && !slices.Contains(seen[id], code) {
					unseen = append(unseen, id+" "+status)
				}
			}
			if !slices.ContainsFunc(seen[id], func(code int) bool { return code >= 400 }) {
				unrefused = append(unrefused, id)
			}
		}
	}
	for title, names := range map[string][]string{"documented but never seen": unseen, "never refused": unrefused} {
		slices.Sort(names)
		if len(names) > 0 {
			fmt.Printf("\nContract, %s: %s\n", title, strings.Join(names, ", "))
		}
	}
	if slices.Sort(never); len(never) > 0 {
		Fail("no spec calls " + strings.Join(never, ", "))
	}
})
