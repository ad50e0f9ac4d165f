package form

import (
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mostRows bounds the rows of a whole form (semantics 21.2.5). Each has all fields of what it may be, so that a short request
// could ask for a page without end.
const mostRows = 200

// Refusal is why a form is not made of what was sent.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Entered is what a form has, with the rows of its lists numbered from 0 on.
type Entered struct {
	url.Values
	rows map[string]int // how many there are, by list
}

// NumberRows gives the rows of each list that the names of values name new numbers, from 0 on and in the
// order of those that they have: a name like tiers[999] is one row. More rows than a form may have are
// refused before any is made, and so is a name that is longer than any field's.
func NumberRows(values url.Values) (Entered, error) {
	for name := range values {
		if tooLong(name) {
			return Entered{}, longName
		}
	}
	for _, name := range slices.Concat(values["rows"], values["add"], values["remove"]) {
		if tooLong(name) {
			return Entered{}, longName
		}
	}
	seen := map[string]bool{}
	named := map[string][]int{} // the numbers that rows have, by list
	note := func(name string) {
		for list, number := range rowsIn(name) {
			if row := rowName(list, number); !seen[row] && len(seen) <= mostRows {
				seen[row] = true
				named[list] = append(named[list], number)
			}
		}
	}
	for name := range values {
		note(name)
	}
	for _, row := range values["rows"] {
		note(row)
	}
	if len(seen) > mostRows {
		return Entered{}, TooManyRows
	}
	in := Entered{url.Values{}, map[string]int{}}
	for _, numbers := range named {
		slices.Sort(numbers)
	}
	numbered := func(name string) string {
		var to strings.Builder
		from := 0
		for list, number := range rowsIn(name) {
			if at := slices.Index(named[list], number); at >= 0 {
				to.WriteString(name[from:len(list)] + rowName("", at))
				from = len(rowName(list, number))
			}
		}
		return to.String() + name[from:]
	}
	for list, numbers := range named {
		in.rows[numbered(list)] = len(numbers)
	}
	for name, given := range values {
		switch name {
		case "rows", "add", "remove": // which name rows and lists themselves
			for _, each := range given {
				in.Add(name, numbered(each))
			}
		default:
			in.Values[numbered(name)] = given
		}
	}
	return in, nil
}

// longestName bounds the name of a field, in bytes. What a name costs grows with the rows that it lies in.
const longestName = 500

const longName Refusal = "A field's name has at most 500 characters, and lies in eight rows at most"

func tooLong(name string) bool {
	return len(name) > longestName || strings.Count(name, "[") > deepest
}

// TooManyRows refuses a form that has more rows than one may have.
const TooManyRows Refusal = "A form takes 200 rows in all. What has more is sent to the API"

// rowsIn are the rows that a name lies in, from the outside: for tiers[1].steps[0].rate the row 1 of tiers,
// and the row 0 of tiers[1].steps.
func rowsIn(name string) iter.Seq2[string, int] {
	return func(yield func(list string, number int) bool) {
		for open := range len(name) {
			if name[open] != '[' {
				continue
			}
			digits, _, closed := strings.Cut(name[open+1:min(len(name), open+8)], "]")
			number, err := strconv.Atoi(digits)
			if closed && err == nil && strconv.Itoa(number) == digits && number >= 0 && !yield(name[:open], number) {
				return
			}
		}
	}
}

func rowName(list string, number int) string { return list + "[" + strconv.Itoa(number) + "]" }

// IndexIn returns which row of a list a name is in.
func IndexIn(name, list string) (index int, ok bool) {
	for of, number := range rowsIn(name) {
		if of == list {
			return number, true
		}
	}
	return 0, false
}

// Full reports whether the form has no room for another row.
func (in Entered) Full() bool {
	all := 0
	for _, count := range in.rows {
		all += count
	}
	return all >= mostRows
}

// Reshape does what a button of the form asks for that sends nothing.
func Reshape(in Entered) bool {
	if list := in.Get("add"); list != "" {
		if !in.Full() {
			in.Add("rows", rowName(list, in.rows[list]))
		}
		return true
	}
	if row := in.Get("remove"); row != "" {
		RemoveRow(in.Values, row)
		return true
	}
	return in.Has("choose")
}

// RemoveRow takes a row out of a list; later rows move up.
func RemoveRow(values url.Values, row string) {
	open := strings.LastIndex(row, "[")
	if open < 0 {
		return
	}
	list := row[:open]
	removed, ok := IndexIn(row, list)
	if !ok {
		return
	}
	moved := url.Values{}
	place := func(name string) (string, bool) {
		index, in := IndexIn(name, list)
		switch {
		case !in || index < removed:
			return name, true
		case index == removed:
			return "", false
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(name, list+"["), "]")
		return rowName(list, index-1) + rest, true
	}
	for name, given := range values {
		if name == "rows" {
			for _, each := range given {
				if to, stays := place(each); stays {
					moved.Add("rows", to)
				}
			}
		} else if to, stays := place(name); stays {
			moved[to] = given
		}
	}
	clear(values)
	for name, given := range moved {
		values[name] = given
	}
}
