package main

import (
	"bytes"
	"context"
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

// shell runs the commands of a guide, as they are but for addresses and directories, in a new
// directory, and expects that they print what the guide says. Its servers end with it.
func shell(ctx context.Context, guide string) (dir string) {
	GinkgoHelper()
	dir, err := os.MkdirTemp("", "tkg-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	test, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	programs := GinkgoT().TempDir()
	for _, place := range []string{programs, filepath.Join(dir, itself, "1.0"), filepath.Join(dir, itself, "1.1")} {
		Expect(os.MkdirAll(place, 0o700)).To(Succeed())
		Expect(os.Symlink(test, filepath.Join(place, itself))).To(Succeed())
	}
	set("PATH", programs+":"+os.Getenv("PATH"))
	set("TOLLKEEPER_DATABASE_URL", "")
	set("TOLLKEEPER_API_KEY", "")

	all := blocks(filepath.Join("../../../docs", guide))
	Expect(len(all)).To(BeNumerically(">", 3))
	const mark = "== the next step\n"
	script := "set -euo pipefail\nset -m\ntrap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n"
	for _, s := range all {
		script += s.commands + "printf '" + mark + "'\n"
	}
	script = strings.NewReplacer("/var/lib/", dir+"/lib-", "/mnt", dir, "/opt", dir,
		"127.0.0.1:8080", freeAddress(), "127.0.0.1:8081", freeAddress()).Replace(script)
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
	return dir
}

var _ = DescribeTable("The guides to operation do what they say, run as they are written",
	func(ctx SpecContext, guide string, made map[string]string) {
		dir := shell(ctx, guide)
		for file, words := range made {
			Expect(os.ReadFile(filepath.Join(dir, file))).To(ContainSubstring(words), file)
		}
	},
	Entry("to production", NodeTimeout(5*time.Minute), "production.md", map[string]string{
		"found.txt": "keeps what it confirms", "key.txt": "tk_live_", "backups.txt": "PostgreSQL", "restored.txt": "Restored",
		"verified.txt": ": 0 findings",
	}),
	Entry("to upgrades", NodeTimeout(5*time.Minute), "upgrade.md", map[string]string{
		"version.txt": "tollkeeper ", "backup.txt": "PostgreSQL", "verified.txt": ": 0 findings", "found.txt": "keeps what it confirms",
	}),
)
