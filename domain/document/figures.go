package document

import (
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// figures is how a language writes numbers and dates (semantics 19.2.2). The tables are those of the Common Locale Data
// Repository. The formatters of golang.org/x/text take floats and integers, not exact decimals, and
// format no dates.
type figures struct {
	group, point string
	least        int    // digits of a whole number that is grouped
	short, long  string // of dates: D day, DD with two digits, MM, MMM and MMMM month, Y year
	months       []string
}

const noBreak = "\u00a0"

var figuresOf = map[letterhead.Language]figures{
	letterhead.English: {",", ".", 4, "D MMM Y", "D MMMM Y", []string{"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"}},
	letterhead.German: {".", ",", 4, "DD.MM.Y", "D. MMMM Y", []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August",
		"September", "Oktober", "November", "Dezember"}},
	letterhead.French: {noBreak, ",", 4, "DD/MM/Y", "D MMMM Y", []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août",
		"septembre", "octobre", "novembre", "décembre"}},
	letterhead.Spanish: {".", ",", 5, "DD/MM/Y", "D de MMMM de Y", []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
		"septiembre", "octubre", "noviembre", "diciembre"}},
	letterhead.Portuguese: {".", ",", 4, "DD/MM/Y", "D de MMMM de Y", []string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto",
		"setembro", "outubro", "novembro", "dezembro"}},
	letterhead.Japanese: {",", ".", 4, "Y/MM/DD", "Y年M月D日", nil},
}

// Amount writes an amount with the places of its currency; that of a custom unit with its own.
func (w Words) Amount(d money.Decimal, currency money.Currency) string {
	return w.write(currency.Format(d))
}

// Money is Amount with the code of the currency.
func (w Words) Money(d money.Decimal, currency money.Currency) string {
	if w.Language == letterhead.English || w.Language == letterhead.Japanese {
		return string(currency) + noBreak + w.Amount(d, currency)
	}
	return w.Amount(d, currency) + noBreak + string(currency)
}

// Number writes a quantity with the digits that it has.
func (w Words) Number(d money.Decimal) string { return w.write(d.WithoutTail().String()) }

// Rate writes what one unit costs, with the digits with which it was configured.
func (w Words) Rate(text string) string {
	if _, err := money.Parse(text); err != nil {
		return text // of several units, such as a percentage
	}
	return w.write(text)
}

// write puts the signs of the language into a plain decimal. Negative numbers have U+2212.
func (w Words) write(plain string) string {
	f := figuresOf[w.Language]
	sign := ""
	if rest, negative := strings.CutPrefix(plain, "-"); negative {
		sign, plain = "−", rest
	}
	whole, fraction, broken := strings.Cut(plain, ".")
	if len(whole) >= f.least {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + f.group + whole[at:]
		}
	}
	if broken {
		whole += f.point + fraction
	}
	return sign + whole
}

// Date writes a date in digits or with a short month.
func (w Words) Date(d period.Date) string { return w.date(figuresOf[w.Language].short, d) }

// LongDate writes a date within a sentence.
func (w Words) LongDate(d period.Date) string { return w.date(figuresOf[w.Language].long, d) }

func (w Words) date(layout string, d period.Date) string {
	if d == (period.Date{}) {
		return ""
	}
	f := figuresOf[w.Language]
	month := ""
	if len(f.months) > 0 {
		month = f.months[d.Month-1]
	}
	short := month
	if len(short) > 3 {
		short = short[:3] // English only
	}
	return strings.NewReplacer("DD", fmt.Sprintf("%02d", d.Day), "D", fmt.Sprint(d.Day), "MMMM", month, "MMM", short,
		"MM", fmt.Sprintf("%02d", d.Month), "M", fmt.Sprint(int(d.Month)), "Y", fmt.Sprintf("%04d", d.Year)).Replace(layout)
}

// Days writes a service period by its first and its last day.
func (w Words) Days(first, last period.Date) string {
	if first == last {
		return w.Date(first)
	}
	if w.Language == letterhead.English && first.Year == last.Year {
		return strings.TrimSuffix(w.Date(first), fmt.Sprintf(" %04d", first.Year)) + " – " + w.Date(last)
	}
	return w.Date(first) + " – " + w.Date(last)
}

// Day is the day of an instant in the zone of the customer.
func (d Document) Day(at time.Time) period.Date { return period.DateOf(at, d.Zone) }

// Days writes the service period of a line; "" where it has none.
func (d Document) Days(l Line) string {
	first, last, ok := d.Service(l)
	if !ok {
		return ""
	}
	return d.Words.Days(first, last)
}

// Service returns the days of a line, both inclusive (semantics 19.2.3); false where there are none.
func (d Document) Service(l Line) (first, last period.Date, ok bool) {
	if l.Service.Start.IsZero() || !l.Service.End.After(l.Service.Start) {
		return first, last, false
	}
	return period.DateOf(l.Service.Start, d.Zone), period.DateOf(l.Service.End.Add(-time.Microsecond), d.Zone), true
}
