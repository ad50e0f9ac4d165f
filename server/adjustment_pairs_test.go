package server_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// pairShare is how many runs with seeds one after the other take all histories, each of them once.
const pairShare = 20

// Each adjustment meets each event of a period that several documents bill. The documents charge together what
// the adjustment leaves of the whole amount (price models 6.7). The whole amount is what the same history charges
// without an adjustment. What is shown of the documents elsewhere equals them.
//
// A run takes one of pairShare histories, which its seed chooses. SPEC_PAIRS=all takes them all, another value
// those whose name it matches.
var _ = Describe("Each adjustment with each event of a period", func() {
	// chosen are the adjustments of a window.
	chosen := func(window int) (chosen []pairAdjustment) {
		w := pairWindows[window]
		for _, a := range pairAdjustments {
			if !(w.amid && a.whole || w.coupon && a.coupon == nil) {
				chosen = append(chosen, a)
			}
		}
		return chosen
	}
	number, taken, turn := 0, 0, int(GinkgoRandomSeed()%pairShare)
	takes := func(name string) bool {
		switch only := os.Getenv("SPEC_PAIRS"); only {
		case "":
			return number%pairShare == turn
		case "all":
			return true
		default:
			return regexp.MustCompile(only).MatchString(name)
		}
	}
	for prices := range pairPrices {
		var histories [][2]int // an event and a window
		pairs := 0
		for event := range pairEvents {
			for window, w := range pairWindows {
				if !pairApplies(prices, pairEvents[event].name) || w.amid && !pairEvents[event].amid || w.parts && !pairPrices[prices].inParts {
					continue
				}
				number++
				pairs += len(chosen(window))
				if takes(strings.Join([]string{pairPrices[prices].name, pairEvents[event].name, w.name}, ", ")) {
					histories = append(histories, [2]int{event, window})
					taken++
				}
			}
		}
		It("charges in all documents what one document for the period would charge: "+pairPrices[prices].name, func() {
			played := 0
			var differ []string
			for _, each := range histories {
				event, window := each[0], each[1]
				h := pairHistory(prices, event, window, chosen(window))
				without := h.charged(h.subs[0])
				for _, s := range h.subs {
					adjustment, found := "no adjustment", h.views(s)
					if s.adjustment != nil {
						adjustment = strings.TrimSpace(s.adjustment.name + " " + pairWindows[window].name)
						played++
						found = append(found, h.compare(s, without)...)
					}
					name := strings.Join([]string{pairPrices[prices].name, pairEvents[event].name, adjustment}, ", ")
					for _, text := range found {
						differ = append(differ, name+": "+text)
					}
				}
			}
			slices.Sort(differ)
			AddReportEntry("pairs", fmt.Sprintf("%d of %d", played, pairs))
			Expect(strings.Join(differ, "\n")).To(BeEmpty())
		})
	}
	It("is played at all", func() {
		Expect(taken).NotTo(BeZero(), "SPEC_PAIRS matches no history")
	})
})

// compare compares what a subscription was charged with what the law makes of the lines without its adjustment.
func (h *pairPlay) compare(s *pairSub, without []pairLine) (differ []string) {
	GinkgoHelper()
	e := pairEvents[h.event]
	got := h.charged(s)
	without = slices.Clone(without)
	asReached(without, got)
	law := pairLaw{pairAdjustment: *s.adjustment, terms: pairTerms(*s.adjustment, h.window, h.day), prices: h.prices, ends: e.ends}
	law.onward = e.onward && !pairWindows[h.window].coupon && !strings.Contains(pairWindows[h.window].name, "begins")
	want, cents := law.want(without)
	sum := pairSum(got)
	if off := sum.Sub(want).Abs(); off.Mul(money.FromInt(100)).Cmp(money.FromInt(cents)) > 0 {
		differ = append(differ, fmt.Sprintf("%s, expected %s of [%s]; charged [%s]", sum.StringFixed(2), want.StringFixed(2), pairText(without), pairText(got)))
	}
	return differ
}

// asReached makes lines of partial invoices those that there are under an adjustment. The threshold is reached by
// what that leaves, so it may be on another day of the month, or not at all: then the next invoice charges what the
// partial one did.
func asReached(without, got []pairLine) {
	for k := range without {
		l := &without[k]
		if !l.partial {
			continue
		}
		now := slices.IndexFunc(got, func(g pairLine) bool { return g.partial && g.name == l.name && g.dated[:7] == l.dated[:7] })
		next := k + 1 + slices.IndexFunc(without[k+1:], func(after pairLine) bool { return after.name == l.name })
		switch {
		case now >= 0:
			l.end, l.dated = got[now].end, got[now].dated
			if next > k {
				without[next].start = l.end
			}
		case next > k:
			l.end, l.dated, l.partial = without[next].end, without[next].dated, false
		}
	}
}
