package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ledgerEntriesToWire writes entries of a customer, with the invoices that sold credits.
func ledgerEntriesToWire(tx *store.Tx, entries []credit.Entry, buyer customer.Customer) ([]gen.LedgerEntry, error) {
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
	shown, err := invoicesToWire(tx, views)
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
	return toWire(entries, func(e credit.Entry) gen.LedgerEntry {
		if unopened[orEmpty(e.InvoiceID)] {
			e.InvoiceID = nil
		}
		return ledgerEntryToWire(e, buyer, created[orEmpty(e.Block.InvoiceID)])
	}), nil
}

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

// creditBlockToWire writes a block by itself.
func creditBlockToWire(block credit.Block, of origins) gen.CreditBlock {
	return gen.CreditBlock{
		ID:                    block.ID,
		Balance:               numberToWire(block.Balance),
		MaximumInitialBalance: optionalNumberToWire(&block.InitialBalance),
		EffectiveDate:         optionalInstantToWire(&block.EffectiveAt),
		ExpiryDate:            optionalInstantToWire(block.ExpiresAt),
		PerUnitCostBasis:      block.PerUnitCostBasis,
		Filters:               affectedBlockToWire(block).Filters,
		Status:                gen.CreditBlockStatus(block.Status),
		CreditBlockSource:     gen.CreditBlockSource(block.Source),
		CreditAllocation:      of.allocation(block),
		Metadata:              metadataToWire(block.Metadata),
	}
}

// customerCreditBlockToWire writes a block in the list of its customer.
func customerCreditBlockToWire(block credit.Block, of origins) gen.CustomerCreditBlock {
	whole := creditBlockToWire(block, of)
	return gen.CustomerCreditBlock{
		ID: whole.ID, Balance: whole.Balance, MaximumInitialBalance: whole.MaximumInitialBalance,
		EffectiveDate: whole.EffectiveDate, ExpiryDate: whole.ExpiryDate, PerUnitCostBasis: whole.PerUnitCostBasis,
		Filters: toWire(block.Filters, func(f credit.ItemFilter) gen.ItemFilter {
			return gen.ItemFilter{Field: gen.ItemFilterFieldItemID, Operator: gen.FilterOperator(f.Operator), Values: f.ItemIDs}
		}),
		Status: whole.Status, CreditBlockSource: whole.CreditBlockSource, CreditAllocation: whole.CreditAllocation, Metadata: whole.Metadata,
	}
}

// announcedCreditBlock tells of a block that came to count. What it holds is text there.
func announcedCreditBlock(tx *store.Tx, _ string, b credit.Block) (any, error) {
	block, err := credit.FindBlock(tx, b.ID)
	if err != nil {
		return nil, err
	}
	of, err := originsOf(tx, block)
	if err != nil {
		return nil, err
	}
	shown, err := rawMembers(creditBlockToWire(block, of))
	if err != nil {
		return nil, err
	}
	for name, amount := range map[string]money.Decimal{"balance": block.Balance, "maximum_initial_balance": block.InitialBalance} {
		shown[name] = json.RawMessage(`"` + amount.String() + `"`)
	}
	return map[string]any{"block": shown, "pricing_unit": pricingUnitToWire(block.Currency)}, nil
}
