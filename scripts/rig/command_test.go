package rig

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A command line", func() {
	It("runs commands on its database, and says all where one fails", func(ctx SpecContext) {
		shell := CommandLine{Binary: "/bin/sh", Database: "postgres://db"}
		out, err := shell.Run(ctx, "-c", `echo "$TOLLKEEPER_DATABASE_URL"; echo aside >&2`)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(out)).To(Equal("postgres://db\n"))

		out, err = shell.Run(ctx, "-c", "echo found; echo why >&2; exit 3")
		var exited *exec.ExitError
		Expect(errors.As(err, &exited)).To(BeTrue())
		Expect(exited.ExitCode()).To(Equal(3))
		Expect(err).To(MatchError(HaveSuffix("exit status 3\nfound\nwhy\n")))
		Expect(string(out)).To(Equal("found\n"))
	})

	It("makes a test account", func(ctx SpecContext) {
		binary := filepath.Join(GinkgoT().TempDir(), "tollkeeper")
		const script = `#!/bin/sh
test "$*" = "account create --name A name --mode test --json" && echo '{"id": "acct_1", "api_key": "tk_test_1"}'
`
		Expect(os.WriteFile(binary, []byte(script), 0o700)).To(Succeed())
		Expect(CommandLine{Binary: binary}.CreateTestAccount(ctx, "A name")).To(Equal(Account{ID: "acct_1", Key: "tk_test_1"}))
	})
})
