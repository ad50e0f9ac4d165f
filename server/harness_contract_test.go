package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// noted is which statuses of which operations this process has seen.
var noted sync.Map

// outside is set by fuzz tests: they are no specs, and add nothing to what was seen.
var outside bool

func exercised(operation string, status int) {
	if !outside {
		noted.Store(fmt.Sprintf("%s %d", operation, status), true)
	}
}

// Each process leaves what it has seen in a file of the folder SPEC_EXERCISED. When all suites have ended,
// scripts/specs refuses a contract with operations that none of them called.
var _ = AfterSuite(func() {
	dir := os.Getenv("SPEC_EXERCISED")
	if dir == "" {
		return
	}
	var lines []string
	noted.Range(func(line, _ any) bool {
		lines = append(lines, line.(string)+"\n")
		return true
	})
	slices.Sort(lines)
	path := filepath.Join(dir, fmt.Sprintf("server-%d", os.Getpid()))
	Expect(os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600)).To(Succeed())
})
