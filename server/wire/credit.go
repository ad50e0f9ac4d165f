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

// LedgerEntries writes entries of a customer, with the invoices that sold credits.
func LedgerEntries(tx *store.Tx, entries []credit.Entry, buyer customer.Customer) ([]gen.LedgerEntry, error) {
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
	shown, err := Invoices(tx, views)
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

// ledgerEntryToWire writes an entry. Of an increment, created are the invoices that sold it.
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
		panic(fmt.Sprintf("server: ledger entry %s cannot be written: %v", entry.ID, err))
	}
	return out
}

func affectedBlockToWire(block credit.Block) gen.AffectedBlock {
	return gen.AffectedBlock{
		ID:               block.ID,
		ExpiryDate:       OptionalInstant(block.ExpiresAt),
		PerUnitCostBasis: block.PerUnitCostBasis,
		Filters: MapSlice(block.Filters, func(f credit.ItemFilter) gen.Filter {
			return gen.Filter{Field: gen.FilterFieldItemID, Operator: gen.FilterOperator(f.Operator), Values: f.ItemIDs}
		}),
	}
}

// CreditBlock writes a block by itself.
func CreditBlock(block credit.Block, of origins) gen.CreditBlock {
	return gen.CreditBlock{
		ID:                    block.ID,
		Balance:               Number(block.Balance),
		MaximumInitialBalance: optionalNumberToWire(&block.InitialBalance),
		EffectiveDate:         OptionalInstant(&block.EffectiveAt),
		ExpiryDate:            OptionalInstant(block.ExpiresAt),
		PerUnitCostBasis:      block.PerUnitCostBasis,
		Filters:               affectedBlockToWire(block).Filters,
		Status:                gen.CreditBlockStatus(block.Status),
		CreditBlockSource:     gen.CreditBlockSource(block.Source),
		CreditAllocation:      of.allocation(block),
		Metadata:              Metadata(block.Metadata),
	}
}

// CustomerCreditBlock writes a block in the list of its customer.
func CustomerCreditBlock(block credit.Block, of origins) gen.CustomerCreditBlock {
	whole := CreditBlock(block, of)
	return gen.CustomerCreditBlock{
		ID: whole.ID, Balance: whole.Balance, MaximumInitialBalance: whole.MaximumInitialBalance,
		EffectiveDate: whole.EffectiveDate, ExpiryDate: whole.ExpiryDate, PerUnitCostBasis: whole.PerUnitCostBasis,
		Filters: MapSlice(block.Filters, func(f credit.ItemFilter) gen.ItemFilter {
			return gen.ItemFilter{Field: gen.ItemFilterFieldItemID, Operator: gen.FilterOperator(f.Operator), Values: f.ItemIDs}
		}),
		Status: whole.Status, CreditBlockSource: whole.CreditBlockSource, CreditAllocation: whole.CreditAllocation, Metadata: whole.Metadata,
	}
}
