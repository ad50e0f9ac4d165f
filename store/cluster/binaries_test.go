//go:build unix

package cluster

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The binaries", func() {
	install := func(version string) string {
		dir := GinkgoT().TempDir()
		script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
		for _, program := range []string{"postgres", "initdb"} {
			Expect(os.WriteFile(filepath.Join(dir, program), []byte(script), 0o700)).To(Succeed())
		}
		return dir
	}

	It("are the highest version from 15 on", func() {
		path := install("14.2") + ":" + install("98.1 (Debian 98.1-1)") + ":" + install("99beta1")
		GinkgoT().Setenv("PATH", path)
		found := Find(GinkgoT().TempDir())
		Expect(len(found)).To(BeNumerically(">=", 2))
		Expect(found[0].Major).To(Equal(99))
		Expect(found[1].Version).To(Equal("98.1"))
		for _, b := range found {
			Expect(b.Major).To(BeNumerically(">=", 15))
		}
	})

	It("are of the data directory's own version when there is one", func() {
		found := []Binaries{{Major: 17}, {Major: 16}}
		b, ok := pick(found, 16)
		Expect(ok).To(BeTrue())
		Expect(b.Major).To(Equal(16))
		_, ok = pick(found, 15)
		Expect(ok).To(BeFalse())
	})

	It("are found through a link that stands alone", func() {
		dir, elsewhere := install("98.2"), GinkgoT().TempDir()
		Expect(os.Symlink(filepath.Join(dir, "postgres"), filepath.Join(elsewhere, "postgres"))).To(Succeed())
		b, ok := inspect(elsewhere)
		Expect(ok).To(BeTrue())
		Expect(b.Version).To(Equal("98.2"))
	})

	It("are refused when fetched ones are not those pinned", func() {
		forged := filepath.Join(GinkgoT().TempDir(), "package.tgz")
		Expect(os.WriteFile(forged, []byte("something else"), 0o600)).To(Succeed())
		pack, known := packageOf("linux/amd64", preferred)
		Expect(known).To(BeTrue())
		Expect(pack.verify(forged)).To(MatchError(ContainSubstring("not the pinned one")))
	})
})

var _ = DescribeTable("Shared buffers are an eighth of the memory",
	func(memory, buffers int64) {
		Expect(sharedBuffers(memory * megabyte)).To(Equal(buffers * megabyte))
	},
	Entry("of a small machine", int64(1024), int64(128)),
	Entry("but never too few to work", int64(64), int64(32)),
	Entry("nor more than the system's cache makes useful", int64(1<<20), int64(1024)),
)
