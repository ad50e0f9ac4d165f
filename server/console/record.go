package console

import "github.com/a-h/templ"

// record is a page about one thing: its facts at the side, its lists in the middle.
type record struct {
	Head     head
	Title    string // of the facts
	Facts    []fact
	Terms    *term // of kinds that differ, such as the terms of a price
	Code     []code
	Tables   []titled
	Metadata map[string]string
	Narrow   bool            // without lists
	Tool     templ.Component // what the page offers to try; nil for nothing
}

// titled is a table with a heading.
type titled struct {
	Title string
	Table table
}

// code is text that a program reads.
type code struct{ Title, Text string }

// bare reports that there is nothing beside the facts.
func (r record) bare() bool { return len(r.Code) == 0 && r.Terms == nil && len(r.Tables) == 0 }
