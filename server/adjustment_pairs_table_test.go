package server_test

import (
	"encoding/json"

	"tollkeeper/domain/money"
)

// pairPrices are the prices of the table. Each of them has usage, or a fee that another fee can be added to.
var pairPrices = []struct {
	name    string
	usage   int  // prices of usage
	advance int  // fees in advance
	arrears bool // a fee in arrears
	inParts bool // a quarter that is invoiced by months; else a month
}{
	{name: "one price in parts", usage: 1, inParts: true},
	{name: "two prices in parts", usage: 2, inParts: true},
	{name: "a price in parts and a fee at the end", usage: 1, arrears: true, inParts: true},
	{name: "one price", usage: 1},
	{name: "two prices", usage: 2},
	{name: "a fee in arrears and usage", usage: 1, arrears: true},
	{name: "a fee in advance", advance: 1},
	{name: "two fees in advance", advance: 2},
	{name: "a fee in advance and usage", usage: 1, advance: 1},
	{name: "fees in both modes and usage", usage: 1, advance: 1, arrears: true},
}

// pairEvents are what happens in the period, on the 16th of January if nothing else is said.
var pairEvents = []struct {
	name    string
	amid    bool   // beside adjustments that begin, end or change inside the cycle too
	ends    string // the first plan, on that day
	onward  bool   // the next plan has the adjustment too
	ahead   bool   // the change of plan is asked for before its day
	threshs bool   // with a threshold
	backs   bool   // a backfill is reflected and then reverted
}{
	{name: "nothing", amid: true},
	{name: "threshold", amid: true, threshs: true},
	{name: "more seats", amid: true},
	{name: "fewer seats", amid: true},
	{name: "fee added", amid: true},
	{name: "fee ended"},
	{name: "cancellation", amid: true, ends: "2025-01-21"},
	{name: "cancellation taken back"},
	{name: "usage removed", amid: true},
	{name: "backfill reverted", backs: true},
	{name: "threshold and backfill reverted", threshs: true, backs: true},
	{name: "plan change", amid: true, ends: "2025-01-16", onward: true},
	{name: "plan change on a date", ends: "2025-01-16", onward: true, ahead: true},
	{name: "change to a plan without", ends: "2025-01-16"},
	{name: "change on a date to a plan without", ends: "2025-01-16", ahead: true},
}

// pairApplies reports whether an event can happen to the prices.
func pairApplies(prices int, event string) bool {
	p := pairPrices[prices]
	switch event {
	case "threshold", "usage removed", "backfill reverted", "threshold and backfill reverted":
		return p.usage > 0
	case "more seats", "fewer seats":
		return p.advance > 0
	case "fee ended":
		return p.arrears
	}
	return true
}

// pairWindows are the times in which the adjustment is in force.
var pairWindows = []struct {
	name   string
	amid   bool // it begins, ends or changes inside the cycle
	coupon bool // it is that of a coupon
	parts  bool // only for prices in parts
}{
	{name: ""},
	{name: "by a coupon", coupon: true},
	{name: "that begins inside", amid: true},
	{name: "that ends inside", amid: true},
	{name: "that changes inside", amid: true},
	{name: "by a coupon that begins inside", amid: true, coupon: true},
	{name: "by a coupon that begins and ends inside", amid: true, coupon: true, parts: true},
}

// pairAdjustment is an adjustment of all prices, with what it makes of lines for a part of a full billing period.
type pairAdjustment struct {
	name   string
	member string
	values [2]any  // the second one takes its place where it changes
	coupon *object // the coupon that does the same
	whole  bool    // it is always in force
	body   object
	makes  func(lines []pairLine, value string, f money.Decimal) money.Decimal
}

var pairAdjustments = []pairAdjustment{
	{name: "a minimum that is not reached", member: "minimum_amount", values: [2]any{"900.00", "600.00"}, body: object{"adjustment_type": "minimum"}, makes: atLeast},
	{name: "a minimum that is reached", member: "minimum_amount", values: [2]any{"30.00"}, whole: true, body: object{"adjustment_type": "minimum"}, makes: atLeast},
	{name: "a maximum that is reached", member: "maximum_amount", values: [2]any{"60.00", "50.00"}, body: object{"adjustment_type": "maximum"}, makes: atMost},
	{name: "a maximum that is not reached", member: "maximum_amount", values: [2]any{"5000.00"}, whole: true, body: object{"adjustment_type": "maximum"}, makes: atMost},
	{name: "a discount of an amount", member: "amount_discount", values: [2]any{"45.00", "20.00"}, coupon: pairCoupon(amount("A", "45.00")), body: object{"adjustment_type": "amount_discount"}, makes: lessAmount},
	{name: "a discount of more than there is", member: "amount_discount", values: [2]any{"4500.00"}, whole: true, body: object{"adjustment_type": "amount_discount"}, makes: lessAmount},
	{name: "a percentage", member: "percentage_discount", values: [2]any{json.Number("0.5"), json.Number("0.25")}, coupon: pairCoupon(percent("P", "0.5")), body: object{"adjustment_type": "percentage_discount"}, makes: lessShare},
	{name: "tiers", member: "tiers", values: [2]any{pairTiers("0.5"), pairTiers("0.25")}, body: object{"adjustment_type": "tiered_percentage_discount"}, makes: lessTiers},
	{name: "units that are free", member: "usage_discount", values: [2]any{10, 4}, body: object{"adjustment_type": "usage_discount", "price_type": "usage", "applies_to_all": absent}, makes: lessUnits},
}

func pairCoupon(body object) *object { return &body }

func pairTiers(percentage string) list {
	return list{
		object{"lower_bound": 0, "upper_bound": 40, "percentage": json.Number("0")},
		object{"lower_bound": 40, "upper_bound": nil, "percentage": json.Number(percentage)},
	}
}

func atLeast(lines []pairLine, amount string, f money.Decimal) money.Decimal {
	return money.Max(pairSum(lines), money.Must(amount).Mul(f).Round(2))
}

func atMost(lines []pairLine, amount string, f money.Decimal) money.Decimal {
	return money.Min(pairSum(lines), money.Must(amount).Mul(f).Round(2))
}

func lessAmount(lines []pairLine, amount string, f money.Decimal) money.Decimal {
	sum := pairSum(lines)
	return sum.Sub(money.Max(money.Decimal{}, money.Min(sum, money.Must(amount).Mul(f).Round(2))))
}

func lessShare(lines []pairLine, share string, _ money.Decimal) money.Decimal {
	sum := pairSum(lines)
	return sum.Sub(sum.Mul(money.Must(share)))
}

func lessTiers(lines []pairLine, percentage string, _ money.Decimal) money.Decimal {
	sum := pairSum(lines)
	return sum.Sub(money.Max(sum.Sub(money.Must("40")), money.Decimal{}).Mul(money.Must(percentage)))
}

// lessUnits leaves so many units of each price of usage out.
func lessUnits(lines []pairLine, units string, _ money.Decimal) money.Decimal {
	of := map[string]money.Decimal{}
	for _, l := range lines {
		if l.each != nil {
			of[l.name] = of[l.name].Add(l.left())
		}
	}
	sum := pairSum(lines)
	for _, l := range lines {
		if spent, known := of[l.name]; known {
			delete(of, l.name)
			sum = sum.Sub(money.Max(money.Decimal{}, money.Min(spent, l.each.Mul(money.Must(units)))))
		}
	}
	return sum
}
