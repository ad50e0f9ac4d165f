package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// itself is the name by which this program is the command line, for shell commands of specs.
const itself = "tollkeeper"

// freeAddress is one that nothing listens at.
func freeAddress() string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

var _ = Describe("The guide to production", func() {
	It("does what it says, run as it is written", NodeTimeout(5*time.Minute), func(ctx SpecContext) {
		dir, err := os.MkdirTemp("", "tkg-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		programs := GinkgoT().TempDir()
		Expect(os.Symlink(test, filepath.Join(programs, itself))).To(Succeed())
		set("PATH", programs+":"+os.Getenv("PATH"))
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_API_KEY", "")

		all := blocks("../../../docs/production.md")
		Expect(len(all)).To(BeNumerically(">", 4))
		const mark = "== the next step\n"
		script := "set -euo pipefail\nset -m\ntrap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n"
		for _, s := range all {
			script += s.commands + "printf '" + mark + "'\n"
		}
		script = strings.NewReplacer("/var/lib", dir, "/mnt", dir, "127.0.0.1:8080", freeAddress()).Replace(script)
		var printed, complaints bytes.Buffer
		bash := exec.CommandContext(ctx, "bash", "-c", script)
		bash.Dir, bash.Stdout, bash.Stderr = dir, &printed, &complaints
		bash.Cancel = func() error { return bash.Process.Signal(syscall.SIGTERM) } // ends its servers too
		bash.WaitDelay = startWithin
		err = bash.Run()
		log, _ := os.ReadFile(filepath.Join(dir, "serve.log"))
		Expect(err).NotTo(HaveOccurred(), "%s\n%s\n%s", &printed, &complaints, log)
		for i, text := range strings.Split(strings.TrimSuffix(printed.String(), mark), mark) {
			Expect(text).To(Equal(all[i].printed), all[i].commands)
		}
		for file, words := range map[string]string{
			"found.txt": "keeps what it confirms", "key.txt": "tk_live_", "backups.txt": "PostgreSQL", "restored.txt": "Restored",
			"verified.txt": ": 0 findings", "version.txt": "tollkeeper ",
		} {
			Expect(os.ReadFile(filepath.Join(dir, file))).To(ContainSubstring(words), file)
		}
	})
})
