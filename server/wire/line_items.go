package wire

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LineSources are the prices, item names and adjustments that invoice lines refer to, by id.
type LineSources struct {
	Prices      map[string]catalog.Price
	ItemNames   map[string]string
	Adjustments map[string]catalog.Adjustment
}

// LoadLineSources loads what the lines refer to, in a fixed number of queries.
func LoadLineSources(tx *store.Tx, lines []invoice.Line) (s LineSources, err error) {
	if s.Prices, err = catalog.FindPrices(tx, MapSlice(lines, func(l invoice.Line) string { return l.PriceID })); err != nil {
		return s, err
	}
	if s.ItemNames, err = LoadItemNames(tx, slices.Collect(maps.Values(s.Prices))); err != nil {
		return s, err
	}
	s.Adjustments, err = invoice.AdjustmentsOf(tx, lines...)
	return s, err
}

// Price returns the price of a line with the adjustments of that line. Lines of issued invoices
// keep the name that the item had then.
func (s LineSources) Price(l invoice.Line) gen.Price {
	price := s.Prices[l.PriceID]
	adjustments := MapSlice(l.Adjustments, func(a rating.Applied) catalog.Adjustment { return s.Adjustments[a.AdjustmentID] })
	return priceToWire(price, cmp.Or(l.ItemName, s.ItemNames[price.ItemID]), adjustments...)
}

// LineItem returns a line. Its amounts are in the currency of its price, but for amount and
// partially_invoiced_amount, which are in the currency of the invoice.
func (s LineSources) LineItem(l invoice.Line, invoiced money.Currency) gen.InvoiceLineItem {
	price := s.Prices[l.PriceID]
	currency := price.Currency
	return gen.InvoiceLineItem{
		ID:                      l.ID,
		Name:                    l.Name,
		Price:                   s.Price(l),
		Filter:                  conditionsToWire(price.Dimensions, l.Filter),
		UsageCustomerIds:        l.UsageCustomerIDs,
		Quantity:                Number(l.Quantity),
		StartDate:               Instant(l.StartAt),
		EndDate:                 Instant(l.EndAt),
		Subtotal:                currency.Format(l.Subtotal),
		AdjustedSubtotal:        currency.Format(l.AdjustedSubtotal),
		CreditsApplied:          currency.Format(l.LicenseCredits.Add(l.CreditsApplied)),
		PartiallyInvoicedAmount: invoiced.Format(l.PartiallyInvoicedAmount),
		Amount:                  invoiced.Format(l.Amount),
		TaxAmounts:              []gen.TaxAmount{},
		Adjustments: MapSlice(l.Adjustments, func(a rating.Applied) gen.MonetaryAdjustment {
			return appliedToWire(s.Adjustments[a.AdjustmentID], a, currency)
		}),
		SubLineItems: MapSlice(l.SubLines(currency), func(p rating.Part) gen.SubLineItem { return subLineToWire(p, currency) }),
	}
}

// appliedToWire shows an adjustment with what it added to a line.
func appliedToWire(a catalog.Adjustment, applied rating.Applied, currency money.Currency) gen.MonetaryAdjustment {
	return unionOf[gen.MonetaryAdjustment](
		adjustmentBaseToWire(a), gen.AppliedAmount{Amount: currency.Format(applied.Amount)}, adjustingToWire(a, currency),
	)
}

// conditionsToWire writes what events must have to count for a price of a dimensional
// price group and for the filter of a price interval, nil where there is neither (price
// models 8).
func conditionsToWire(dimensions []rating.Property, filter *string) *string {
	if len(dimensions) == 0 {
		return filter
	}
	conditions := MapSlice(dimensions, func(p rating.Property) string {
		return fmt.Sprintf("%s = '%s'", p.Key, strings.ReplaceAll(p.Value, "'", "''"))
	})
	if filter != nil {
		conditions = append(conditions, "("+*filter+")")
	}
	text := strings.Join(conditions, " AND ")
	return &text
}

// subLineToWire shows a sub-line item as the variant of its kind.
func subLineToWire(p rating.Part, currency money.Currency) gen.SubLineItem {
	base := gen.SubLineItemBase{
		Name: p.Name, Quantity: Number(p.Quantity), Amount: currency.Format(p.Amount), Grouping: groupToWire(p.Group),
	}
	switch p.Kind {
	case rating.PartTier:
		return unionOf[gen.SubLineItem](base, gen.TierPart{Type: gen.TierPartTypeTier, TierConfig: *tierToWire(p.Tier)})
	case rating.PartMatrix:
		return unionOf[gen.SubLineItem](base, gen.MatrixPart{
			Type:           gen.MatrixPartTypeMatrix,
			MatrixConfig:   gen.SubLineItemMatrixConfig{DimensionValues: p.Values},
			ScaledQuantity: optionalNumberToWire(p.Scaled),
		})
	default:
		return unionOf[gen.SubLineItem](base, gen.OtherPart{Type: gen.OtherPartTypeNull})
	}
}

func groupToWire(group *rating.Group) *gen.SubLineItemGrouping {
	if group == nil {
		return nil
	}
	return &gen.SubLineItemGrouping{Key: group.Key, Value: group.Value}
}

func tierToWire(tier *rating.TierRange) *gen.SubLineItemTierConfig {
	if tier == nil {
		return nil
	}
	return &gen.SubLineItemTierConfig{
		FirstUnit: Number(tier.FirstUnit), LastUnit: optionalNumberToWire(tier.LastUnit), UnitAmount: tier.UnitAmount,
	}
}
