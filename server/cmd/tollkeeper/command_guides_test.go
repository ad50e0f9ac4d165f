package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// Guides whose blocks are commands for an account that is there: they have its id as acct_...
var _ = Describe("The guides to commands", func() {
	It("do what they say, on a server with one account", func(ctx SpecContext) {
		dir, err := os.MkdirTemp("", "tkc-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		serving, stop := context.WithCancel(context.Background())
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(serving, []string{"serve"}, out) }()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		})
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`answers at `))
		account := regexp.MustCompile(`acct_\w+`).FindString(string(out.Contents()))
		Expect(account).NotTo(BeEmpty())

		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		programs := GinkgoT().TempDir()
		Expect(os.Symlink(test, filepath.Join(programs, itself))).To(Succeed())
		set("PATH", programs+":"+os.Getenv("PATH"))
		follow := func(guide string) string {
			GinkgoHelper()
			var printed bytes.Buffer
			all := blocks(filepath.Join("../../../docs", guide))
			Expect(all).NotTo(BeEmpty())
			for _, s := range all {
				bash := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(s.commands, "acct_...", account))
				bash.Dir, bash.Stdout, bash.Stderr = programs, &printed, &printed
				Expect(bash.Run()).To(Succeed(), "%s\n%s", s.commands, &printed)
			}
			return printed.String()
		}

		follow("mail.md")
		var settings bytes.Buffer
		Expect(run(ctx, []string{"account", "list", "--json"}, &settings)).To(Succeed())
		Expect(settings.String()).To(And(ContainSubstring("billing@acme.example"), MatchRegexp(`-3,\s*1,\s*7`), ContainSubstring("ann@acme.example")))

		Expect(follow("reports.md")).To(ContainSubstring("ann"))
		invoices, err := os.ReadFile(filepath.Join(programs, "invoices.csv"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(invoices)).To(HavePrefix("invoice_id,"))
		lines, err := os.ReadFile(filepath.Join(programs, "lines.xlsx"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(lines)).To(HavePrefix("PK"))
	})
})
