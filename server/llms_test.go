package server_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// operationName is an operation's name in openapi.yaml. The generator makes Go names of them.
func operationName(op *openapi3.Operation) string {
	return strings.ToLower(op.OperationID[:1]) + op.OperationID[1:]
}

var _ = Describe("The documentation for programs that read text", func() {
	read := func(api *api, path string) string {
		GinkgoHelper()
		answer := api.get(path, header{"Authorization", ""})
		Expect(answer.status).To(Equal(http.StatusOK), path)
		Expect(answer.header.Get("Content-Type")).To(Or(HavePrefix("text/"), Equal("application/yaml")), path)
		return string(answer.text)
	}

	It("lists each guide and each operation once, with links that lead to them on this server", func() {
		api := start()
		list := read(api, "/llms.txt")
		Expect(list).To(HavePrefix("# Tollkeeper\n\n> "))
		files, err := os.ReadDir("../docs")
		Expect(err).NotTo(HaveOccurred())
		for _, file := range files {
			if name, isGuide := strings.CutSuffix(file.Name(), ".md"); isGuide {
				Expect(strings.Count(list, "(/docs/guides/"+name+".md)")).To(Equal(1), name)
				text, err := os.ReadFile("../docs/" + file.Name())
				Expect(err).NotTo(HaveOccurred())
				Expect(read(api, "/docs/guides/"+name+".md")).To(Equal(string(text)))
			}
		}
		for path, item := range document().Paths.Map() {
			for method, op := range item.Operations() {
				Expect(list).To(ContainSubstring("- ["+operationName(op)+"](/docs/operations/"+operationName(op)+".md): `"+method+" "+path+"`. "), operationName(op))
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(list, -1) {
			Expect(read(api, link[1])).NotTo(BeEmpty())
		}
		Expect(list).NotTo(ContainSubstring("..\n"))
	})

	It("has all of it in one file: each operation with its parameters, and each schema with its members", func() {
		api := start()
		full := read(api, "/llms-full.txt")
		contract := document()
		for _, item := range contract.Paths.Map() {
			for _, op := range item.Operations() {
				text := read(api, "/docs/operations/"+operationName(op)+".md")
				Expect(full).To(ContainSubstring(text))
				Expect(text).To(And(HavePrefix("# "+op.Summary+"\n"), ContainSubstring(strings.TrimSpace(op.Description))))
				for _, p := range op.Parameters {
					Expect(text).To(ContainSubstring("- `"+p.Value.Name+"` ("+p.Value.In+", "), operationName(op))
				}
				if scope, _ := op.Extensions["x-scope"].(string); scope != "" {
					Expect(text).To(ContainSubstring("the scope `" + scope + "`"))
				}
			}
		}
		for name, schema := range contract.Components.Schemas {
			text := read(api, "/docs/schemas/"+name+".md")
			Expect(full).To(ContainSubstring(text))
			for member := range schema.Value.Properties {
				Expect(text).To(ContainSubstring("- `"+member+"` ("), name)
			}
		}
		for _, link := range regexp.MustCompile(`\]\((/docs/schemas/[^)]+)\)`).FindAllStringSubmatch(full, -1) {
			Expect(contract.Components.Schemas).To(HaveKey(strings.TrimSuffix(strings.TrimPrefix(link[1], "/docs/schemas/"), ".md")))
		}
	})

	It("is sent once to a client that keeps it, and answers 404 for what is not there", func() {
		api := start()
		tag := api.get("/llms.txt").header.Get("ETag")
		Expect(tag).NotTo(BeEmpty())
		Expect(api.get("/llms.txt", header{"If-None-Match", tag}).status).To(Equal(http.StatusNotModified))
		for _, path := range []string{"/docs/operations/none.md", "/docs/schemas/none.md", "/docs/guides/none.md", "/docs/operations/createItem"} {
			Expect(api.get(path).status).To(Equal(http.StatusNotFound), path)
		}
	})
})
