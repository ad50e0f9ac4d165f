package console_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/console"
	"tollkeeper/server/contract"
)

// The most that a form has.
const (
	mostRows    = 200
	largestPage = 5 << 20
)

func cloned(values url.Values) url.Values {
	all := url.Values{}
	for name, each := range values {
		all[name] = slices.Clone(each)
	}
	return all
}

var _ = Describe("The rows of a form", func() {
	var document *openapi3.T
	BeforeEach(func() { document = contract.Load().Document })

	// rows is the number of rows that a page shows.
	rows := func(page string) int { return strings.Count(page, `name="rows"`) }

	It("are those that are named, whatever number one has, in every list of every form", func() {
		lists := 0
		for _, operation := range console.Operations(document) {
			for list, values := range console.Lists(document, operation) {
				lists++
				page := func(names ...string) string {
					GinkgoHelper()
					given := cloned(values)
					given.Set("once", "form_1")
					for _, name := range names {
						given.Add("rows", name)
					}
					html, err := console.PageOf(document, operation, given)
					Expect(err).NotTo(HaveOccurred(), "%s, %s", operation, list)
					Expect(len(html)).To(BeNumerically("<=", largestPage), "%s, %s", operation, list)
					return html
				}
				one := page(list + "[0]")
				Expect(page(list+"[999]")).To(Equal(one), "%s, %s", operation, list)
				var hostile []string
				for _, number := range []string{"0", "999", "999999", "-1", "+1", "007", "1e9", " 1", "99999999999999999999", "0][0", "[[[["} {
					hostile = append(hostile, list+"["+number+"]")
				}
				Expect(rows(page(hostile...))).To(BeNumerically("<=", rows(one)*3), "%s, %s: three numbers are ones of rows", operation, list)
			}
		}
		Expect(lists).To(BeNumerically(">", 40))
	})

	// The rule: semantics 21.2.5.
	It("are at most 200 in all, and one more is refused before any is made", func() {
		for _, operation := range console.Operations(document) {
			all := url.Values{}
			for list := range console.Lists(document, operation) {
				for number := range mostRows {
					all.Add("rows", fmt.Sprintf("%s[%d]", list, number*7))
				}
			}
			if len(all) == 0 {
				continue
			}
			all.Add("rows", "one[0].two[1].three[2]")
			html, err := console.PageOf(document, operation, all)
			Expect(html).To(BeEmpty(), operation)
			Expect(err).To(MatchError(ContainSubstring("200 rows in all")), operation)
		}
	})

	It("make no page of more than 5 MB, however large each is", func() {
		tooLong := 0
		for _, operation := range []string{"simulatePlan", "createPlan", "createSubscription", "changePriceIntervals"} {
			for list, given := range console.Lists(document, operation) {
				if strings.Contains(list, "[") {
					continue // lists in rows of others are as long together
				}
				values := cloned(given)
				values.Del("rows")
				for number := range mostRows - 10 { // what is chosen may be in rows, too
					values.Add("rows", fmt.Sprintf("%s[%d]", list, number))
				}
				html, err := console.PageOf(document, operation, values)
				Expect(len(html)).To(BeNumerically("<=", largestPage), "%s, %s", operation, list)
				if err != nil {
					tooLong++
					Expect(err).To(MatchError(ContainSubstring("longer than 5 MB")), "%s, %s", operation, list)
				}
			}
		}
		Expect(tooLong).To(BeNumerically(">", 0))
	})

	It("are few for a short request of nested names", func() {
		nested := "add_prices[1].price.tiered_config.tiers[2]"
		values := url.Values{}
		for number := range 300 {
			values.Add("rows", strings.Replace(nested, "[1]", fmt.Sprintf("[%d]", number), 1))
		}
		_, err := console.PageOf(document, "simulatePlan", values)
		Expect(err).To(MatchError(ContainSubstring("200 rows in all")))
	})

	It("lie eight deep at most, and have names of 500 characters", func() {
		for _, name := range []string{"add_prices" + strings.Repeat("[9]", 9), strings.Repeat("[", 80_000), "add_prices[0]." + strings.Repeat("a", 500)} {
			for _, values := range []url.Values{{name: {"x"}}, {"rows": {name}}, {"add": {name}}, {"remove": {name}}} {
				html, err := console.PageOf(document, "simulatePlan", values)
				Expect(html).To(BeEmpty())
				Expect(err).To(MatchError(ContainSubstring("at most 500 characters")))
			}
		}
	})

	It("get numbers without holes, with what stands in them", func() {
		values := url.Values{"model_type": {"tiered"}, "tiered_config.tiers[7].unit_amount": {"0.7"}, "tiered_config.tiers[3].unit_amount": {"0.3"}}
		Expect(console.FormOf(document, "createPrice", values).Body()).To(ContainSubstring(`"tiers":[{"unit_amount":"0.3"},{"unit_amount":"0.7"}]`))
	})
})
