package main

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestCitations(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/citations")
}

var _ = Describe("A citation", func() {
	var root string
	write := func(path, text string) {
		path = filepath.Join(root, path)
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	}
	found := func() []string {
		findings, err := check(root)
		Expect(err).NotTo(HaveOccurred())
		return findings
	}
	BeforeEach(func() {
		root = GinkgoT().TempDir()
		write("domain/rules/02-events.md", "# 2. Events\n\n## 2.1 Shape\n\n1. One, see rule 2.1.2.\n2. Two.\n\n## 2.2 Order\n\n| step | check |\n|---|---|\n| 1 | key |\n| 2 | body |\n")
		write("domain/rules/price-models.md", "## 1. All\n\n### 1.5 Rounding\n\n1. Exact.\n\n### 1.6 Lines\n\nAs rule 1.5.1.\n")
		write("domain/rules/gaps.md", "## A. Conventions\n\n| # | rule |\n|---|---|\n| A1 | filters |\n")
	})

	DescribeTable("of a rule that is there is right",
		func(text string) {
			write("domain/x.go", text)
			Expect(found()).To(BeEmpty())
		},
		Entry("item", "// A is so (semantics 2.1.2).\n"),
		Entry("section, chapter", "// A is so (semantics 2.1). B too: semantics 2.\n"),
		Entry("row of a table", "// A is so (semantics 2.2, step 2).\n"),
		Entry("two, three", "// See semantics 2.1.1, 2.1.2 and 2.2, price models 1.5 to 1.6.\n"),
		Entry("over two lines", "\t// A is so (semantics\n\t// 2.1.1), and so is B (price\n\t// models 1.5.1).\n"),
		Entry("of letters", "// A is so (gaps A1). B is as gaps A say.\n"),
		Entry("none", "// Ascending, without gaps. A gap. The semantics of 3. Gaps 1 to 2.\n"),
	)

	DescribeTable("of a rule that is not there is found",
		func(text, finding string) {
			write("domain/x.go", "package x\n\n"+text)
			Expect(found()).To(ConsistOf("domain/x.go:" + finding))
		},
		Entry("item", "// A is so (semantics 2.1.3).\n", "3: semantics 2.1.3 is cited and is not in domain/rules"),
		Entry("of another book", "// A is so (price models 2.1.2).\n", "3: price models 2.1.2 is cited and is not in domain/rules"),
		Entry("the last of several", "// See semantics 2.1.1 and\n// 2.9.\n", "3: semantics 2.9 is cited and is not in domain/rules"),
		Entry("the end of a range", "// See price models 1.5 to 1.7.\n", "3: price models 1.7 is cited and is not in domain/rules"),
		Entry("over two lines", "// A, and (semantics\n// 2.7.1).\n", "3: semantics 2.7.1 is cited and is not in domain/rules"),
		Entry("row", "// (semantics 2.2, step 3)\n", "3: semantics 2.2.3 is cited and is not in domain/rules"),
		Entry("of letters", "// (gaps A2)\n", "3: gaps A2 is cited and is not in domain/rules"),
		Entry("in a spec's name", `It("does so (semantics 2.4)")`+"\n", "3: semantics 2.4 is cited and is not in domain/rules"),
	)

	It("has one form", func() {
		write("domain/x.go", "// price-models 1.5, Semantics 2.1, schemas.md\n")
		write("domain/x_test.go", `It("does so (2.1.1)", func() {`+"\n")
		Expect(found()).To(HaveLen(4))
	})

	It("is looked for in every text, and in no generated one", func() {
		write("store/x.sql", "-- (semantics 9.1)\n")
		write("README.md", "As semantics 9.2 says.\n")
		write("gen/x.go", "// (semantics 9.3)\n")
		Expect(found()).To(HaveLen(2))
	})

	It("between rules is looked for too", func() {
		write("domain/rules/03-more.md", "# 3. More\n\n## 3.1 A\n\n1. As rule 2.1.9 and\n   section 3.2.\n")
		Expect(found()).To(ConsistOf(
			"domain/rules/03-more.md:5: semantics 2.1.9 is cited and is not in domain/rules",
			"domain/rules/03-more.md:6: semantics 3.2 is cited and is not in domain/rules"))
	})

	It("needs rules whose numbers are there once and in order", func() {
		write("domain/rules/03-more.md", "# 3. More\n\n## 2.1 Again\n\n## 3.1 A\n\n1. One.\n3. Three.\n")
		Expect(found()).To(ConsistOf(ContainSubstring("semantics 2.1 is there twice"), ContainSubstring("item 3 of 3.1 follows item 1")))
	})

	It("of a rule of what people see is in code and in a spec", func() {
		write("domain/rules/18-mail.md", "# 18. Mail\n\n## 18.1 Rules\n\n1. One.\n2. Two.\n3. Three.\n")
		write("domain/x.go", "// A is so (semantics 18.1.1 and 18.1.2).\n")
		write("domain/x_test.go", "// (semantics 18.1.2 and 18.1.3)\n")
		write("README.md", "As semantics 18.1.1 and 18.1.3 say.\n")
		Expect(found()).To(ConsistOf("semantics 18.1.1 is cited by no spec", "semantics 18.1.3 is cited by no code"))
	})

	It("must be there", func() {
		root = GinkgoT().TempDir()
		write("domain/rules/02-events.md", "# 2. Events\n")
		_, err := check(root)
		Expect(err).To(MatchError("no text cites a rule"))
	})

	It("cannot be checked without rules", func() {
		_, err := check(GinkgoT().TempDir())
		Expect(err).To(HaveOccurred())
	})
})
