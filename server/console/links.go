package console

import (
	"net/url"
	"strings"
)

// link builds an address within the console from parts of a path, each escaped.
func link(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return root + "/" + strings.Join(escaped, "/")
}

// do is the address of the form for an operation, with what is known of its parameters:
// names and values in turn.
func do(operation string, known ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(known); i += 2 {
		query.Set(known[i], known[i+1])
	}
	if len(query) == 0 {
		return link("do", operation)
	}
	return link("do", operation) + "?" + query.Encode()
}
