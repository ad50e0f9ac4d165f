// Package audit records who changed what: one entry for each request or command that
// changes something, written in the transaction of the change.
//
// [Begin] puts an entry into a context. Transactions of that context mark themselves with
// its id, and triggers record each row they change, before and after. [Write] adds the
// entry before the transaction commits, so the entry and the change are kept together or
// not at all. Background work has no entry: it follows from earlier changes and the clock.
//
// The role of the server can read and add entries. It cannot change or delete them, and
// the rows of changes are written by the triggers alone.
//
// Usage events are not recorded: they are themselves a log. Backfills and corrections of
// events are.
package audit
