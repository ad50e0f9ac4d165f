package export_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xuri/excelize/v2"

	"tollkeeper/domain/export"
	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// openBytes is how many bytes the files under a directory have that this process has open, with a name or not.
func openBytes(dir string) (bytes int64) {
	const ours = "/proc/self/fd"
	entries, err := os.ReadDir(ours)
	if err != nil {
		return 0
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		fd := filepath.Join(ours, entry.Name())
		target, err := os.Readlink(fd)
		info, err2 := os.Stat(fd)
		if err != nil || err2 != nil || !strings.HasPrefix(target, dir+"/") || !info.Mode().IsRegular() || seen[strings.TrimSuffix(target, " (deleted)")] {
			continue
		}
		seen[strings.TrimSuffix(target, " (deleted)")] = true
		bytes += info.Size()
	}
	return bytes
}

var _ = Describe("A workbook", func() {
	// Rows of a cell of 4,000 quotation marks, which take six times as much in the file.
	quotes := strings.Repeat(`"`, 4000)
	write := func(place *tempfile.Place, rows int, look func()) (int, error) {
		var file bytes.Buffer
		err := export.WriteTexts(&file, place, rows, quotes, look)
		return file.Len(), err
	}
	var dir string
	BeforeEach(func() { dir = GinkgoT().TempDir() })

	It("never has more in temporary files than it has reserved", func() {
		if runtime.GOOS != "linux" {
			Skip("looks in /proc")
		}
		place, most := tempfile.New(dir, 1<<30), int64(0)
		_, err := write(place, 3000, func() {
			now := openBytes(dir)
			most = max(most, now)
			Expect(now).To(BeNumerically("<=", place.Used()))
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(most).To(BeNumerically(">", 2*excelize.StreamChunkSize), "it had some")
		Expect(place.Used()).To(BeZero())
		Expect(os.ReadDir(dir)).To(BeEmpty())
	})

	It("is refused with what to do instead where it alone is larger than the place", func() {
		place := tempfile.New(dir, 40<<20)
		n, err := write(place, 3000, func() {})
		Expect(n).To(BeZero(), "nothing is written of a file that is not complete")
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(ContainSubstring("needs more than the 40 MB that there are for temporary files; export as csv or ndjson")))
		Expect(place.Used()).To(BeZero())
		Expect(os.ReadDir(dir)).To(BeEmpty())
	})

	It("is refused while others fill the place, unless it is small", func() {
		place := tempfile.New(dir, 1<<30)
		others := place.Use()
		DeferCleanup(others.Close)
		Expect(others.Dir().Reserve(1<<30 - 1)).To(Succeed())
		n, err := write(place, 3000, func() {})
		Expect(n).To(BeZero())
		var why *tempfile.Refusal
		Expect(errors.As(err, &why)).To(BeTrue(), "%v", err)
		Expect(why.Reason).To(Equal(tempfile.Full))
		_, err = write(place, 100, func() {})
		Expect(err).NotTo(HaveOccurred())
	})

	It("is refused, rather than kept in memory, where the library can make no file", func() {
		place := tempfile.New(dir, 1<<30)
		_, err := write(place, 30_000, func() {
			entries, err := os.ReadDir(dir)
			Expect(err).NotTo(HaveOccurred())
			for _, entry := range entries { // of the use, once it is there
				path := filepath.Join(dir, entry.Name())
				Expect(os.RemoveAll(path)).To(Succeed())
				Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
			}
		})
		var why *tempfile.Refusal
		Expect(errors.As(err, &why)).To(BeTrue(), "%v", err)
		Expect(why.Reason).To(Equal(tempfile.Unusable))
	})
})
