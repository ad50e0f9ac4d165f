package event_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// transactionNumber is what PostgreSQL tells of transactions, or is told.
var transactionNumber = regexp.MustCompile(`pg_current_xact|pg_current_snapshot|pg_snapshot_x|pg_visible_in_snapshot|txid_`)

// numbering are the files that may ask for it: migrations are applied once, and have a spec, and the lag of the aggregator
// is seen while a transaction is under way.
var numbering = regexp.MustCompile(`^(domain/event/numbers\w*\.go|store/functions/event_numbers\.sql|store/migrations/.*|store/numbering_test\.go|server/worker/usage_lag_test\.go|domain/metric/testdata/hostile/refused\.sql)$`)

var _ = Describe("The source", func() {
	It("asks PostgreSQL for transactions in package event and its functions alone", func() {
		var elsewhere []string
		files := 0
		root := os.DirFS("../..")
		Expect(fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			if kind := filepath.Ext(name); entry.IsDir() || kind != ".go" && kind != ".sql" || numbering.MatchString(name) {
				return nil
			}
			files++
			text, err := fs.ReadFile(root, name)
			if transactionNumber.Match(text) {
				elsewhere = append(elsewhere, name)
			}
			return err
		})).To(Succeed())
		Expect(files).To(BeNumerically(">", 500))
		Expect(elsewhere).To(BeEmpty())
		Expect(transactionNumber.MatchString("SELECT pg_current_xact_id()")).To(BeTrue())
	})
})
