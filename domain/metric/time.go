package metric

import (
	"regexp"
	"strconv"
	"time"
)

// isoTime is the form of a string that compares with a time. The function
// metric_time of the database reads the same form.
var isoTime = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})` +
	`(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?` +
	`(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?$`)

// timeLiteral is a string of the text as a time, and NULL if it is none.
func timeLiteral(text string) Fragment {
	t, ok := parseTime(text)
	if !ok {
		return null(typTime)
	}
	return bind("timestamptz", t)
}

// parseTime reads an ISO string: without offset it is UTC, without time of day
// midnight; digits beyond the microsecond are cut.
func parseTime(text string) (time.Time, bool) {
	part := isoTime.FindStringSubmatch(text)
	if part == nil {
		return time.Time{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(part[i]) // digits, or empty for 0
		return n
	}
	year, month, day := number(1), number(2), number(3)
	micros, _ := strconv.Atoi((part[7] + "000000")[:6])
	t := time.Date(year, time.Month(month), day, number(4), number(5), number(6), micros*1000, time.UTC)
	if year == 0 || t.Month() != time.Month(month) || t.Day() != day {
		return time.Time{}, false
	}
	offset := time.Duration(number(9))*time.Hour + time.Duration(number(10))*time.Minute
	if part[8] == "-" {
		offset = -offset
	}
	return t.Add(-offset), true
}
