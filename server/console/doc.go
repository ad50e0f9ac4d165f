// Package console serves the console: pages in HTML for people, under /console.
//
// Pages read and change through the API, within the process and with the rights of the person's
// role (api.go). So validation, rights, idempotency and the audit log are those of the API, and the
// console has no rule of billing of its own. What no operation gives is read from the domain in a
// transaction: names of customers, balances of all customers, parked work, settings.
//
// Forms are made from the contract (package form): each operation that changes something has
// one at /console/do/{operationId}. What was posted becomes JSON and a request to the API.
// Its violations are shown at the fields whose names are their places. Refused was a form by hand for
// each operation: an operation that is added to the contract would have none.
//
// Who is signed in, and what they may do, is found by middleware (console.go) before a page is
// made. Pages are components of templ; what it makes of them is committed (make generate). Every
// page works without a script.
package console
