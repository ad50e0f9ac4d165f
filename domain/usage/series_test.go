package usage_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A series that cannot be kept", func() {
	const text = "SELECT SUM(n) FROM events"
	req := usage.Request{Query: nil, Subjects: []string{"e:acme"}, Cuts: []time.Time{noon.Add(-24 * time.Hour), noon.Add(24 * time.Hour)}}
	var d fixture
	from := func() (buckets bool) {
		GinkgoHelper()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
			buckets, err = usage.FromBuckets(tx, req)
			return err
		})).To(Succeed())
		return buckets
	}
	exec := func(sql string) {
		GinkgoHelper()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return tx.Exec(sql, tx.AccountID).Error })).To(Succeed())
	}
	BeforeEach(func() {
		d = newFixture()
		req.Query = query(text)
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			return usage.TrackMetrics(tx, []usage.Request{req, {Query: query("SELECT COUNT(*) FROM events")}})
		})).To(Succeed())
		d.send(call("a", `"properties": {"n": 2}`))
		d.settle()
		Expect(from()).To(BeTrue())
	})

	It("is read from events, keeps no other, and catches up when it can", func() {
		exec("UPDATE usage_series SET metric = 'SELECT of another language' WHERE account_id = ? AND metric = '" + text + "'")
		d.send(call("b", `"properties": {"n": 3}`))
		d.settle()
		exec("UPDATE usage_series SET metric = '" + text + "' WHERE account_id = ? AND failure IS NOT NULL")
		Expect(from()).To(BeFalse())
		Expect(d.ask(text, "e:acme")).To(Equal("5"))
		Expect(d.count()).To(Equal("2"))
		exec("UPDATE usage_series SET failed_at = failed_at - interval '1 hour' WHERE account_id = ?")
		d.settle()
		Expect(from()).To(BeTrue())
		Expect(d.ask(text, "e:acme")).To(Equal("5"))
	})

	It("begins again when its buckets were emptied meanwhile", func() {
		exec("UPDATE usage_series SET metric = 'SELECT of another language' WHERE account_id = ? AND metric = '" + text + "'")
		d.correct("a", `properties = '{"n": 7}'`)
		d.settle()
		exec("UPDATE usage_series SET metric = '" + text + "', failed_at = NULL WHERE account_id = ? AND failure IS NOT NULL")
		d.settle()
		Expect(from()).To(BeTrue())
		Expect(d.ask(text, "e:acme")).To(Equal("7"))
	})
})

var _ = Describe("A series whose metric looks at more properties than a row has columns", func() {
	It("is kept beside one of the same properties", func() {
		names := make([]string, 1700)
		for i := range names {
			names[i] = fmt.Sprint("n", i)
		}
		var greatest []string
		for some := range slices.Chunk(names, 100) {
			greatest = append(greatest, "GREATEST("+strings.Join(some, ",")+")")
		}
		of := "SELECT SUM(GREATEST(" + strings.Join(greatest, ",") + ")) FROM events"
		const another = "SELECT SUM(n1699) FROM events WHERE n0 = 1"
		d := newFixture()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			return usage.TrackMetrics(tx, []usage.Request{{Query: query(of)}, {Query: query(another)}})
		})).To(Succeed())
		d.send(call("a", `"properties": {"n0": 1, "n1699": 2}`), call("b", `"properties": {"n0": 5, "n1699": 3}`))
		d.settle()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			var failures []string
			Expect(tx.Raw("SELECT failure FROM usage_series WHERE account_id = ? AND failure IS NOT NULL", tx.AccountID).Scan(&failures).Error).To(Succeed())
			Expect(failures).To(BeEmpty())
			return nil
		})).To(Succeed())
		Expect(d.ask(of, "e:acme")).To(Equal("7"))
		Expect(d.ask(another, "e:acme")).To(Equal("2"))
	})
})
