package server_test

import (
	"fmt"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"tollkeeper/domain/money"
)

// expects notes the invoice to come of a subscription, a second before it comes.
func (h *pairPlay) expects(s *pairSub) {
	GinkgoHelper()
	if h.get("/v1/subscriptions/"+s.id).expect(200).at("status") != "active" {
		return
	}
	found := h.get("/v1/invoices/upcoming?subscription_id=" + s.id)
	if found.status == 400 { // there is none
		return
	}
	next := found.expect(200)
	s.shown = append(s.shown, pairShown{"the upcoming invoice", next.text("id"), pairDocument(next)})
}

// shows notes the drafts of a day, in their grace period.
func (h *pairPlay) shows(s *pairSub, day string) {
	GinkgoHelper()
	all := h.invoices(s.id)
	for k := range all.list("data") {
		if inv := all.entry("data", k); inv.at("status") == "draft" && inv.text("invoice_date")[:10] == day {
			s.shown = append(s.shown, pairShown{"the draft", inv.text("id"), pairDocument(inv)})
		}
	}
}

// previews notes what a preview of the change of plan shows of the documents that are made at once.
func (h *pairPlay) previews(s *pairSub) {
	GinkgoHelper()
	shown := h.post("/v1/subscriptions/"+s.id+"/preview_plan_change", object{"plan_id": h.next[s.buyer], "change_option": "immediate"}).expect(200)
	for _, of := range []string{"changed_resources.created_invoices", "drafts_after"} {
		for k := range shown.list(of) {
			if inv := shown.entry(of, k); inv.text("invoice_date")[:10] == pairEvents[h.event].ends {
				s.shown = append(s.shown, pairShown{"the preview of the change", "", pairDocument(inv)})
			}
		}
	}
}

// pairDocument writes what a document charges.
func pairDocument(inv value) string {
	GinkgoHelper()
	texts := []string{inv.text("total")}
	for k := range inv.list("line_items") {
		l := inv.entry("line_items", k)
		texts = append(texts, fmt.Sprint(l.at("name"), " from ", l.text("start_date")[:10], ": ", l.at("subtotal"), " ", l.at("adjusted_subtotal"), " ", l.at("amount")))
	}
	return strings.Join(texts, "; ")
}

// views compares what is shown elsewhere with the documents that were issued: drafts, upcoming invoices and
// previews before them, explanations of their lines, and costs of the days.
func (h *pairPlay) views(s *pairSub) (differ []string) {
	GinkgoHelper()
	issued, texts := map[string]string{}, []string{}
	all := h.invoices(s.id)
	for k := range all.list("data") {
		inv := all.entry("data", k)
		text := pairDocument(inv)
		if inv.at("status") == "draft" {
			continue
		}
		issued[inv.text("id")], texts = text, append(texts, text)
		for n := range inv.list("line_items") {
			differ = append(differ, h.explained(inv, inv.entry("line_items", n))...)
		}
	}
	for _, shown := range s.shown {
		if text, known := issued[shown.id]; known && text != shown.text || !known && !slices.Contains(texts, shown.text) {
			differ = append(differ, fmt.Sprintf("%s showed %q, issued was %q of %q", shown.where, shown.text, text, texts))
		}
	}
	if !h.costsApart(s) {
		differ = append(differ, h.costs(s)...)
	}
	return differ
}

// costs compares what the days cost with what was charged: the last total of the billing period and, where pairs
// are chosen by name or all, the sum of the days.
func (h *pairPlay) costs(s *pairSub) (differ []string) {
	GinkgoHelper()
	charged := pairSum(h.charged(s))
	end, _ := pairLaw{prices: h.prices}.end()
	ask := func(mode, from, to string) (sum money.Decimal) {
		days := h.get("/v1/subscriptions/" + s.id + "/costs?timeframe_start=" + from + "&timeframe_end=" + to + "&view_mode=" + mode).expect(200)
		for _, total := range days.each("data", "total") {
			sum = sum.Add(money.Must(total.(string)))
		}
		return sum
	}
	last := end
	if e := pairEvents[h.event]; e.name == "cancellation" {
		last = e.ends
	}
	sums := map[string]money.Decimal{
		"cumulative": ask("cumulative", instant(last+"T00:00:00Z").AddDate(0, 0, -1).Format("2006-01-02"), last),
	}
	if os.Getenv("SPEC_PAIRS") != "" {
		sums["periodic"] = ask("periodic", "2025-01-01", end)
	}
	for mode, sum := range sums {
		if off := sum.Sub(charged).Abs().Mul(money.FromInt(100)); off.Cmp(money.FromInt(h.roundings())) > 0 {
			differ = append(differ, fmt.Sprintf("%s costs are %s, charged is %s", mode, sum.StringFixed(2), charged.StringFixed(2)))
		}
	}
	return differ
}

// explained compares a line with its explanation, whose steps lead from the subtotal to the amount.
func (h *pairPlay) explained(inv, line value) (differ []string) {
	GinkgoHelper()
	shown := h.get("/v1/invoices/" + inv.text("id") + "/line_items/" + line.text("id") + "/explanation").expect(200)
	at := money.Must(shown.text("rating.subtotal"))
	for k := range shown.list("adjustments") {
		a := shown.entry("adjustments", k)
		if !money.Must(a.text("before")).Equal(at) {
			differ = append(differ, fmt.Sprintf("the explanation of %s goes on from %s at %s", line.at("name"), at, a.text("before")))
		}
		at = at.Add(money.Must(a.text("amount")))
	}
	left := at
	for _, less := range []string{"credits_applied", "partially_invoiced_amount"} {
		left = left.Sub(money.Must(shown.text(less)))
	}
	steps := []string{shown.text("rating.subtotal"), at.StringFixed(2), left.StringFixed(2)}
	of := []string{line.text("subtotal"), line.text("adjusted_subtotal"), line.text("amount")}
	if !slices.Equal(steps, of) {
		differ = append(differ, fmt.Sprintf("the explanation of %s leads to %v, the line has %v", line.at("name"), steps, of))
	}
	return differ
}

// costsApart reports whether costs do not follow the documents. Fees in advance are charged in full and given back
// by days at an early end, where no document in arrears settles the adjustment (price models 6.7.16). Costs are
// those of the days served, which is not the same share of a tier, nor of a minimum that does not have all days, nor
// of maximums that follow each other.
func (h *pairPlay) costsApart(s *pairSub) bool {
	p := pairPrices[h.prices]
	if s.adjustment == nil || pairEvents[h.event].ends == "" || p.usage > 0 || p.arrears {
		return false
	}
	kind := s.adjustment.body["adjustment_type"]
	amid := pairWindows[h.window].amid
	return kind == "tiered_percentage_discount" || kind == "minimum" && amid || kind == "maximum" && len(pairTerms(*s.adjustment, h.window, h.day)) > 1
}

// roundings are the cents by which fees that are given back by days may differ from the costs of their days.
func (h *pairPlay) roundings() int64 {
	if pairEvents[h.event].ends == "" {
		return 0
	}
	return int64(pairPrices[h.prices].advance)
}
