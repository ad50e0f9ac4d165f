package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"go.yaml.in/yaml/v3"
)

var _ = Describe("TOLLKEEPER_ADMIN_ADDR", func() {
	DescribeTable("is refused where it is the public address, by serve and by doctor",
		func(public, admin string, refused bool) {
			env := environment{Addr: public, AdminAddr: admin, DatabaseURL: "postgres://127.0.0.1:1/none"}
			_, err := env.listen()
			found := examineAdminAddr(env)
			Expect(found.Wrong).To(Equal(refused))
			if !refused {
				Expect(env.checkAdminAddr()).To(Succeed())
				return
			}
			Expect(err).To(MatchError("TOLLKEEPER_ADMIN_ADDR: is the address of TOLLKEEPER_ADDR (" + public + "); give it another port, such as " +
				regexp.MustCompile(`:\d+$`).ReplaceAllString(admin, ":9090")))
			Expect(found.Found).To(Equal(err.Error()))
		},
		Entry("the same", "127.0.0.1:8080", "127.0.0.1:8080", true),
		Entry("another name of it", "127.0.0.1:8080", "localhost:8080", true),
		Entry("a part of all addresses", "0.0.0.0:8080", "127.0.0.1:8080", true),
		Entry("all addresses, of which it is one", "127.0.0.1:8080", ":8080", true),
		Entry("all of both versions", "0.0.0.0:8080", "[::]:8080", true),
		Entry("another port", "127.0.0.1:8080", "127.0.0.1:9090", false),
		Entry("another address of the machine", "192.0.2.1:8080", "192.0.2.2:8080", false),
		Entry("ports that the system chooses", "127.0.0.1:0", "127.0.0.1:0", false),
		Entry("none", "127.0.0.1:8080", "", false),
	)

	It("says what is wrong with it, and that it is taken", func() {
		Expect(environment{Addr: "127.0.0.1:0", AdminAddr: "9090"}.checkAdminAddr()).To(MatchError(HavePrefix("TOLLKEEPER_ADMIN_ADDR: ")))
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(taken.Close)
		_, err = environment{Addr: "127.0.0.1:0", AdminAddr: taken.Addr().String()}.listen()
		Expect(err).To(MatchError("something serves at " + taken.Addr().String() + " already: stop it, or set TOLLKEEPER_ADMIN_ADDR to another address"))
	})

	It("has /metrics and /readyz?deep, which are then not at the public address", func() {
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", GinkgoT().TempDir())
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_ADMIN_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		ctx, stop := context.WithCancel(context.Background())
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(ctx, []string{"serve"}, out) }()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		})
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`/metrics and /readyz\?deep are at http://\S+`))
		text := string(out.Contents())
		public := regexp.MustCompile(`answers at (http://\S+)`).FindStringSubmatch(text)[1]
		admin := regexp.MustCompile(`deep are at (http://\S+)`).FindStringSubmatch(text)[1]
		status := func(url string) (int, string) {
			GinkgoHelper()
			response, err := http.Get(url)
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			return response.StatusCode, string(body)
		}
		for path, statuses := range map[string][2]int{"/metrics": {404, 200}, "/readyz?deep": {404, 200}, "/readyz": {200, 200}, "/healthz": {200, 200}, "/v1/ping": {401, 404}} {
			at, _ := status(public + path)
			apart, _ := status(admin + path)
			Expect([2]int{at, apart}).To(Equal(statuses), path)
		}
		_, shown := status(admin + "/metrics")
		Expect(shown).To(ContainSubstring("tollkeeper_postgres_restarts_total 0"))
	})

	It("is told by doctor", func() {
		set("TOLLKEEPER_DATABASE_URL", "postgres://127.0.0.1:1/none")
		set("TOLLKEEPER_ADDR", "127.0.0.1:8080")
		Expect(doctored()).To(MatchRegexp(`admin address\s+none: /metrics and /readyz\?deep are at the address, for all who reach it`))
		set("TOLLKEEPER_ADMIN_ADDR", "127.0.0.1:9090")
		Expect(doctored()).To(MatchRegexp(`admin address\s+127.0.0.1:9090, for /metrics and /readyz\?deep`))
		set("TOLLKEEPER_ADMIN_ADDR", "127.0.0.1:8080")
		Expect(doctored()).To(MatchRegexp(`admin address\s+WRONG: TOLLKEEPER_ADMIN_ADDR: is the address of TOLLKEEPER_ADDR`))
	})

	It("is set in compose.yaml, and not published there", func() {
		text, err := os.ReadFile("../../../deploy/compose.yaml")
		Expect(err).NotTo(HaveOccurred())
		var file struct {
			Services map[string]struct {
				Environment map[string]string
				Ports       []string
			}
		}
		Expect(yaml.Unmarshal(text, &file)).To(Succeed())
		_, port, err := net.SplitHostPort(file.Services["tollkeeper"].Environment["TOLLKEEPER_ADMIN_ADDR"])
		Expect(err).NotTo(HaveOccurred())
		for _, published := range file.Services["tollkeeper"].Ports {
			Expect(published).NotTo(HaveSuffix(":" + port))
		}
		chart, err := os.ReadFile("../../../deploy/helm/values.yaml")
		Expect(err).NotTo(HaveOccurred())
		Expect(bytes.Contains(chart, []byte(`prometheus.io/port: "`+port+`"`))).To(BeTrue())
	})
})
