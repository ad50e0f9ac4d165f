package console

import (
	"github.com/a-h/templ"

	"tollkeeper/server/console/form"
)

// column is a column of a table. Its class says how it is set: num is to the right, mid and
// wide are hidden on narrow screens.
type column struct {
	Head  string
	Class string
}

// table is a table of rows, in which cells stand under their columns.
type table struct {
	Label   string
	Columns []column
	Rows    [][]templ.Component
	Links   bool // each row begins with its link
	Foot    [][]templ.Component
}

// pager leads through a list. The API's cursors lead to older rows only.
type pager struct {
	Shown  int
	What   string // invoices
	Newest string // address of the first page; "" on it
	Older  string // address of the next page; "" on the last
}

// crumb is a step of the way to a page.
type crumb struct{ Address, Name string }

// action is a button in the head of a page.
type action struct {
	Address, Name, Icon, Kind string
}

// head is what a page begins with.
type head struct {
	Crumbs  []crumb
	Title   string
	Badge   templ.Component
	Lead    string
	Meta    []templ.Component
	Actions []action
}

// tab is one of the pages about the same thing.
type tab struct {
	Address, Name string
	Current       bool
}

// fact is a term and what it is.
type fact struct {
	Term  string
	Value templ.Component
}

// choice is a filter that narrows a list.
type choice struct {
	Address, Name string
	Current       bool
}

// listing is a page that is one list.
type listing struct {
	Head    head
	Filters []choice
	Search  *searchField
	Table   table
	Pager   pager
	Empty   empty
	Narrow  bool   // filters are on
	All     string // address of the list without filters
}

// searchField narrows a list by a text.
type searchField struct{ Name, Label, Value string }

// empty says what a list without rows is for, and how to begin.
type empty struct {
	Icon, Title, Text string
	Action            *action
}

// actions are those buttons whose operation the person may do.
func (v *visit) actions(all ...doing) (buttons []action) {
	for _, d := range all {
		if v.may(d.Operation) {
			buttons = append(buttons, action{firstOf(d.Address, do(d.Operation, d.Known...)), d.Name, d.Icon, d.Kind})
		}
	}
	return buttons
}

// doing is a button that leads to the form of an operation.
type doing struct {
	Operation, Name, Icon, Kind string
	Known                       []string // parameters: names and values in turn
	Address                     string   // of a page that does the same; "" for the form from the contract
}

// pager makes the pager of a list from the API's answer.
func (v *visit) pager(what string, shown int, next *string) pager {
	p := pager{Shown: shown, What: what}
	if v.query("cursor") != "" {
		p.Newest = v.here("cursor", "")
	}
	if next != nil && *next != "" {
		p.Older = v.here("cursor", *next)
	}
	return p
}

// choices are the filters of a list by one parameter; the first one is for all.
func (v *visit) choices(parameter, all string, values ...string) []choice {
	current := v.query(parameter)
	list := []choice{{v.here(parameter, ""), all, current == ""}}
	for _, value := range values {
		list = append(list, choice{v.here(parameter, value), form.Words(value), current == value})
	}
	return list
}
