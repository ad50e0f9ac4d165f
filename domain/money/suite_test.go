package money_test

import (
	"flag"
	"fmt"
	"math/big"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

func TestMoney(t *testing.T) {
	const name = "rapid.checks"
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		if err := flag.Set(name, checks); err != nil {
			t.Fatal(err)
		}
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "money")
}

// rat reads a decimal text as a fraction.
func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}

// text writes r, which must be a terminating decimal, as String should.
func text(r *big.Rat) string {
	n, exact := r.FloatPrec()
	if !exact {
		panic(fmt.Sprintf("%v does not terminate", r))
	}
	return r.FloatString(n)
}

// rounded writes r with that many places, halves away from zero, by integers only.
func rounded(r *big.Rat, places int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	twice := new(big.Int).Mul(new(big.Int).Abs(r.Num()), scale)
	twice.Lsh(twice, 1).Add(twice, r.Denom())
	units := twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1))
	whole, rest := new(big.Int).QuoRem(units, scale, new(big.Int))
	sign := ""
	if r.Sign() < 0 && units.Sign() != 0 {
		sign = "-"
	}
	if places == 0 {
		return sign + whole.String()
	}
	return fmt.Sprintf("%s%s.%0*s", sign, whole, places, rest)
}

// trimmed drops the zeros that a canonical text does not have.
func trimmed(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// decimalText draws a wire decimal, all lengths up to its limits.
func decimalText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,4}(\.[0-9]{1,3})?`),
		rapid.StringMatching(`-?[0-9]{1,9}\.[0-9]{1,9}`),
		rapid.StringMatching(`-?92233720368\.?54775[78][0-9]{2}`), // about the largest in a machine word
		rapid.StringMatching(`-?0\.0{0,18}[0-9]{1,2}`),
		rapid.StringMatching(`-?[0-9]{1,30}(\.[0-9]{1,20})?`),
		rapid.StringMatching(`-?9{1,30}(\.9{1,20})?`),
		rapid.StringMatching(`-?[0-9]0{1,29}(\.0{0,19}[0-9])?`),
	).Draw(t, label)
}

// property runs a property as one spec.
func property(sentence string, check func(t *rapid.T)) {
	It(sentence, func() { rapid.Check(GinkgoT(), check) })
}

func decimals(texts string) (ds []money.Decimal) {
	for _, s := range strings.Fields(texts) {
		ds = append(ds, money.Must(s))
	}
	return ds
}

func joined(ds []money.Decimal) string {
	var texts []string
	for _, d := range ds {
		texts = append(texts, d.String())
	}
	return strings.Join(texts, " ")
}
