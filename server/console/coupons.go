package console

import (
	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// couponsPage lists coupons, the newest first.
func couponsPage(v *visit) (templ.Component, error) {
	page, err := fetch[gen.CouponPage](v, "listCoupons", nil, v.filters("redemption_code", "show_archived"))
	if err != nil {
		return nil, err
	}
	t := table{Label: "Coupons", Links: true, Columns: []column{{"Code", ""}, {"Discount", ""}, {"Months", "num mid"}, {"Redeemed", "num"}, {"At most", "num wide"}, {"State", ""}}}
	for _, c := range page.Data {
		t.Rows = append(t.Rows, []templ.Component{
			rowLink(link("coupons", c.ID), c.RedemptionCode, ""), text(adjustmentTerms(termsOf(c.Discount))), optionalWhole(c.DurationInMonths), whole(c.TimesRedeemed), optionalWhole(c.MaxRedemptions), couponBadge(c),
		})
	}
	create := doing{Operation: "createCoupon", Name: "New coupon", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:    head{Title: "Coupons", Lead: "Discounts that are redeemed by a code.", Actions: v.actions(create)},
		Filters: []choice{{v.here("show_archived", ""), "In use", v.query("show_archived") == ""}, {v.here("show_archived", "true"), "Archived too", v.query("show_archived") == "true"}},
		Search:  &searchField{"redemption_code", "Code", v.query("redemption_code")},
		Table:   t,
		Pager:   v.pager("coupons", len(page.Data), page.PaginationMetadata.NextCursor),
		Narrow:  v.filtered(), All: link("coupons"),
		Empty: empty{Icon: "card", Title: "No coupons yet", Text: "A coupon is a discount that a subscription gets by a code.", Action: v.first(create)},
	}), nil
}

func couponBadge(c gen.Coupon) templ.Component {
	if c.ArchivedAt != nil {
		return badge("Archived", "plain")
	}
	return badge("In use", "good")
}

// couponPage shows a coupon with the subscriptions that redeemed it.
func couponPage(v *visit) (templ.Component, error) {
	path := params{"coupon_id": v.param("id")}
	c, err := fetch[gen.Coupon](v, "fetchCoupon", path, nil)
	if err != nil {
		return nil, err
	}
	r := record{
		Head:  head{Crumbs: []crumb{{link("coupons"), "Coupons"}}, Title: c.RedemptionCode, Badge: couponBadge(c), Meta: []templ.Component{copyable(c.ID)}},
		Title: "Coupon", Facts: []fact{
			{"Discount", text(adjustmentTerms(termsOf(c.Discount)))},
			{"Months", optionalWhole(c.DurationInMonths)},
			{"Redeemed", whole(c.TimesRedeemed)},
			{"At most", optionalWhole(c.MaxRedemptions)},
			{"Archived", optionalInstant(c.ArchivedAt)},
		},
	}
	if c.ArchivedAt == nil {
		r.Head.Actions = v.actions(doing{Operation: "archiveCoupon", Name: "Archive", Kind: "danger", Known: []string{"coupon_id", c.ID}})
	}
	page, err := fetch[gen.SubscriptionPage](v, "listCouponSubscriptions", path, v.filters())
	if err != nil {
		return nil, err
	}
	r.Tables = []titled{{"Subscriptions that redeemed it", subscriptionTable(page.Data)}}
	return recordPage(v, r), nil
}
