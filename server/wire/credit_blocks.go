package wire

import (
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
)

// CreditBlockInvoice returns the reference of an invoice that charged for a block.
func CreditBlockInvoice(v invoice.View) gen.CreditBlockInvoice {
	out := gen.CreditBlockInvoice{
		ID: v.ID, Customer: customerRefToWire(v.Customer), InvoiceNumber: v.Number, Status: gen.InvoiceStatus(v.Status),
	}
	if v.SubscriptionID != nil {
		out.Subscription = &gen.SubscriptionMinified{ID: *v.SubscriptionID}
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

// CreditBlock returns a block as single responses show it.
func CreditBlock(block credit.Block, of BlockOrigins) gen.CreditBlock {
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
		CreditAllocation:      of.creditAllocation(block),
		Metadata:              Metadata(block.Metadata),
	}
}

// CustomerCreditBlock returns a block as lists of a customer's blocks show it: with item filters.
func CustomerCreditBlock(block credit.Block, of BlockOrigins) gen.CustomerCreditBlock {
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
