package server_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/server/console"
	"tollkeeper/server/contract"
)

// rolesFile is the table of what each role sees and may do. SPEC_UPDATE=1 writes it.
const rolesFile = "console/ROLES.md"

// pagePatterns are the patterns of the pages of an account, and one address of each that has
// parameters, among those that somebody found.
func pagePatterns(found map[string]shown) (patterns []string, address map[string]string) {
	e := echo.New()
	console.Mount(e, console.Config{Document: contract.Load().Document})
	address = map[string]string{}
	for path := range found {
		at := e.NewContext(nil, nil)
		e.Router().Find(http.MethodGet, strings.SplitN(path, "?", 2)[0], at)
		if known, ok := address[at.Path()]; !ok || path < known {
			address[at.Path()] = path
		}
	}
	for _, route := range e.Routes() {
		if route.Method == http.MethodGet && address[route.Path] != "" && route.Path != "/console/do/:operation" {
			patterns = append(patterns, route.Path)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns), address
}

var _ = Describe("What each role sees and may do in the console", func() {
	// The rule: semantics 21.2.1.
	It("is what the table says", func() {
		s, _ := filled()
		desks := map[user.Role]desk{}
		for _, role := range user.Roles {
			desks[role] = s.desk(role)
		}
		may := func(method, path string) string {
			row := ""
			for _, role := range user.Roles {
				form := url.Values{}
				if method == http.MethodGet {
					form = nil
				}
				switch status := desks[role].send(method, path, form).status; status {
				case http.StatusOK:
					row += " yes |"
				case http.StatusNotFound:
					row += " – |"
				default:
					Fail(fmt.Sprintf("%s asks for %s: %d", role, path, status))
				}
			}
			return row
		}
		table := "# What each role sees and may do\n\nA spec asks for every page and every form with every role and writes this table: `SPEC_UPDATE=1 go test ./server\n" +
			"-ginkgo.focus='each role'`. What a role may not do is not shown, and its address answers 404.\n"
		head := "|"
		for _, role := range user.Roles {
			head += " " + role.Title() + " |"
		}
		rule := "\n|---|" + strings.Repeat("---|", len(user.Roles)) + "\n"
		patterns, address := pagePatterns(desks[user.RoleOwner].walk())
		table += "\n## Pages\n\n| page " + head + rule
		for _, pattern := range patterns {
			table += "| `" + pattern + "` |" + may(http.MethodGet, address[pattern]) + "\n"
		}
		table += "\n## Forms\n\n| operation " + head + rule
		for _, operation := range slices.Sorted(maps.Keys(writing())) {
			table += "| `" + operation + "` |" + may(http.MethodGet, "/console/do/"+operation) + "\n"
		}

		if os.Getenv("SPEC_UPDATE") != "" {
			Expect(os.WriteFile(rolesFile, []byte(table), 0o600)).To(Succeed())
		}
		kept, err := os.ReadFile(rolesFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(table).To(Equal(string(kept)))
	})

	It("is decided again when a form is sent", func() {
		s, buyer := filled()
		for _, role := range user.Roles {
			d := s.desk(role)
			for operation := range writing() {
				if d.send(http.MethodGet, "/console/do/"+operation, nil).status == http.StatusNotFound {
					refused := d.submit("/console/do/"+operation, url.Values{"customer_id": {buyer}, "param.customer_id": {buyer}, "name": {"Changed"}})
					Expect(refused.status).To(Equal(http.StatusNotFound), "%s sends %s", role, operation)
				}
			}
		}
		Expect(s.get("/v1/customers/" + buyer).expect(200).at("name")).To(Equal(hostile))
	})

	// The rule: semantics 21.2.2.
	It("is nothing for a person who is removed while the body of the request is under way", func() {
		a := newFixture("2025-01-01T00:00:00Z")
		removed := a.desk(user.RoleOwner)
		body, writer := io.Pipe()
		request, err := http.NewRequest(http.MethodPost, removed.url+"/console/do/createAPIKey", body)
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Cookie", removed.cookie)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-CSRF-Token", user.FormToken(strings.TrimPrefix(removed.cookie, "tollkeeper_session=")))
		answers := make(chan *http.Response, 1)
		go func() {
			defer GinkgoRecover()
			answer, err := removed.client.Do(request)
			Expect(err).NotTo(HaveOccurred())
			answers <- answer
		}()
		_, err = writer.Write([]byte("name=La"))
		Expect(err).NotTo(HaveOccurred())
		Consistently(answers, 300*time.Millisecond).ShouldNot(Receive())
		a.owner("DELETE FROM memberships WHERE person_id = '" + removed.person + "'")
		_, err = writer.Write([]byte("te"))
		Expect(err).NotTo(HaveOccurred())
		Expect(writer.Close()).To(Succeed())
		var answer *http.Response
		Eventually(answers, onBusyMachine).Should(Receive(&answer))
		Expect(answer.Body.Close()).To(Succeed())
		Expect(answer.StatusCode).To(Equal(http.StatusSeeOther))
		Expect(a.get("/v1/api_keys").expect(200).each("data", "name")).NotTo(ContainElement("Late"))
	})

	It("is nothing without a session", func() {
		s, buyer := filled()
		stranger := desk{s.api, "", s.desk(user.RoleReader).client, ""}
		patterns, address := pagePatterns(s.desk(user.RoleOwner).walk())
		Expect(len(patterns)).To(BeNumerically(">", 35))
		for _, pattern := range patterns {
			answer := stranger.send(http.MethodGet, address[pattern], nil)
			Expect(answer.status).To(Equal(http.StatusSeeOther), pattern)
			Expect(answer.header.Get("Location")).To(HavePrefix("/console/login"), pattern)
			Expect(answer.html).NotTo(ContainSubstring(buyer))
		}
	})
})

// writing are the operations that have forms.
func writing() map[string]bool {
	all := map[string]bool{}
	for _, item := range contract.Load().Document.Paths.Map() {
		for method, operation := range item.Operations() {
			if method != http.MethodGet && method != http.MethodHead {
				all[operation.OperationID] = true
			}
		}
	}
	return all
}
