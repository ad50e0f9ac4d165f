package console_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The budget of what pages load, compressed. That of the pages themselves is checked wherever specs
// look at one.
var _ = DescribeTable("The files of the console",
	func(files string, most int) {
		paths, err := filepath.Glob(filepath.Join("assets", files))
		Expect(err).NotTo(HaveOccurred())
		Expect(paths).NotTo(BeEmpty())
		total := 0
		for _, path := range paths {
			text, err := os.ReadFile(path)
			Expect(err).NotTo(HaveOccurred())
			var packed bytes.Buffer
			zip := gzip.NewWriter(&packed)
			_, err = zip.Write(text)
			Expect(err).NotTo(HaveOccurred())
			Expect(zip.Close()).To(Succeed())
			total += packed.Len()
		}
		Expect(total).To(BeNumerically("<=", most))
	},
	Entry("are a stylesheet of at most 15 KB", "*.css", 15<<10),
	Entry("are scripts of at most 40 KB in all", "*.js", 40<<10),
)
