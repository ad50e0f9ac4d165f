package main

import (
	"context"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

var _ = Describe("compose.yaml", func() {
	It("serves with a login that owns nothing, and migrates with the owner's", func() {
		ctx := context.Background()
		text, err := os.ReadFile("../../../deploy/compose.yaml")
		Expect(err).NotTo(HaveOccurred())
		written := string(text)
		for _, variable := range []string{"TOLLKEEPER_IMAGE", "POSTGRES_PASSWORD", "SERVER_PASSWORD"} {
			before, after, found := strings.Cut(written, "${"+variable+":?")
			for ; found; before, after, found = strings.Cut(written, "${"+variable+":?") {
				_, rest, _ := strings.Cut(after, "}")
				written = before + "word-of-" + strings.ToLower(variable) + rest
			}
		}
		Expect(written).NotTo(ContainSubstring("${"))
		var file struct {
			Services map[string]struct {
				Image       string
				Environment map[string]string
				Configs     []struct{ Source, Target string }
				ReadOnly    bool `yaml:"read_only"`
				Tmpfs       []string
			}
			Configs  map[string]struct{ Content string }
			Networks map[string]struct {
				IPAM struct{ Config []struct{ Subnet string } } `yaml:"ipam"`
			}
		}
		Expect(yaml.Unmarshal([]byte(written), &file)).To(Succeed())
		Expect(file.Services["postgres"].Image).To(MatchRegexp(`^postgres:17\.\d+-\w+$`), "another minor version or system comes by a change of the file alone")
		settings := file.Services["tollkeeper"].Environment
		for name := range settings {
			Expect(slices.Contains(settingNames(), name)).To(BeTrue(), name)
		}

		Expect(file.Services["tollkeeper"].ReadOnly).To(BeTrue())
		Expect(file.Services["tollkeeper"].Tmpfs).To(HaveExactElements(MatchRegexp(`^/tmp:size=\d+g,mode=1777$`)), "a bounded place for temporary files, where they are by default")

		Expect(file.Networks["default"].IPAM.Config).To(HaveLen(1))
		Expect(settings["TOLLKEEPER_TRUSTED_PROXIES"]).To(Equal(file.Networks["default"].IPAM.Config[0].Subnet), "from where a proxy on the machine comes")

		By("making the database as its container does")
		c := roleCluster(18)
		beginning := file.Services["postgres"].Environment
		administer(c, `CREATE ROLE `+beginning["POSTGRES_USER"]+` SUPERUSER LOGIN PASSWORD '`+beginning["POSTGRES_PASSWORD"]+`'`)
		administer(c, `CREATE DATABASE `+beginning["POSTGRES_DB"]+` OWNER `+beginning["POSTGRES_USER"])
		Expect(file.Services["postgres"].Configs).To(HaveLen(1))
		initial := file.Services["postgres"].Configs[0]
		Expect(initial.Target).To(MatchRegexp(`^/docker-entrypoint-initdb\.d/.*\.sql$`))
		administer(c, file.Configs[initial.Source].Content)
		here := func(setting string) string {
			GinkgoHelper()
			there, err := url.Parse(settings[setting])
			Expect(err).NotTo(HaveOccurred())
			local, err := url.Parse(c.URL(strings.TrimPrefix(there.Path, "/")))
			Expect(err).NotTo(HaveOccurred())
			local.User = there.User
			return local.String()
		}
		set("TOLLKEEPER_MIGRATE_URL", here("TOLLKEEPER_MIGRATE_URL"))
		s := serveDatabase(here("TOLLKEEPER_DATABASE_URL"), drillKey)
		s.sell()
		Eventually(loginsOf).WithArguments(here("TOLLKEEPER_MIGRATE_URL")).Should(Equal([]string{"tollkeeper_server"}))
		Expect(doctored()).To(MatchRegexp(`login\s+tollkeeper_server owns nothing`))

		By("giving the login of the server the password of its URL")
		admin, err := pgx.Connect(ctx, c.URL("postgres"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(admin.Close, ctx)
		var has bool
		Expect(admin.QueryRow(ctx, "SELECT rolpassword IS NOT NULL AND NOT rolinherit FROM pg_authid WHERE rolname = 'tollkeeper_server'").Scan(&has)).To(Succeed())
		Expect(has).To(BeTrue())
	})
})
