package money

import "strings"

// Currency is what amounts are counted in: an ISO 4217 code in capitals, or a
// custom pricing unit such as credits.
type Currency string

// Credits is the pricing unit of prepaid credits.
const Credits Currency = "credits"

// Valid reports whether c is a real currency, one that an invoice can be paid in.
func (c Currency) Valid() bool {
	_, ok := minorUnits[c]
	return ok
}

// MinorUnits is the number of digits after the point: 2 for USD, 0 for JPY, 3 for
// KWD, and 20, the digits that are shown, for a custom unit.
func (c Currency) MinorUnits() int {
	if n, ok := minorUnits[c]; ok {
		return n
	}
	return Places
}

// Round rounds an amount to the minor unit, half away from zero. In a custom
// unit amounts are not rounded (semantics 0.3.1).
func (c Currency) Round(d Decimal) Decimal {
	if !c.Valid() {
		return d
	}
	return d.Round(c.MinorUnits())
}

// Format writes an amount as responses show it: with the digits of the minor
// unit ("20.00", yen "20"), or in a custom unit without trailing zeros
// (semantics 0.3.2).
func (c Currency) Format(d Decimal) string {
	if !c.Valid() {
		return d.WithoutTail().String()
	}
	return d.StringFixed(c.MinorUnits())
}

// Fits reports whether d has no digits below the minor unit, as an amount must
// that is booked as it is (semantics 0.3.3). In a custom unit all fit.
func (c Currency) Fits(d Decimal) bool {
	return !c.Valid() || d.Places() <= c.MinorUnits()
}

// minorUnits is the ISO 4217 list of currencies in use, with funds codes.
var minorUnits = func() map[Currency]int {
	byDigits := [...]string{
		0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
		2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD
			BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP
			DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF
			IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL
			MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR
			NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP
			SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD
			USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
		3: `BHD IQD JOD KWD LYD OMR TND`,
		4: `CLF UYW`,
	}
	units := map[Currency]int{}
	for n, codes := range byDigits {
		for _, code := range strings.Fields(codes) {
			units[Currency(code)] = n
		}
	}
	return units
}()
