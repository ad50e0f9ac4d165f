package rating

import (
	"slices"
	"strconv"
	"strings"
)

// tupleKey gives different texts to different tuples.
func tupleKey(tuple []*string) string { return string(appendTuple(nil, tuple)) }

// appendTuple appends the tupleKey: the length of each value before it, a dash for a
// missing one.
func appendTuple(key []byte, tuple []*string) []byte {
	for _, value := range tuple {
		if value == nil {
			key = append(key, '-')
			continue
		}
		key = strconv.AppendInt(key, int64(len(*value)), 10)
		key = append(key, ':')
		key = append(key, *value...)
	}
	return key
}

// compareTuples orders tuples value by value, byte for byte; a missing one is first.
func compareTuples(a, b []*string) int {
	return slices.CompareFunc(a, b, func(x, y *string) int {
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return -1
		case y == nil:
			return 1
		}
		return strings.Compare(*x, *y)
	})
}

// tupleName joins the values of a tuple: "eu / hot".
func tupleName(tuple []*string) string {
	names := make([]string, len(tuple))
	for i, value := range tuple {
		names[i] = "none"
		if value != nil {
			names[i] = *value
		}
	}
	return strings.Join(names, " / ")
}
