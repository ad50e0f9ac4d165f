package server

import (
	"fmt"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/gen"
)

// ledgerEntryToWire writes an entry. Of an increment, created are the invoices that sold it.
func ledgerEntryToWire(entry credit.Entry, buyer customer.Customer, created []gen.Invoice) gen.LedgerEntry {
	base := gen.LedgerEntryBase{
		ID:                   entry.ID,
		LedgerSequenceNumber: entry.Sequence,
		EntryStatus:          gen.LedgerEntryStatus(entry.Status),
		Amount:               numberToWire(entry.Amount),
		StartingBalance:      numberToWire(entry.StartingBalance),
		EndingBalance:        numberToWire(entry.EndingBalance),
		Currency:             gen.Currency(entry.Currency),
		CreatedAt:            instantToWire(entry.CreatedAt),
		Customer:             customerRefToWire(buyer),
		CreditBlock:          affectedBlockToWire(entry.Block),
		Description:          entry.Description,
		Metadata:             metadataToWire(entry.Metadata),
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
			EntryType: gen.ExpirationChangeType(entry.Kind), NewBlockExpiryDate: optionalInstantToWire(entry.NewExpiry),
		}})
	case credit.KindCreditBlockExpiry:
		err = out.FromCreditBlockExpiryEntry(gen.CreditBlockExpiryEntry{LedgerEntryBase: base, CreditBlockExpiry: gen.CreditBlockExpiry{
			EntryType: gen.CreditBlockExpiryType(entry.Kind),
		}})
	case credit.KindVoid:
		err = out.FromVoidEntry(gen.VoidEntry{LedgerEntryBase: base, Void: gen.Void{
			EntryType: gen.VoidType(entry.Kind), VoidAmount: numberToWire(entry.Amount), VoidReason: entry.VoidReason,
		}})
	case credit.KindVoidInitiated:
		err = out.FromVoidInitiatedEntry(gen.VoidInitiatedEntry{LedgerEntryBase: base, VoidInitiated: gen.VoidInitiated{
			EntryType: gen.VoidInitiatedType(entry.Kind), NewBlockExpiryDate: instantToWire(*entry.NewExpiry),
			VoidAmount: numberToWire(entry.Amount), VoidReason: entry.VoidReason,
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
		ExpiryDate:       optionalInstantToWire(block.ExpiresAt),
		PerUnitCostBasis: block.PerUnitCostBasis,
		Filters: toWire(block.Filters, func(f credit.ItemFilter) gen.Filter {
			return gen.Filter{Field: gen.FilterFieldItemID, Operator: gen.FilterOperator(f.Operator), Values: f.ItemIDs}
		}),
	}
}

func creditBlockToWire(block credit.Block) gen.CustomerCreditBlock {
	return gen.CustomerCreditBlock{
		ID:                    block.ID,
		Balance:               numberToWire(block.Balance),
		MaximumInitialBalance: optionalNumberToWire(&block.InitialBalance),
		EffectiveDate:         optionalInstantToWire(&block.EffectiveAt),
		ExpiryDate:            optionalInstantToWire(block.ExpiresAt),
		PerUnitCostBasis:      block.PerUnitCostBasis,
		Filters: toWire(block.Filters, func(f credit.ItemFilter) gen.ItemFilter {
			return gen.ItemFilter{Field: gen.ItemFilterFieldItemID, Operator: gen.FilterOperator(f.Operator), Values: f.ItemIDs}
		}),
		Status:            gen.CreditBlockStatus(block.Status),
		CreditBlockSource: gen.CreditBlockSource(block.Source),
		Metadata:          metadataToWire(block.Metadata),
	}
}
