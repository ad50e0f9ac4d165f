package console

import (
	"net/url"
	"strconv"
	"strings"
)

// reshape does what a button of the form asks for that sends nothing.
func reshape(values url.Values) bool {
	if list := values.Get("add"); list != "" {
		values.Add("rows", list+"["+strconv.Itoa(min(rowsOf(values, list), mostRows-1))+"]")
		return true
	}
	if row := values.Get("remove"); row != "" {
		removeRow(values, row)
		return true
	}
	return values.Has("choose")
}

// removeRow takes a row out of a list; later rows move up.
func removeRow(values url.Values, row string) {
	open := strings.LastIndex(row, "[")
	if open < 0 {
		return
	}
	list := row[:open]
	removed, ok := indexIn(row, list)
	if !ok {
		return
	}
	moved := url.Values{}
	place := func(name string) (string, bool) {
		index, in := indexIn(name, list)
		switch {
		case !in || index < removed:
			return name, true
		case index == removed:
			return "", false
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(name, list+"["), "]")
		return list + "[" + strconv.Itoa(index-1) + "]" + rest, true
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
