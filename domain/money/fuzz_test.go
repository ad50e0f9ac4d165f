package money_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"tollkeeper/domain/money"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"0", "-0", "0.00", "20.00", "-0.10", "007", "999999999999999999999999999999.99999999999999999999",
		"1e2", "+1", " 1", ".5", "5.", "1_0", "0x1", "NaN", "Infinity", "1234567890123456789012345678901",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := money.Parse(s)
		if accepted := err == nil; accepted != wire(s) {
			t.Fatalf("%q: %v", s, err)
		}
		if err == nil {
			isExactly(t, d, rat(s))
			readsBack(t, d)
		}
	})
}

// wire tells whether s is of the grammar of semantics 0.3.3.
func wire(s string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return figures(whole, 30) && (!pointed || figures(fraction, 20))
}

// figures tells whether s is 1 to most of them.
func figures(s string, most int) bool {
	return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{
		"0", "-0", "0e5", "1e-05", "1.50", "-7.5E+2", "1e29", "1e30", "9.99e29", "1e-60", "1e-61", "1e400000", "1e-99999999999999999999",
		"0.1234567890123456789012345678901234567", "12345678901234567890123456789.012345678",
		"123456789012345678901234567890123456789", "01", "1.", ".1", "+1", "1e", "--1", "null", `"1"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := money.ParseNumber(s)
		if exact, known := bounded(s); known && exact != (err == nil) {
			t.Fatalf("%q: %v", s, err)
		}
		if err != nil {
			return
		}
		if !json.Valid([]byte(s)) {
			t.Fatalf("%q is no JSON number", s)
		}
		isExactly(t, d, rat(s))
		readsBack(t, d)
		if again, err := money.ParseNumber(d.String()); err != nil || !again.Equal(d) {
			t.Fatalf("%q is written %s, which is read as %s, %v", s, d, again, err)
		}
	})
}

// bounded tells whether a JSON number is within the bounds of an event's, by its
// value; numbers whose expansion would be huge are not known.
func bounded(s string) (within, known bool) {
	if _, exponent, _ := strings.Cut(strings.ToLower(s), "e"); len(exponent) > 4 {
		return false, false
	}
	var number json.Number
	if json.Unmarshal([]byte(s), &number) != nil || number.String() != s {
		return false, true
	}
	r := rat(s)
	digits := strings.Trim(strings.NewReplacer(".", "", "-", "").Replace(text(r)), "0")
	places, _ := r.FloatPrec()
	return len(digits) <= 38 && places <= 60 && r.Abs(r).Cmp(rat("1e30")) < 0, true
}

func FuzzUnmarshalText(f *testing.F) {
	for _, seed := range []string{"0", "-12.50", "0.0000000000000000000000000000000000000000000000001", "1" + strings.Repeat("0", 120), "1e5", "", "NaN", "-"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, column []byte) {
		var d, scanned money.Decimal
		err := d.UnmarshalText(column)
		if (scanned.Scan(column) == nil) != (err == nil) || !scanned.Equal(d) {
			t.Fatalf("%q is read as %s and scanned as %s", column, d, scanned)
		}
		if err == nil {
			isExactly(t, d, rat(string(column)))
			readsBack(t, d)
		}
	})
}

// isExactly fails the test unless d is r, written in the one form of that number.
func isExactly(t *testing.T, d money.Decimal, r *big.Rat) {
	if d.String() != text(r) {
		t.Fatalf("%s is read as %s", text(r), d)
	}
}

// readsBack fails the test unless d survives JSON and the database.
func readsBack(t *testing.T, d money.Decimal) {
	var decoded, scanned money.Decimal
	written, err := json.Marshal(d)
	if err != nil || json.Unmarshal(written, &decoded) != nil || !decoded.Equal(d) {
		t.Fatalf("%s reads back from JSON %s as %s", d, written, decoded)
	}
	column, err := d.Value()
	if err != nil || scanned.Scan(column) != nil || !scanned.Equal(d) {
		t.Fatalf("%s reads back from the database as %s", d, scanned)
	}
}
