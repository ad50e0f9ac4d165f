package invoice

import "tollkeeper/store"

// UndoneLine marks a line of an issued invoice that charges nothing any more, like one that
// a credit note undoes, and charged nothing to begin with: what it was for is charged anew.
type UndoneLine struct {
	store.Record
	InvoiceLineID string
}

// worthless are the fees in advance that charged nothing, under other adjustments than
// work on them now.
func (b books) worthless(invoices []Invoice) (found []Line) {
	for _, inv := range invoices {
		for _, l := range b.lines[inv.ID] {
			if b.adjusted[l.ID] && !b.undone[l.ID] && inAdvance(inv, l) && l.Amount.IsZero() {
				found = append(found, l)
			}
		}
	}
	return found
}
