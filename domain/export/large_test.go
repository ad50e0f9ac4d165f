package export_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/export"
	"tollkeeper/store"
)

// SPEC_EXPORT_LINES is how many lines the next spec exports; scripts/long makes it a million.
func manyLines() int {
	GinkgoHelper()
	if text := os.Getenv("SPEC_EXPORT_LINES"); text != "" {
		n, err := strconv.Atoi(text)
		Expect(err).NotTo(HaveOccurred())
		return n
	}
	return 20_000
}

// counting is a file of which only the size is kept.
type counting struct{ bytes, lines int64 }

func (c *counting) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	c.lines += int64(bytes.Count(b, []byte("\n")))
	return len(b), nil
}

var _ = Describe("A large export", func() {
	It("takes no more memory than a small one", func() {
		defer debug.SetGCPercent(debug.SetGCPercent(100)) // a lazier collector keeps garbage that is no part of it
		const most = 96 << 20                             // bytes of heap above what was there before: a writer of XLSX keeps 16 MB, and copies them as they grow
		n := manyLines()
		b := open()
		b.bill(1)
		b.Clock("2025-02-02")
		b.All(billing.OpenNext)
		b.All(billing.IssueNext)
		Expect(b.Store.AsOwner(context.WithoutCancel(b.Ctx), func(db *gorm.DB) error {
			for _, statement := range []string{
				"SET LOCAL statement_timeout = 0", "ALTER TABLE invoice_lines DISABLE TRIGGER USER",
				fmt.Sprintf(`INSERT INTO invoice_lines (account_id, id, created_at, invoice_id, position, price_id, name, item_name, start_at, end_at, billed_from,
					quantity, subtotal, adjusted_subtotal, credits_applied, partially_invoiced_amount, amount, parts)
					SELECT account_id, id || '-' || g, created_at, invoice_id, 1000 + g, price_id, name, item_name, start_at, end_at, billed_from,
					quantity, subtotal, adjusted_subtotal, credits_applied, partially_invoiced_amount, amount, parts
					FROM (SELECT * FROM invoice_lines LIMIT 1) AS l, generate_series(1, %d) AS g`, n),
				"ALTER TABLE invoice_lines ENABLE TRIGGER USER",
			} {
				if err := db.Exec(statement).Error; err != nil {
					return err
				}
			}
			return nil
		})).To(Succeed())
		for _, format := range []export.Format{export.CSV, export.NDJSON, export.XLSX} {
			runtime.GC()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			highest := before.HeapInuse
			file := &counting{}
			started := time.Now()
			Expect(b.Store.View(b.Ctx, func(tx *store.Tx) error {
				out := bufio.NewWriter(file)
				rows, err := export.Write(tx, export.Query{Report: export.Lines, Format: format, Written: func(rows int64) error {
					if rows%(20*export.AtOnce) == 0 {
						runtime.ReadMemStats(&now)
						highest = max(highest, now.HeapInuse)
					}
					return nil
				}}, out)
				Expect(rows).To(BeNumerically(">", n))
				if format != export.XLSX {
					Expect(out.Flush()).To(Succeed())
					Expect(file.lines).To(BeNumerically(">=", rows))
				}
				return err
			})).To(Succeed())
			grown := int64(highest) - int64(before.HeapInuse)
			AddReportEntry("export", fmt.Sprintf("%s: %d lines, %d MB, in %s; at most %d MB more on the heap", format, n, file.bytes>>20, time.Since(started).Round(time.Millisecond), grown>>20),
				ReportEntryVisibilityAlways)
			Expect(grown).To(BeNumerically("<", most))
		}
	})
})
