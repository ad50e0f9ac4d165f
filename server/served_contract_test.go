package server_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("the contract that is served", func() {
	DescribeTable("is a valid document without a key, and is sent once to a client that keeps it",
		func(path, kind string) {
			api := start()
			first := api.send(http.MethodGet, path, nil, header{"Authorization", ""})
			Expect(first.status).To(Equal(http.StatusOK))
			Expect(first.header.Get("Content-Type")).To(Equal(kind))
			served, err := openapi3.NewLoader().LoadFromData(first.text)
			Expect(err).NotTo(HaveOccurred())
			Expect(served.Paths.Len()).To(Equal(document().Paths.Len()))

			tag := first.header.Get("ETag")
			Expect(tag).NotTo(BeEmpty())
			again := api.send(http.MethodGet, path, nil, header{"Authorization", ""}, header{"If-None-Match", tag})
			Expect(again.status).To(Equal(http.StatusNotModified))
			Expect(again.text).To(BeEmpty())
			Expect(api.send(http.MethodGet, path, nil, header{"If-None-Match", `"other"`}).status).To(Equal(http.StatusOK))
		},
		Entry("as YAML", "/openapi.yaml", "application/yaml"),
		Entry("as JSON", "/openapi.json", "application/json"),
	)

	It("is openapi.yaml byte for byte, but for its version, which is that of the release", func() {
		written, err := os.ReadFile("../openapi.yaml")
		Expect(err).NotTo(HaveOccurred())
		api := start()
		served := string(api.get("/openapi.yaml").text)
		Expect(served).To(ContainSubstring("  version: \"development\"\n"))
		Expect(served).To(Equal(regexp.MustCompile(`(?m)^  version: .*$`).ReplaceAllString(string(written), `  version: "development"`)))
		Expect(string(api.get("/openapi.json").text)).To(ContainSubstring(`"version":"development"`))
	})
})

var _ = Describe("the page of the contract", func() {
	It("loads its program and this contract, and may call nothing but this server", func() {
		api := start()
		page := api.get("/docs", header{"Authorization", ""})
		Expect(page.header.Get("Content-Security-Policy")).To(And(ContainSubstring("default-src 'none'"), ContainSubstring("connect-src 'self'")))
		sources := regexp.MustCompile(`src="([^"]+)"`).FindAllStringSubmatch(string(page.text), -1)
		Expect(sources).To(HaveLen(2))
		for _, source := range sources {
			script := api.get("/"+source[1], header{"Authorization", ""})
			Expect(script.status).To(Equal(http.StatusOK), source[1])
			Expect(script.header.Get("Content-Type")).To(HavePrefix("application/javascript"))
			Expect(string(script.text)).To(ContainSubstring("Scalar"))
			again := api.get("/"+source[1], header{"Authorization", ""}, header{"If-None-Match", script.header.Get("ETag")})
			Expect(again.status).To(Equal(http.StatusNotModified))
		}
	})

	It("gets its program compressed, or not where the client cannot read that", func() {
		api := start()
		const path = "/docs/scalar.js"
		compressed := api.get(path, header{"Accept-Encoding", "gzip"})
		Expect(compressed.header.Get("Content-Encoding")).To(Equal("gzip"))
		Expect(len(compressed.text)).To(BeNumerically("<", 1_200_000))
		plain := api.get(path, header{"Accept-Encoding", "identity"})
		Expect(plain.header.Get("Content-Encoding")).To(BeEmpty())
		Expect(len(plain.text)).To(BeNumerically(">", 3_000_000))
	})
})

var _ = Describe("the guides", func() {
	It("are those of the repository, linked from the page of the contract, and load nothing from elsewhere", func() {
		api := start()
		read := func(path string) string {
			GinkgoHelper()
			page := api.get(path, header{"Authorization", ""})
			Expect(page.status).To(Equal(http.StatusOK), path)
			if !strings.HasSuffix(path, ".css") && path != "/docs" {
				Expect(page.header.Get("Content-Type")).To(HavePrefix("text/html"))
				Expect(page.header.Get("Content-Security-Policy")).To(And(ContainSubstring("default-src 'none'"), ContainSubstring("style-src 'self';")))
			}
			return string(page.text)
		}
		references := regexp.MustCompile(`(?:href|src)="([^"#]+)"`)
		follow := func(from string) (found []string) {
			GinkgoHelper()
			base, err := url.Parse(from)
			Expect(err).NotTo(HaveOccurred())
			for _, reference := range references.FindAllStringSubmatch(read(from), -1) {
				to, err := base.Parse(reference[1])
				Expect(err).NotTo(HaveOccurred())
				if to.Scheme != "data" && to.Host == "" {
					found = append(found, to.Path)
				}
			}
			return found
		}
		Expect(follow("/docs")).To(ContainElement("/docs/guides"))
		Expect(read("/docs")).NotTo(MatchRegexp(`(href|src)="https?:`))

		files, err := os.ReadDir("../docs")
		Expect(err).NotTo(HaveOccurred())
		list := follow("/docs/guides")
		written := 0
		for _, file := range files {
			name, isGuide := strings.CutSuffix(file.Name(), ".md")
			if !isGuide {
				continue
			}
			written++
			path := "/docs/guides/" + name
			Expect(list).To(ContainElement(path))
			text, err := os.ReadFile("../docs/" + file.Name())
			Expect(err).NotTo(HaveOccurred())
			title := strings.TrimPrefix(strings.SplitN(string(text), "\n", 2)[0], "# ")
			Expect(read(path)).To(And(ContainSubstring(">"+title+"</h1>"), Not(ContainSubstring(`.md"`)),
				Not(ContainSubstring("<script")), Not(ContainSubstring("style="))))
			Expect(strings.Contains(read(path), `<pre><code class="language-`)).To(Equal(strings.Contains(string(text), "```")), path)
			for _, to := range follow(path) {
				Expect(api.get(to, header{"Authorization", ""}).status).To(Equal(http.StatusOK), "%s in %s", to, path)
			}
		}
		Expect(written).To(BeNumerically(">=", 7))
		Expect(api.get("/docs/guides/none", header{"Authorization", ""}).status).To(Equal(http.StatusNotFound))
	})

	It("are sent once to a client that keeps them", func() {
		api := start()
		tag := api.get("/docs/guides/keys").header.Get("ETag")
		Expect(api.get("/docs/guides/keys", header{"If-None-Match", tag}).status).To(Equal(http.StatusNotModified))
	})
})
