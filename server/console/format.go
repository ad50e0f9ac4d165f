package console

import (
	"strings"
	"time"
	_ "time/tzdata" // zones of customers

	"tollkeeper/domain/money"
)

// figure is a number as people read it: groups of three digits, U+2212 for negative ones.
type figure struct {
	Text string
	Fine string // digits beyond the places of the currency, which are shown paler
	Zero bool
}

// amountFigure writes an amount with the places of its currency. An exact amount keeps its
// further digits.
func amountFigure(amount, currency string) figure {
	sign, whole, fraction := digits(amount)
	fraction = strings.TrimRight(fraction, "0")
	places := 0
	if c := money.Currency(currency); c.Valid() {
		places = c.MinorUnits()
	} else {
		places = len(fraction) // a custom unit has no places of its own
	}
	fine := ""
	if len(fraction) > places {
		fraction, fine = fraction[:places], fraction[places:]
	}
	fraction += strings.Repeat("0", places-len(fraction))
	f := figure{Text: sign + grouped(whole), Fine: fine, Zero: strings.Trim(whole+fraction+fine, "0") == ""}
	if fraction != "" {
		f.Text += "." + fraction
	} else if fine != "" {
		f.Fine = "." + fine
	}
	return f
}

// numberFigure writes a quantity or a rate with the digits it came with.
func numberFigure(number string) figure {
	sign, whole, fraction := digits(number)
	f := figure{Text: sign + grouped(whole), Zero: strings.Trim(whole+fraction, "0") == ""}
	if fraction != "" {
		f.Text += "." + fraction
	}
	return f
}

// digits splits a decimal in its sign, its whole part and its fraction.
func digits(number string) (sign, whole, fraction string) {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		sign, number = "−", rest
	}
	whole, fraction, _ = strings.Cut(number, ".")
	return sign, whole, fraction
}

// grouped puts a comma between each three digits.
func grouped(whole string) string {
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole
}

// instantText writes an instant in UTC to the second.
func instantText(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// dayText writes a billing date.
func dayText(at time.Time) string { return at.Format("2 Jan 2006") }

// parseInstant reads an instant of the API.
func parseInstant(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}

// periodText writes a period with both of the days it names; the end it is given is
// exclusive. The year stands once where both are in the same one.
func periodText(start, end time.Time) string {
	last := end.Add(-time.Nanosecond)
	if start.Year() == last.Year() {
		if start.YearDay() == last.YearDay() {
			return dayText(start)
		}
		return start.Format("2 Jan") + " – " + dayText(last)
	}
	return dayText(start) + " – " + dayText(last)
}

// asSentence writes a text of the API as a sentence of its own.
func asSentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// initials are shown in place of a picture.
func initials(name string) (letters string) {
	for _, part := range strings.Fields(name) {
		letters += strings.ToUpper(string([]rune(part)[:1]))
	}
	if runes := []rune(letters); len(runes) > 2 {
		return string(runes[:2])
	}
	return letters
}
