package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// step is a block of commands in a document, with the block that follows it: what they
// print.
type step struct{ commands, printed string }

var steps = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n+(?:^```text\n(.*?)^```\n)?")

// blocks are the steps of a document.
func blocks(file string) (found []step) {
	GinkgoHelper()
	text, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	for _, block := range steps.FindAllStringSubmatch(string(text), -1) {
		found = append(found, step{block[1], block[2]})
	}
	return found
}

var _ = Describe("The README", func() {
	It("prints what it says, run as it is written against a fresh server", func() {
		dir, err := os.MkdirTemp("", "tkr-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		ctx, stop := context.WithCancel(context.Background())
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(ctx, []string{"serve"}, out) }()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		})
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`/v1/ping`))
		set("KEY", regexp.MustCompile(`tk_test_\w{43}`).FindString(string(out.Contents())))
		address := regexp.MustCompile(`http://(\S+)/v1/ping`).FindStringSubmatch(string(out.Contents()))[1]

		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Symlink(test, filepath.Join(dir, jq))).To(Succeed())
		set("PATH", dir+":"+os.Getenv("PATH"))

		all := blocks("../../../README.md")
		Expect(all).NotTo(BeEmpty())
		const mark = "== the next step\n"
		script := "set -euo pipefail\n"
		for _, s := range all {
			script += strings.ReplaceAll(s.commands, "127.0.0.1:8080", address) + "printf '" + mark + "'\n"
		}
		var printed, complaints bytes.Buffer
		bash := exec.Command("bash", "-c", script)
		bash.Stdout, bash.Stderr = &printed, &complaints
		Expect(bash.Run()).To(Succeed(), "%s\n%s", &printed, &complaints)
		for i, text := range strings.Split(strings.TrimSuffix(printed.String(), mark), mark) {
			Expect(strings.TrimSpace(text)).To(Equal(strings.TrimSpace(all[i].printed)), all[i].commands)
		}
	})

	It("has commands that look at the address before they build", func() {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(taken.Close)
		dir := GinkgoT().TempDir() // without a compiler
		for _, script := range []string{"run", "demo"} {
			command := exec.Command("/bin/bash", "../../../scripts/"+script)
			command.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "TOLLKEEPER_ADDR=" + taken.Addr().String(), "TOLLKEEPER_DATA_DIR=" + filepath.Join(dir, "data")}
			said, err := command.CombinedOutput()
			Expect(err).To(HaveOccurred())
			Expect(string(said)).To(Equal("Something serves at " + taken.Addr().String() + " already: stop it, or set TOLLKEEPER_ADDR to another address.\n"))
		}
	})

	It("is a page, and all that it names is there", func() {
		text, err := os.ReadFile("../../../README.md")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(text), "\n")).To(BeNumerically("<=", 130))
		named := links.FindAllStringSubmatch(string(text), -1)
		Expect(len(named)).To(BeNumerically(">", 20))
		for _, link := range named {
			Expect(filepath.Join("../../..", link[1])).To(BeAnExistingFile())
		}
	})
})

// links are the links of a document to files of this repository.
var links = regexp.MustCompile(`\]\(([A-Za-z][\w./-]*)(?:#[\w-]+)?\)`)
