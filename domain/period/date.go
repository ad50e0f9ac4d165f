package period

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// Date is a day of the calendar, in no zone. Its zero value is no date: null in
// the database, "" as text.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

var errDate = errors.New("must be a date of the form YYYY-MM-DD")

// ParseDate reads YYYY-MM-DD. A day that its month lacks is an error.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() == 0 {
		return Date{}, errDate
	}
	return civil(t), nil
}

// DateOf returns the local day that t belongs to: the latest that has begun.
func DateOf(t time.Time, loc *time.Location) Date {
	d := civil(t.In(loc))
	for next := d.AddDays(1); !next.In(loc).After(t); next = d.AddDays(1) {
		d = next
	}
	return d
}

// civil returns the date that t reads.
func civil(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// In returns the instant, in UTC, at which d begins in loc.
func (d Date) In(loc *time.Location) time.Time {
	return firstReading(d.utc(), loc)
}

func (d Date) utc() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}

// AddDays returns the date n days later.
func (d Date) AddDays(n int) Date {
	return civil(time.Date(d.Year, d.Month, d.Day+n, 0, 0, 0, 0, time.UTC))
}

// AddMonths returns the date n months later, on the anchor day or, in a shorter
// month, on its last day. Keeping the anchor apart from d lets 31 January, 28
// February and 31 March follow each other (semantics 1.1.6).
func (d Date) AddMonths(n, anchorDay int) Date {
	return onDay(monthIndex(d.Year, d.Month)+n, anchorDay)
}

// Compare returns -1, 0 or +1 as d is before, equal to or after o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

func (d Date) Before(o Date) bool { return d.Compare(o) < 0 }

func (d Date) IsZero() bool { return d == Date{} }

// Since counts the days from o to d: below 0 if d is before o.
func (d Date) Since(o Date) int {
	return int(d.utc().Unix()-o.utc().Unix()) / (24 * 60 * 60)
}

func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d *Date) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}
	*d, err = ParseDate(string(text))
	return err
}

// GormDataType names the column type to GORM.
func (Date) GormDataType() string { return "date" }

func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.String(), nil
}

// Scan reads a date column.
func (d *Date) Scan(src any) (err error) {
	switch v := src.(type) {
	case nil:
		*d = Date{}
	case time.Time:
		*d = civil(v)
	case string:
		*d, err = ParseDate(v)
	case []byte:
		*d, err = ParseDate(string(v))
	default:
		err = fmt.Errorf("period: cannot scan %T into a Date", src)
	}
	return err
}

// monthIndex numbers the months of all years.
func monthIndex(year int, month time.Month) int { return year*12 + int(month) - 1 }

// onDay returns that day of the month with that index, or the month's last.
func onDay(index, day int) Date {
	year, month := floorDiv(index, 12), time.Month(floorMod(index, 12)+1)
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return Date{year, month, min(day, last)}
}

func floorDiv(a, b int) int { return (a - floorMod(a, b)) / b }

func floorMod(a, b int) int { return ((a % b) + b) % b }
