package money_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	xcurrency "golang.org/x/text/currency"

	"tollkeeper/domain/money"
)

var _ = Describe("Currency", func() {
	DescribeTable("writes amounts with the digits of its minor unit",
		func(c money.Currency, amount, written string) {
			Expect(c.Format(money.Must(amount))).To(Equal(written))
		},
		Entry("dollars", money.Currency("USD"), "20", "20.00"),
		Entry("yen", money.Currency("JPY"), "20", "20"),
		Entry("dinars", money.Currency("KWD"), "20.1", "20.100"),
		Entry("credits", money.Credits, "800.00", "800"),
		Entry("parts of a credit", money.Credits, "0.00001", "0.00001"),
		Entry("another unit of ours", money.Currency("tokens"), "1.50", "1.5"),
	)

	DescribeTable("rounds real money only",
		func(c money.Currency, amount, rounded string) {
			Expect(c.Round(money.Must(amount)).String()).To(Equal(rounded))
		},
		Entry("dollars", money.Currency("USD"), "0.4375", "0.44"),
		Entry("yen", money.Currency("JPY"), "0.5", "1"),
		Entry("credits", money.Credits, "0.4375", "0.4375"),
	)

	DescribeTable("tells which amounts can be booked as they stand",
		func(c money.Currency, amount string, fits bool) {
			Expect(c.Fits(money.Must(amount))).To(Equal(fits))
		},
		Entry("cents", money.Currency("USD"), "1.05", true),
		Entry("zeros below the cent", money.Currency("USD"), "1.0500", true),
		Entry("half a cent", money.Currency("USD"), "1.005", false),
		Entry("a tenth of a yen", money.Currency("JPY"), "1.1", false),
		Entry("any part of a credit", money.Credits, "1.00000001", true),
	)

	DescribeTable("is real when it is an ISO 4217 code in use",
		func(c money.Currency, real bool) { Expect(c.Valid()).To(Equal(real)) },
		Entry("euro", money.Currency("EUR"), true),
		Entry("a funds code", money.Currency("CLF"), true),
		Entry("small letters", money.Currency("usd"), false),
		Entry("credits", money.Credits, false),
		Entry("gold", money.Currency("XAU"), false),
		Entry("the test code", money.Currency("XTS"), false),
		Entry("a withdrawn currency", money.Currency("HRK"), false),
		Entry("nothing", money.Currency(""), false),
	)

	// CLDR counts the digits in daily use, ISO 4217 those of the standard: here is
	// what the standard says where the two differ.
	standard := map[money.Currency]int{
		"AFN": 2, "ALL": 2, "AMD": 2, "COP": 2, "GYD": 2, "IDR": 2, "IQD": 3, "IRR": 2, "KPW": 2, "LAK": 2, "LBP": 2, "MGA": 2, "MMK": 2,
		"MNT": 2, "MUR": 2, "PKR": 2, "RSD": 2, "SOS": 2, "SYP": 2, "TZS": 2, "UZS": 2, "YER": 2,
	}
	withdrawn := []money.Currency{"ANG", "BGN", "CUC", "HRK", "MRO", "SLL", "VEF"}

	It("agrees with another list of currencies", func() {
		compared := 0
		for tender := xcurrency.Query(); tender.Next(); {
			c := money.Currency(tender.Unit().String())
			if !c.Valid() {
				Expect(withdrawn).To(ContainElement(c))
				continue
			}
			want, _ := xcurrency.Standard.Rounding(tender.Unit())
			if digits, ok := standard[c]; ok {
				Expect(want).NotTo(Equal(digits), "no difference left in %s", c)
				want = digits
			}
			Expect(c.MinorUnits()).To(Equal(want), string(c))
			compared++
		}
		Expect(compared).To(BeNumerically(">", 100))
	})
})
