package tempfile_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/tempfile"
)

// holdIn names the directory in which this program is a process that holds a place, see held.
const holdIn = "SPEC_HOLD_PLACE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdIn); dir != "" {
		hold(dir)
	}
	os.Exit(m.Run())
}

func TestTempfile(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Temporary files")
}

// hold makes a file by its name in a place, says so, and waits until standard input ends.
func hold(dir string) {
	use := tempfile.New(dir, 1<<20).Use()
	library := use.Dir()
	err := library.Reserve(1)
	if err == nil {
		err = os.WriteFile(filepath.Join(library.Path(), "sheet"), []byte("x"), 0o600)
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// held starts a process that holds a place in a directory.
func held(dir string) (kill func()) {
	GinkgoHelper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), holdIn+"="+dir)
	in, err := process.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	out, err := process.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(process.Start()).To(Succeed())
	DeferCleanup(func() { _ = in.Close() })
	said, err := bufio.NewReader(out).ReadString('\n')
	Expect(err).NotTo(HaveOccurred())
	Expect(said).To(Equal("<nil>\n"))
	return func() {
		Expect(process.Process.Kill()).To(Succeed())
		_ = process.Wait()
	}
}
