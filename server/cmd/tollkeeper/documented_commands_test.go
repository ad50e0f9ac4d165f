package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var (
	// written are the commands of documents, in blocks for a shell or in a sentence.
	written = regexp.MustCompile("(?m)(?:^(?:[A-Z_]+=\\S+ )*|`)(?:bin/)?tollkeeper ((?:account|key|user|webhook|plan|due|import|export|analyst|compare|verify|doctor|backup|restore|ready|migrate|version|demo|serve)\\b[^`\n]*)")
	// words are what a shell makes of a line: what is quoted is one word.
	words = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
	// rest is what a shell does with a command.
	rest = regexp.MustCompile(`\s(?:\||>|2>|<|&|\)).*$|\).*$|;.*$`)
)

// said returns the arguments of a command that a document shows; nil where the document names the command alone.
func said(command string) (args []string) {
	for _, word := range words.FindAllString(rest.ReplaceAllString(command, ""), -1) {
		args = append(args, strings.NewReplacer("'", "", `"`, "").Replace(word))
	}
	return args
}

// Whole command lines of the documents are read as the command line reads them. Those of guides that a spec plays are
// among them.
var _ = Describe("A command that a document shows", func() {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, _ := filepath.Glob(filepath.Join("../../..", pattern))
		files = append(files, found...)
	}

	It("is one that there is, with flags and arguments that it takes", func() {
		set("SOURCE_API_KEY", "of the source")
		set("TARGET_API_KEY", "of the target")
		Expect(len(files)).To(BeNumerically(">", 15))
		read := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			for _, block := range steps.FindAllStringSubmatch(string(text), -1) {
				for _, found := range written.FindAllStringSubmatch(strings.ReplaceAll(block[1], "\\\n", " "), -1) {
					parser, err := commandLine(GinkgoWriter)
					Expect(err).NotTo(HaveOccurred())
					if _, err = parser.Parse(said(found[1])); errors.Is(err, fs.ErrNotExist) {
						err = nil // the file of an example
					}
					Expect(err).NotTo(HaveOccurred(), "%s: %s", filepath.Base(file), found[1])
					read++
				}
			}
		}
		Expect(read).To(BeNumerically(">=", 20))
	})

	It("would be found out where it is called in another way", func() {
		parser, err := commandLine(GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		_, err = parser.Parse(said("account set acct_... reminder_days -3,1,7"))
		Expect(err).To(MatchError(ContainSubstring("unknown flag -3")))
	})
})
