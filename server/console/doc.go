// Package console serves the console: pages in HTML for people, under /console. It calls the
// operations of the domain in transactions, as the handlers of the API do, and has no rule of
// billing of its own.
//
// Who is signed in, and what they may do, is found by middleware (console.go) before a page is
// made. Pages are components of templ; what it makes of them is committed (make generate). Every
// page works without a script.
package console
