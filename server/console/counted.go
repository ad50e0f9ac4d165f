package console

import (
	"strconv"
	"strings"
)

// counted writes a number of things: "1 invoice", "7 invoices".
func counted(n int, things string) string {
	if n == 1 {
		things = strings.TrimSuffix(things, "s")
	}
	return grouped(strconv.Itoa(n)) + " " + things
}
