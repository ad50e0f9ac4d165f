package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPlayed(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/played")
}

var everything = regexp.MustCompile("")

var _ = Describe("Commands of documents", func() {
	It("have a form, each of them", func() {
		shown, err := documented("../..")
		Expect(err).NotTo(HaveOccurred())
		Expect(len(shown)).To(BeNumerically(">", 60))
		chosen, err := choose(shown, forms, everything)
		Expect(err).NotTo(HaveOccurred())
		Expect(len(chosen)).To(BeNumerically(">", 20))
	})

	It("are played by the files that the forms name", func() {
		for _, f := range forms {
			if f.by != "" {
				text, err := os.ReadFile(filepath.Join("../..", f.by))
				Expect(err).NotTo(HaveOccurred())
				Expect(string(text)).To(ContainSubstring(f.as), "%s, for %s", f.by, f.of)
			}
		}
	})

	It("are read from blocks and from sentences, without comments", func() {
		program := func(path string) bool { return path == "scripts/faults" }
		Expect(commands("Run `make x`, see `scripts/faults` and `scripts/specs/run.go`, then\n"+
			"`go run\n./scripts/faults -seed 1`. `scripts/faults -soak 1h` too, `scripts/matrix` and `makeup`.\n\n"+
			"    A=1 go test ./a -b='c d'       a package\n    make y   # why\n    tollkeeper serve\n\n```sh\nmake z\n```\n", program)).
			To(Equal([]string{"A=1 go test ./a -b='c d'", "make y", "make x", "go run ./scripts/faults -seed 1", "go run ./scripts/faults -soak 1h"}))
	})

	It("are found out where one has no form", func() {
		_, err := choose([]shown{{"README.md", "make nothing"}, {"README.md", "make test"}}, forms, everything)
		Expect(err).To(MatchError("README.md: make nothing has no form in scripts/played/forms.go"))
	})

	It("must be among those that are asked for", func() {
		_, err := choose([]shown{{"README.md", "make bench"}}, forms, regexp.MustCompile("bunch"))
		Expect(err).To(MatchError("no command is played"))
	})

	It("must be there", func() {
		root := GinkgoT().TempDir()
		for _, name := range []string{"README.md", "CONTRIBUTING.md", "RELIABILITY.md", "BENCHMARKS.md", "SECURITY.md"} {
			Expect(os.WriteFile(filepath.Join(root, name), []byte("Nothing to run.\n"), 0o600)).To(Succeed())
		}
		_, err := documented(root)
		Expect(err).To(MatchError("the documents show no command"))
	})
})

var _ = Describe("A form", func() {
	const target = "bench: 16 clients x 100: 3.22 of floor, wanted <= 2.50\ninvoices issued, 2 at once: 9.57 /s, wanted >= 300\nexit status 1\n"
	played := func(ctx SpecContext, f form) error {
		_, _, err := f.play(ctx, GinkgoT().TempDir())
		return err
	}

	It("passes where the command prints what it must", func(ctx SpecContext) {
		Expect(played(ctx, here("", `echo made > "$WORK/x"; cat "$WORK/x"`, "^made$"))).To(Succeed())
	})

	DescribeTable("fails",
		func(ctx SpecContext, f form, reason string) {
			Expect(played(ctx, f)).To(MatchError(ContainSubstring(reason)))
		},
		Entry("where the command fails", here("", "echo made; false", "made"), "exit status 1"),
		Entry("where a part of it fails", here("", "false | echo made", "made"), "exit status 1"),
		Entry("where the command prints something else", here("", "echo nothing", "made"), "does not print"),
		Entry("where it runs no test", here("", "echo 'ok x [no tests to run]'", "ok"), "runs no tests"),
		Entry("where something else was missed than a target", bench("", "echo 'bench: copy x: ERROR'; exit 1", "."), "exit status 1"),
		Entry("where something was wrong beside a missed target", bench("", "echo 'WRONG: one is missing'; echo '"+target+"'; exit 1", "."), "exit status 1"),
		Entry("where it is no benchmark and misses one", here("", "echo '"+target+"'; exit 1", "."), "exit status 1"),
	)

	It("of a benchmark may miss targets", func(ctx SpecContext) {
		Expect(played(ctx, bench("", "echo '"+target+"'; exit 1", "2 at once"))).To(Succeed())
	})

	It("that fails does not keep others from being played", func(ctx SpecContext) {
		bad, good := here("", "false", "."), here("", "echo made", "made")
		var out strings.Builder
		logs := filepath.Join(GinkgoT().TempDir(), "logs")
		Expect(play(ctx, &out, logs, []*form{&bad, &good})).NotTo(Succeed())
		Expect(out.String()).To(MatchRegexp(`as it should, \d+ s: made\n`))
		Expect(out.String()).To(ContainSubstring("2 commands played, 1 failed"))
		Expect(os.ReadFile(filepath.Join(logs, "02.log"))).To(BeEquivalentTo("echo made\nmade\n"))
	})

	It("ends with what it started", func(ctx SpecContext) {
		began := time.Now()
		stopped, stop := context.WithTimeout(ctx, 200*time.Millisecond)
		defer stop()
		f := here("", "sleep 3600 & sleep 3600", ".")
		_, _, err := f.play(stopped, GinkgoT().TempDir())
		Expect(err).To(HaveOccurred())
		Expect(time.Since(began)).To(BeNumerically("<", time.Minute))
	})
})
