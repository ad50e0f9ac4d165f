package wire

import (
	"fmt"
	"maps"
	"slices"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadLedgerEntries returns entries of a customer's ledger, with the invoices that sold credits.
func LoadLedgerEntries(tx *store.Tx, entries []credit.Entry, buyer customer.Customer) ([]gen.LedgerEntry, error) {
	var blocks []credit.Block
	for _, e := range entries {
		if e.Kind == credit.KindIncrement {
			blocks = append(blocks, e.Block)
		}
	}
	sold, err := billing.CreatedBy(tx, blocks)
	if err != nil {
		return nil, err
	}
	views := slices.Collect(maps.Values(sold))
	shown, err := LoadInvoices(tx, views)
	if err != nil {
		return nil, err
	}
	created := map[string][]gen.Invoice{}
	for k, v := range views {
		created[v.ID] = []gen.Invoice{shown[k]}
	}
	unopened, err := invoice.NotOpenedYet(tx, entries)
	if err != nil {
		return nil, err
	}
	return MapSlice(entries, func(e credit.Entry) gen.LedgerEntry {
		if unopened[Deref(e.InvoiceID)] {
			e.InvoiceID = nil
		}
		return ledgerEntryToWire(e, buyer, created[Deref(e.Block.InvoiceID)])
	}), nil
}

// ledgerEntryToWire returns an entry. created are the invoices that sold the credits of an
// increment.
func ledgerEntryToWire(entry credit.Entry, buyer customer.Customer, created []gen.Invoice) gen.LedgerEntry {
	base := gen.LedgerEntryBase{
		ID:                   entry.ID,
		LedgerSequenceNumber: entry.Sequence,
		EntryStatus:          gen.LedgerEntryStatus(entry.Status),
		Amount:               Number(entry.Amount),
		StartingBalance:      Number(entry.StartingBalance),
		EndingBalance:        Number(entry.EndingBalance),
		Currency:             gen.Currency(entry.Currency),
		CreatedAt:            Instant(entry.CreatedAt),
		Customer:             customerRefToWire(buyer),
		CreditBlock:          affectedBlockToWire(entry.Block),
		Description:          entry.Description,
		Metadata:             Metadata(entry.Metadata),
	}
	var out gen.LedgerEntry
	var err error
	switch entry.Kind {
	case credit.KindIncrement:
		err = out.FromIncrementEntry(gen.IncrementEntry{LedgerEntryBase: base, Increment: gen.Increment{
			EntryType: gen.IncrementType(entry.Kind), CreatedInvoices: created,
		}})
	case credit.KindDecrement:
		err = out.FromDecrementEntry(gen.DecrementEntry{LedgerEntryBase: base, Decrement: gen.Decrement{
			EntryType: gen.DecrementType(entry.Kind), InvoiceID: entry.InvoiceID, PriceID: entry.PriceID,
		}})
	case credit.KindExpirationChange:
		err = out.FromExpirationChangeEntry(gen.ExpirationChangeEntry{LedgerEntryBase: base, ExpirationChange: gen.ExpirationChange{
			EntryType: gen.ExpirationChangeType(entry.Kind), NewBlockExpiryDate: OptionalInstant(entry.NewExpiry),
		}})
	case credit.KindCreditBlockExpiry:
		err = out.FromCreditBlockExpiryEntry(gen.CreditBlockExpiryEntry{LedgerEntryBase: base, CreditBlockExpiry: gen.CreditBlockExpiry{
			EntryType: gen.CreditBlockExpiryType(entry.Kind),
		}})
	case credit.KindVoid:
		err = out.FromVoidEntry(gen.VoidEntry{LedgerEntryBase: base, Void: gen.Void{
			EntryType: gen.VoidType(entry.Kind), VoidAmount: Number(entry.Amount), VoidReason: entry.VoidReason,
		}})
	case credit.KindVoidInitiated:
		err = out.FromVoidInitiatedEntry(gen.VoidInitiatedEntry{LedgerEntryBase: base, VoidInitiated: gen.VoidInitiated{
			EntryType: gen.VoidInitiatedType(entry.Kind), NewBlockExpiryDate: Instant(*entry.NewExpiry),
			VoidAmount: Number(entry.Amount), VoidReason: entry.VoidReason,
		}})
	case credit.KindAmendment:
		err = out.FromAmendmentEntry(gen.AmendmentEntry{LedgerEntryBase: base, Amendment: gen.Amendment{
			EntryType: gen.AmendmentType(entry.Kind),
		}})
	}
	if err != nil {
		panic(fmt.Sprintf("wire: ledger entry %s cannot be written: %v", entry.ID, err))
	}
	return out
}
