package catalog_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// contents is a version as the model sees it: names of prices in order, and values of
// adjustments in the order of their making.
type contents struct{ prices, adjustments []string }

func contentsOf(v catalog.PlanVersion) (c contents) {
	c = contents{names(v.Prices), nil}
	for _, a := range v.Adjustments {
		c.adjustments = append(c.adjustments, a.Value.String())
	}
	return c
}

var _ = Describe("Versions", func() {
	It("are what their differences make of each other, and stay so", func() {
		s := open()
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			plan := s.plan("property")
			made, fresh := []contents{{}}, 0
			next := func() int { fresh++; return fresh }
			base := s.version(plan, 1)
			for range rapid.IntRange(1, 4).Draw(r, "versions") {
				last := made[len(made)-1]
				model := contents{slices.Clone(last.prices), slices.Clone(last.adjustments)}
				in := catalog.NewVersion{Version: len(made) + 1}
				kept := map[string]bool{}
				for _, p := range base.Prices {
					switch at := slices.Index(model.prices, p.Name); rapid.SampledFrom([]string{"keep", "keep", "remove", "replace"}).Draw(r, "price") {
					case "keep":
						kept[p.ID] = true
					case "remove":
						in.RemovePrices = append(in.RemovePrices, catalog.Removal{ID: p.ID})
						model.prices = slices.Delete(model.prices, at, at+1)
					case "replace":
						name := fmt.Sprint("price ", next())
						in.ReplacePrices = append(in.ReplacePrices, catalog.PlanPrice{Price: s.named(name), ReplacesPriceID: p.ID})
						model.prices[at] = name
					}
				}
				for range rapid.IntRange(0, 3).Draw(r, "added prices") {
					name := fmt.Sprint("price ", next())
					in.AddPrices = append(in.AddPrices, placed(s.named(name))...)
					model.prices = append(model.prices, name)
				}
				var replacements []string
				for _, a := range base.Adjustments {
					at := slices.Index(model.adjustments, a.Value.String())
					switch rapid.SampledFrom([]string{"keep", "remove", "replace"}).Draw(r, "adjustment") {
					case "keep":
						kept[a.ID] = true
						continue
					case "remove":
						in.RemoveAdjustments = append(in.RemoveAdjustments, catalog.Removal{ID: a.ID})
					case "replace":
						n := next()
						in.ReplaceAdjustments = append(in.ReplaceAdjustments, catalog.PlanAdjustment{Adjustment: off(n), ReplacesAdjustmentID: a.ID})
						replacements = append(replacements, fmt.Sprint(n))
					}
					model.adjustments = slices.Delete(model.adjustments, at, at+1)
				}
				model.adjustments = append(model.adjustments, replacements...)
				for range rapid.IntRange(0, 2).Draw(r, "added adjustments") {
					n := next()
					in.AddAdjustments = append(in.AddAdjustments, catalog.PlanAdjustment{Adjustment: off(n)})
					model.adjustments = append(model.adjustments, fmt.Sprint(n))
				}

				before := base
				base = s.change(plan, in)
				made = append(made, model)
				for _, p := range before.Prices {
					Expect(slices.ContainsFunc(base.Prices, func(o catalog.Price) bool { return o.ID == p.ID })).To(Equal(kept[p.ID]))
				}
				for _, a := range before.Adjustments {
					Expect(slices.ContainsFunc(base.Adjustments, func(o catalog.Adjustment) bool { return o.ID == a.ID })).To(Equal(kept[a.ID]))
				}
			}
			for i, model := range made {
				Expect(fmt.Sprint(contentsOf(s.version(plan, i+1)))).To(Equal(fmt.Sprint(model)))
			}
		})
	})

	It("are made and read without a query for each price", func() {
		s := open()
		queries := func(prices int) (made, read int) {
			in := catalog.NewPlan{Name: "Big", Currency: "USD", Status: catalog.PlanActive}
			for i := range prices {
				in.Prices = append(in.Prices, catalog.PlanPrice{Price: s.named(fmt.Sprint(i)), ReferenceID: ref(fmt.Sprint(i))})
				on := off(i)
				on.PriceIDs = []string{fmt.Sprint(i)}
				in.Adjustments = append(in.Adjustments, catalog.PlanAdjustment{Adjustment: on})
			}
			s.update(func(tx *store.Tx) error {
				var plan catalog.Plan
				made = counted(tx, func(tx *store.Tx) (err error) {
					if plan, err = catalog.CreatePlan(tx, in); err != nil {
						return err
					}
					_, err = catalog.CreateVersion(tx, plan.ID, catalog.NewVersion{Version: 2, Difference: catalog.Difference{AddPrices: in.Prices}})
					return err
				})
				read = counted(tx, func(tx *store.Tx) error {
					versions, err := catalog.DefaultVersions(tx, []catalog.Plan{plan})
					Expect(versions[plan.ID].Prices).To(HaveLen(prices))
					Expect(versions[plan.ID].Adjustments).To(HaveLen(prices))
					return err
				})
				return nil
			})
			return made, read
		}
		fewMade, fewRead := queries(2)
		manyMade, manyRead := queries(200)
		Expect(manyMade).To(Equal(fewMade))
		Expect(manyRead).To(Equal(fewRead))
		Expect(fewRead).To(BeNumerically(">", 0))
	})
})

// counted tells how many statements fn sends.
func counted(tx *store.Tx, fn func(tx *store.Tx) error) (statements int) {
	GinkgoHelper()
	watched := *tx
	watched.DB = tx.Session(&gorm.Session{Logger: counter{tx.Logger, &statements}})
	Expect(fn(&watched)).To(Succeed())
	return statements
}

// off is a discount of that much from everything.
func off(amount int) catalog.NewAdjustment {
	return catalog.NewAdjustment{Kind: rating.AmountDiscount, Value: money.FromInt(int64(amount)), InvoiceLevel: true}
}
