package license_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/license"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

var _ = Describe("What licenses draw", func() {
	first := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return first.AddDate(0, 0, n) }
	days := func(from, to int) period.Period { return period.Period{Start: day(from), End: day(to)} }

	// world is 20 days in which licenses of a few names come and go, allowances of two
	// units follow each other, and names use credits.
	world := func(t *rapid.T) (allowances []license.Allowance, licenses []license.License, uses []license.Use) {
		units := rapid.SampledFrom([]money.Currency{money.Credits, "USD"})
		amount := rapid.Map(rapid.Int64Range(0, 50), money.FromInt)
		for _, unit := range []money.Currency{money.Credits, "USD"} {
			for from := 0; from < 20; {
				to := from + rapid.IntRange(1, 10).Draw(t, "days")
				allowances = append(allowances, license.Allowance{
					Period: days(from, to), Unit: unit, Amount: amount.Draw(t, "granted"), WritesOff: rapid.Bool().Draw(t, "writes off"),
				})
				from = to
			}
		}
		for _, name := range []string{"a", "b"} {
			for from := rapid.IntRange(0, 5).Draw(t, "from"); from < 20; from += rapid.IntRange(0, 3).Draw(t, "gap") {
				to := from + rapid.IntRange(1, 8).Draw(t, "days")
				end := day(to)
				licenses = append(licenses, license.License{
					Record: store.Record{ID: fmt.Sprint(name, from)}, ExternalID: name, StartAt: day(from), EndAt: &end,
				})
				from = to
			}
		}
		for n := range 20 {
			for range rapid.IntRange(0, 4).Draw(t, "uses") {
				uses = append(uses, license.Use{
					ExternalID: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), Unit: units.Draw(t, "unit"),
					Credits: amount.Draw(t, "used"), Time: days(n, n+1),
				})
			}
		}
		return allowances, licenses, uses
	}

	It("is what they used, never beyond what they have, and not less while they have some", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			allowances, licenses, uses := world(t)
			drawn := map[string]money.Decimal{}
			for k, d := range license.DrawOn(allowances, licenses, uses) {
				if d.Use != uses[k] || !d.Own.Add(d.Shared).Add(d.WrittenOff).Equal(d.Credits) {
					t.Fatalf("use %d came to %+v", k, d)
				}
				if d.License == nil {
					if !d.Shared.Equal(d.Credits) {
						t.Fatalf("without a license, %s of %s was shared", d.Shared, d.Credits)
					}
					continue
				}
				allowance := allowances[d.Allowance]
				if d.License.Status(d.Time.Start) != license.StatusActive || !allowance.Period.Contains(d.Time.Start) || allowance.Unit != d.Unit {
					t.Fatalf("use %d drew on %+v by %+v", k, allowance, d.License)
				}
				account := fmt.Sprint(d.License.ID, " ", d.Allowance)
				drawn[account] = drawn[account].Add(d.Own)
				beyond := d.Shared.Add(d.WrittenOff).Sign() > 0
				if drawn[account].Cmp(allowance.Amount) > 0 || beyond && !drawn[account].Equal(allowance.Amount) {
					t.Fatalf("%s drew %s of %s", account, drawn[account], allowance.Amount)
				}
				if allowance.WritesOff && !d.Shared.IsZero() || !allowance.WritesOff && !d.WrittenOff.IsZero() {
					t.Fatalf("what was beyond went elsewhere: %+v", d)
				}
			}
		})
	})

	It("restarts with each period: what was left is gone", func() {
		licenses := []license.License{{Record: store.Record{ID: "l"}, ExternalID: "a", StartAt: first}}
		allowances := []license.Allowance{
			{Period: days(0, 30), Unit: money.Credits, Amount: money.FromInt(100)},
			{Period: days(30, 61), Unit: money.Credits, Amount: money.FromInt(100)},
		}
		used := func(n int, credits int64) license.Use {
			return license.Use{ExternalID: "a", Unit: money.Credits, Credits: money.FromInt(credits), Time: days(n, n+1)}
		}
		draws := license.DrawOn(allowances, licenses, []license.Use{used(29, 40), used(30, 130)})
		Expect(draws[0].Own.String()).To(Equal("40"))
		Expect(draws[1].Own.String()).To(Equal("100"))
		Expect(draws[1].Shared.String()).To(Equal("30"))
	})

	It("gives back what usage below zero takes back, never more than the allowance", func() {
		licenses := []license.License{{Record: store.Record{ID: "l"}, ExternalID: "a", StartAt: first}}
		allowances := []license.Allowance{{Period: days(0, 30), Unit: money.Credits, Amount: money.FromInt(100)}}
		var uses []license.Use
		for n, credits := range []int64{-5, 130, -40} {
			uses = append(uses, license.Use{ExternalID: "a", Unit: money.Credits, Credits: money.FromInt(credits), Time: days(n, n+1)})
		}
		told := []string{}
		for _, d := range license.DrawOn(allowances, licenses, uses) {
			told = append(told, fmt.Sprintf("%s own, %s shared", d.Own, d.Shared))
		}
		Expect(told).To(Equal([]string{"0 own, -5 shared", "100 own, 30 shared", "-15 own, -25 shared"}))
	})

	It("is the difference under an allowance that follows another, and never takes back what was drawn", func() {
		licenses := []license.License{{Record: store.Record{ID: "l"}, ExternalID: "a", StartAt: first}}
		part := func(from, to int, amount int64, of string) license.Allowance {
			return license.Allowance{Period: days(from, to), Unit: money.Credits, Amount: money.FromInt(amount), Of: of}
		}
		used := func(n int, credits int64) license.Use {
			return license.Use{ExternalID: "a", Unit: money.Credits, Credits: money.FromInt(credits), Time: days(n, n+1)}
		}
		told := []string{}
		for _, d := range license.DrawOn(
			[]license.Allowance{part(0, 10, 100, "x"), part(10, 20, 150, "x"), part(20, 25, 90, "x"), part(25, 30, 160, "x"), part(30, 60, 160, "y")},
			licenses, []license.Use{used(1, 130), used(11, 20), used(21, 5), used(22, -8), used(26, 70), used(31, 170)},
		) {
			told = append(told, fmt.Sprintf("%s own, %s shared", d.Own, d.Shared))
		}
		Expect(told).To(Equal([]string{
			"100 own, 30 shared", "20 own, 0 shared", "0 own, 5 shared", "-3 own, -5 shared", "43 own, 27 shared", "160 own, 10 shared",
		}))
	})
})
