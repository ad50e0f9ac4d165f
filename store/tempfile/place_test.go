package tempfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/store/tempfile"
)

// refusal is the reason of an error, which must be a refusal.
func refusal(err error) tempfile.Reason {
	GinkgoHelper()
	var refused *tempfile.Refusal
	Expect(errors.As(err, &refused)).To(BeTrue(), "%v", err)
	return refused.Reason
}

// files are those that have a name under a directory.
func files(dir string) (found []string) {
	GinkgoHelper()
	Expect(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != dir {
			found = append(found, path)
		}
		return err
	})).To(Succeed())
	return found
}

var _ = Describe("The place for temporary files", func() {
	var dir string
	BeforeEach(func() { dir = GinkgoT().TempDir() })

	It("holds files up to its bound, and refuses the rest with the reason", func() {
		place := tempfile.New(dir, 1000)
		one, other := place.Use(), place.Use()
		first, err := one.File()
		Expect(err).NotTo(HaveOccurred())
		second, err := one.File()
		Expect(err).NotTo(HaveOccurred())
		_, err = first.Write(make([]byte, 400))
		Expect(err).NotTo(HaveOccurred())
		_, err = second.Write(make([]byte, 400))
		Expect(err).NotTo(HaveOccurred())
		Expect(place.Used()).To(BeEquivalentTo(800))

		_, err = second.Write(make([]byte, 201)) // both files of the use together
		Expect(refusal(err)).To(Equal(tempfile.TooLarge))
		Expect(err).To(MatchError(ContainSubstring("TOLLKEEPER_TEMP_MB")))
		file, err := other.File()
		Expect(err).NotTo(HaveOccurred())
		_, err = file.Write(make([]byte, 201))
		Expect(refusal(err)).To(Equal(tempfile.Full))
		_, err = file.Write(make([]byte, 200))
		Expect(err).NotTo(HaveOccurred())
		Expect([]int64{place.Refused(tempfile.TooLarge), place.Refused(tempfile.Full), place.Refused(tempfile.Unusable)}).To(Equal([]int64{1, 1, 0}))

		one.Close()
		one.Close()
		Expect(place.Used()).To(BeEquivalentTo(200))
		_, err = file.Write(make([]byte, 800))
		Expect(err).NotTo(HaveOccurred())
		other.Close()
		Expect(place.Used()).To(BeZero())
		Expect(files(dir)).To(BeEmpty())
	})

	It("reads what was written", func() {
		use := tempfile.New(dir, 0).Use()
		DeferCleanup(use.Close)
		file, err := use.File()
		Expect(err).NotTo(HaveOccurred())
		for range 3 {
			_, err = io.WriteString(file, "abc")
			Expect(err).NotTo(HaveOccurred())
		}
		text, err := io.ReadAll(io.NewSectionReader(file, 2, 5))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal("cabca"))
	})

	It("has files without names, so that nothing of them is left by a process that is killed", func() {
		if runtime.GOOS == "windows" {
			Skip("a file that is open has a name there")
		}
		use := tempfile.New(dir, 0).Use()
		DeferCleanup(use.Close)
		file, err := use.File()
		Expect(err).NotTo(HaveOccurred())
		_, err = file.Write([]byte("secret"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files(dir)).To(HaveLen(1), "the directory of the use")
	})

	It("is emptied of what killed processes left, and not of what others use", func() {
		kill, _ := held(dir), held(dir)
		Expect(os.WriteFile(filepath.Join(dir, "of-another-program"), nil, 0o600)).To(Succeed())
		place := tempfile.New(dir, 0)
		Expect(place.Prepare()).To(Succeed())
		Expect(files(dir)).To(HaveLen(5), "two directories, each with a file, and what is no file of ours")
		kill()
		Expect(place.Prepare()).To(Succeed())
		Expect(files(dir)).To(HaveLen(3))
		Expect(filepath.Join(dir, "of-another-program")).To(BeAnExistingFile())
	})

	It("says why it cannot be used, and makes nothing", func() {
		none := filepath.Join(dir, "none")
		Expect(tempfile.New(none, 0).Prepare()).To(MatchError(fs.ErrNotExist))
		file := filepath.Join(dir, "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		Expect(tempfile.Check(file)).To(MatchError(ContainSubstring("is no directory")))
		Expect(files(dir)).To(HaveLen(1))

		use := tempfile.New(none, 0).Use()
		_, err := use.File()
		Expect(refusal(err)).To(Equal(tempfile.Unusable))
		Expect(err).To(MatchError(And(ContainSubstring("TOLLKEEPER_TEMP_DIR"), ContainSubstring(none))))
		use.Close()
	})

	It("counts what a library writes by itself", func() {
		place := tempfile.New(dir, 1000)
		use := place.Use()
		library := use.Dir()
		Expect(files(dir)).To(BeEmpty(), "before anything is reserved")
		Expect(library.Reserve(600)).To(Succeed())
		Expect(place.Used()).To(BeEquivalentTo(600))
		sheet, err := os.Create(filepath.Join(library.Path(), "sheet"))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = sheet.Close() }()
		_, err = sheet.Write(make([]byte, 500))
		Expect(err).NotTo(HaveOccurred())
		Expect(refusal(library.Reserve(501))).To(Equal(tempfile.TooLarge))
		Expect(library.Reserve(100)).To(Succeed())
		Expect(library.Files()).To(Equal(1))
		Expect(place.Used()).To(BeEquivalentTo(600))
		if runtime.GOOS != "windows" {
			Expect(files(dir)).To(HaveLen(1), "the file lost its name")
		}
		_, err = sheet.Write(make([]byte, 100))
		Expect(err).NotTo(HaveOccurred())
		Expect(library.Reserve(0)).To(Succeed(), "and is measured all the same")
		Expect(place.Used()).To(BeEquivalentTo(600))
		use.Close()
		Expect(place.Used()).To(BeZero())
		Expect(files(dir)).To(BeEmpty())
	})

	It("tells errors of a library's files from others", func() {
		library := tempfile.New(dir, 1000).Use().Dir()
		Expect(refusal(library.Failed(&fs.PathError{Op: "write", Path: "sheet", Err: os.ErrPermission}))).To(Equal(tempfile.Unusable))
		other := errors.New("row 1 was written already")
		Expect(library.Failed(other)).To(BeIdenticalTo(other))
		Expect(library.Failed(nil)).To(Succeed())
	})

	It("never holds more than its bound, whatever many uses write at once", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			bound := rapid.Int64Range(1, 5000).Draw(rt, "bound")
			writes := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 2000), 0, 6), 1, 5).Draw(rt, "writes of each use")
			place := tempfile.New(dir, bound)
			kept := make([]int64, len(writes))
			uses := make([]*tempfile.Use, len(writes))
			var all sync.WaitGroup
			for i, sizes := range writes {
				uses[i] = place.Of(fmt.Sprint("account", i%2)).Use()
				all.Go(func() {
					file, err := uses[i].File()
					if err != nil {
						return
					}
					for _, size := range sizes {
						if n, err := file.Write(bytes.Repeat([]byte{'x'}, size)); err == nil {
							kept[i] += int64(n)
						}
					}
				})
			}
			all.Wait()
			var sum int64
			of := make([]int64, 2)
			for i, n := range kept {
				sum += n
				of[i%2] += n
			}
			if sum != place.Used() || sum > bound || slices.Max(of) > bound/2 {
				rt.Fatalf("%d bytes are written, %d counted, of %d", sum, place.Used(), bound)
			}
			for _, use := range uses {
				use.Close()
			}
			if place.Used() != 0 {
				rt.Fatalf("%d bytes are left", place.Used())
			}
		})
		Expect(files(dir)).To(BeEmpty())
	})

	It("gives an account half of it, so that there is room for a second one", func() {
		place := tempfile.New(dir, 1000)
		write := func(account string, bytes int) error {
			use := place.Of(account).Use()
			DeferCleanup(use.Close)
			file, err := use.File()
			Expect(err).NotTo(HaveOccurred())
			_, err = file.Write(make([]byte, bytes))
			return err
		}
		Expect(place.Of("worst").Bound()).To(BeEquivalentTo(500))
		Expect(refusal(write("worst", 501))).To(Equal(tempfile.TooLarge))
		for range 5 {
			Expect(write("worst", 100)).To(Succeed())
		}
		Expect(refusal(write("worst", 1))).To(Equal(tempfile.Full))
		Expect(write("innocent", 500)).To(Succeed())
		Expect(place.Used()).To(BeEquivalentTo(1000))
		Expect(refusal(write("third", 1))).To(Equal(tempfile.Full))
	})

	It("leaves bytes of its file system free", func() {
		const mb = 1 << 20
		place, space := tempfile.New(dir, 80*mb), tempfile.Space{Total: 100 * mb, Free: 50 * mb}
		place.Pretend(func() tempfile.Space { return space })
		place.LeaveFree(30 * mb)
		Expect(place.Bound()).To(BeEquivalentTo(70*mb), "what is never there is refused for good")
		use := place.Use()
		defer use.Close()
		file, err := use.File()
		Expect(err).NotTo(HaveOccurred())
		_, err = file.Write(make([]byte, mb))
		Expect(err).NotTo(HaveOccurred())

		space.Free = 30*mb + 1
		_, err = file.Write(make([]byte, 2))
		Expect(refusal(err)).To(Equal(tempfile.Full))
		Expect(err).To(MatchError(ContainSubstring("30 MB that stay free (TOLLKEEPER_TEMP_FREE_MB)")))
		_, err = file.Write(make([]byte, 1))
		Expect(err).NotTo(HaveOccurred())
		Expect(place.Used()).To(BeEquivalentTo(mb + 1))

		place.LeaveFree(0)
		Expect(place.Free()).To(BeEquivalentTo(10 * mb))
		place.LeaveFree(200 * mb)
		Expect(place.Bound()).To(BeZero())
	})

	It("has half of a small file system by default, and never more than all of it", func() {
		space := tempfile.SpaceOf(dir)
		if space.Total == 0 {
			Skip("the system does not tell how large file systems are")
		}
		Expect(tempfile.New(dir, 0).Bound()).To(Equal(min(4<<30, space.Total/2)))
		Expect(tempfile.New(dir, 1<<60).Bound()).To(Equal(space.Total))
		Expect(tempfile.New(dir, 1<<20).Bound()).To(BeEquivalentTo(1 << 20))
		Expect(space.Free).To(And(BeNumerically(">", 0), BeNumerically("<=", space.Total)))
	})
})
