package wire

import (
	"encoding/json"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
)

// Explanation returns how the amount of an invoice line was calculated. Amounts are in the currency
// of its price up to the conversion, then in that of the invoice.
func Explanation(e invoice.Explanation, price gen.Price) gen.LineItemExplanation {
	line, currency, invoiced := e.Line, e.Price.Currency, e.Invoice.Currency
	shown := gen.LineItemExplanation{
		InvoiceID:               e.Invoice.ID,
		LineItemID:              line.ID,
		Name:                    line.Name,
		Price:                   price,
		Currency:                gen.Currency(currency),
		InvoiceCurrency:         gen.Currency(invoiced),
		StartDate:               Instant(line.StartAt),
		EndDate:                 Instant(line.EndAt),
		Quantity:                quantityToWire(e),
		Rating:                  ratingToWire(line, e.Price),
		Groups:                  MapSlice(line.Groups, func(p rating.Part) gen.GroupShare { return groupShareToWire(p, currency) }),
		AdjustedSubtotal:        currency.Format(line.AdjustedSubtotal),
		LicenseCredits:          currency.Format(line.LicenseCredits),
		CreditsApplied:          currency.Format(line.CreditsApplied),
		PartiallyInvoicedAmount: invoiced.Format(line.PartiallyInvoicedAmount),
		Amount:                  invoiced.Format(line.Amount),
		Adjustments: MapSlice(line.Adjustments, func(a rating.Applied) gen.AdjustmentExplanation {
			return adjustmentExplanationToWire(a, e.Adjustments[a.AdjustmentID], currency)
		}),
	}
	if currency != invoiced {
		shown.Conversion = convertedToWire(line, invoiced)
	}
	return shown
}

// quantityToWire returns where the quantity of a line comes from.
func quantityToWire(e invoice.Explanation) gen.QuantityExplanation {
	shown := gen.QuantityExplanation{
		Value:      Number(e.Line.Quantity),
		Customer:   customerRefToWire(e.Invoice.Customer),
		Filter:     conditionsToWire(e.Price.Dimensions, e.Line.Filter),
		Components: []gen.ComponentLine{},
	}
	switch e.Price.Type {
	case catalog.PriceFixed:
		shown.Source = gen.QuantitySourceFixedFee
	case catalog.PriceUsage:
		shown.Source = gen.QuantitySourceMetric
		shown.BillableMetric = &gen.ExplainedMetric{ID: e.Metric.ID, Name: e.Metric.Name, SQL: e.Metric.SQL}
	case catalog.PriceComposite:
		shown.Source = gen.QuantitySourceOtherPrices
		shown.CompositePriceFilters = filtersToWire(e.Price.CompositeFilters)
		shown.Components = MapSlice(e.Components, func(l invoice.Line) gen.ComponentLine {
			return gen.ComponentLine{LineItemID: l.ID, PriceID: l.PriceID, Name: l.Name, Subtotal: e.Price.Currency.Format(l.Subtotal)}
		})
	}
	return shown
}

func ratingToWire(line invoice.Line, price catalog.Price) gen.RatingExplanation {
	return gen.RatingExplanation{
		ModelType:        price.ModelType,
		ServiceDays:      line.Fraction.Part,
		BillingCycleDays: line.Fraction.Whole,
		Prorated:         line.Prorated,
		Steps:            MapSlice(line.Parts, stepToWire),
		ExactSubtotal:    line.Exact.String(),
		Rounding:         line.Rounding().String(),
		Subtotal:         price.Currency.Format(line.Subtotal),
	}
}

// PriceCalculation returns what a price comes to for a quantity.
func PriceCalculation(c charge.Rated) gen.PriceCalculation {
	return gen.PriceCalculation{
		PriceID:       c.Price.ID,
		Currency:      gen.Currency(c.Price.Currency),
		Quantity:      Number(c.Quantity),
		Steps:         MapSlice(c.Parts, stepToWire),
		ExactSubtotal: c.Exact.String(),
		Subtotal:      c.Price.Currency.Format(c.Subtotal),
	}
}

// stepKinds are the names of what parts may be, without the apostrophes of one.
var stepKinds = map[rating.PartKind]gen.RatingStepKind{
	rating.PartTier:    gen.RatingStepKindTier,
	rating.PartMatrix:  gen.RatingStepKindMatrix,
	rating.PartOther:   gen.RatingStepKindOther,
	rating.PartWorking: gen.RatingStepKindWorking,
}

func stepToWire(p rating.Part) gen.RatingStep {
	step := gen.RatingStep{
		Kind:            stepKinds[p.Kind],
		Name:            p.Name,
		Quantity:        Number(p.Quantity),
		ScaledQuantity:  optionalNumberToWire(p.Scaled),
		Amount:          p.Amount.String(),
		Grouping:        groupToWire(p.Group),
		TierConfig:      tierToWire(p.Tier),
		DimensionValues: p.Values,
	}
	if p.Rate != "" {
		step.Rate = &p.Rate
	}
	return step
}

func groupShareToWire(p rating.Part, currency money.Currency) gen.GroupShare {
	return gen.GroupShare{Grouping: *groupToWire(p.Group), Quantity: Number(p.Quantity), Amount: currency.Format(p.Amount)}
}

func adjustmentExplanationToWire(a rating.Applied, of catalog.Adjustment, currency money.Currency) gen.AdjustmentExplanation {
	shown := gen.AdjustmentExplanation{
		AdjustmentID:   a.AdjustmentID,
		AdjustmentType: adjustmentTypeToWire(a.Kind),
		IsInvoiceLevel: of.InvoiceLevel,
		Lines:          a.Lines,
		Base:           currency.Format(a.Base),
		Whole:          currency.Format(a.Whole),
		Earlier:        currency.Format(a.Earlier),
		Before:         currency.Format(a.Before),
		Amount:         currency.Format(a.Amount),
		After:          currency.Format(a.After()),
		QuantityLeft:   optionalNumberToWire(a.Left),
		Bands: MapSlice(a.Bands, func(p rating.Part) gen.DiscountBand {
			return gen.DiscountBand{Name: p.Name, Spend: p.Quantity.String(), Percentage: json.Number(p.Rate), Amount: p.Amount.String()}
		}),
	}
	if a.Kind != rating.TieredPercentageDiscount {
		value := a.Value.String()
		shown.Value = &value
	}
	if days := a.Fraction; days.Whole > 0 {
		shown.ServiceDays, shown.BillingCycleDays = &days.Part, &days.Whole
	}
	return shown
}

// adjustmentTypeToWire names the kind of an adjustment. A trial takes a percentage off.
func adjustmentTypeToWire(kind rating.AdjustmentKind) gen.AdjustmentType {
	if kind == rating.TrialDiscount {
		kind = rating.PercentageDiscount
	}
	return gen.AdjustmentType(kind)
}

func convertedToWire(line invoice.Line, into money.Currency) *gen.ConversionExplanation {
	return &gen.ConversionExplanation{
		Converted: into.Format(line.Amount.Add(line.PartiallyInvoicedAmount)),
		Steps: MapSlice(line.Conversion, func(p rating.Part) gen.ConversionStep {
			return gen.ConversionStep{Name: p.Name, Quantity: Number(p.Quantity), Rate: p.Rate, Amount: into.Format(p.Amount)}
		}),
	}
}
