package invoice

import "tollkeeper/store"

// UndoneLine marks a line of an issued invoice that charges nothing any more, like one that
// a credit note undoes, where nothing was left to credit: what it was for is charged anew.
type UndoneLine struct {
	store.Record
	InvoiceLineID string
}
