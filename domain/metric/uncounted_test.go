package metric_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// uncounted tells of events with these properties, by their places from 1, which match a metric,
// and which of those it has no number of.
func uncounted(sql string, properties ...string) (matched, lacking []int64) {
	GinkgoHelper()
	events := make([]eventRow, len(properties))
	for i, p := range properties {
		events[i] = eventRow{properties: p}
	}
	f := compiled(sql).Uncounted(beside("1 AS slice", events))
	var found []struct {
		Seq     int64
		Lacking bool
	}
	Expect(database.View(account, func(tx *store.Tx) error {
		if err := tx.Exec("SET LOCAL ROLE tollkeeper_metric").Error; err != nil {
			return err
		}
		return tx.Raw("SELECT seq, lacking FROM ("+f.SQL+") AS f ORDER BY seq", f.Args...).Scan(&found).Error
	})).To(Succeed(), f.SQL)
	for _, row := range found {
		matched = append(matched, row.Seq+1)
		if row.Lacking {
			lacking = append(lacking, row.Seq+1)
		}
	}
	return matched, lacking
}

var _ = DescribeTable("An event that a metric cannot count",
	func(sql string, matched, lacking []int64) {
		is, lacks := uncounted(sql, `{"n": 5, "r": "eu"}`, `{"n": "5", "r": "eu"}`, `{"n": "1,5", "r": "us"}`, `{"r": "us"}`, `{"n": true}`)
		Expect(is).To(Equal(matched))
		Expect(lacks).To(Equal(lacking))
	},
	Entry("has text, a boolean or nothing where it sums", `SELECT SUM(n) FROM events`, []int64{1, 2, 3, 4, 5}, []int64{2, 3, 4, 5}),
	Entry("passes the conditions", `SELECT SUM(n) FROM events WHERE r = 'us'`, []int64{3, 4}, []int64{3, 4}),
	Entry("has none of the numbers of a calculation", `SELECT SUM(n / 60) FROM events WHERE r = 'eu'`, []int64{1, 2}, []int64{2}),
	Entry("is none where events alone are counted", `SELECT COUNT(n) FROM events`, []int64{1, 2, 3, 4, 5}, []int64(nil)),
	Entry("is none where a CASE gives nothing for it", `SELECT SUM(CASE WHEN r = 'eu' THEN n END) FROM events`, []int64{1, 2, 3, 4, 5}, []int64{2}),
	Entry("is none where a CASE says NULL", `SELECT SUM(CASE WHEN r = 'eu' THEN n * 2 ELSE NULL END) FROM events`, []int64{1, 2, 3, 4, 5}, []int64{2}),
	Entry("is none where NULLIF takes its number away", `SELECT SUM(NULLIF(n, 5)) FROM events`, []int64{1, 2, 3, 4, 5}, []int64{2, 3, 4, 5}),
	Entry("is none where a number stands for what is missing", `SELECT SUM(COALESCE(n, 1)) FROM events`, []int64{1, 2, 3, 4, 5}, []int64(nil)),
	Entry("is none where text is read as a number", `SELECT SUM(CAST(n AS DECIMAL)) FROM events WHERE r = 'eu'`, []int64{1, 2}, []int64(nil)),
	Entry("lacks one of two numbers", `SELECT SUM(n) + MAX(m) FROM events WHERE r = 'eu'`, []int64{1, 2}, []int64{1, 2}),
	Entry("is looked for in the first fold", `SELECT SUM(x) FROM (SELECT MAX(n) AS x, r FROM events WHERE r = 'eu' GROUP BY r) t`, []int64{1, 2}, []int64{2}),
	Entry("is looked for through a sub-query that folds nothing", `SELECT SUM(x) FROM (SELECT n * 2 AS x, r FROM events) t WHERE r = 'us'`, []int64{3, 4}, []int64{3, 4}),
	Entry("has none that is the latest", `SELECT LATEST_BY(n, timestamp) FROM events WHERE r = 'eu'`, []int64{1, 2}, []int64{2}),
	Entry("may be no number where its text is compared", `SELECT COUNT(*) FROM events HAVING LATEST_BY(r, timestamp) = 'eu'`, []int64{1, 2, 3, 4, 5}, []int64(nil)),
)
