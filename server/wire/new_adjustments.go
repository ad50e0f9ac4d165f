package wire

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// sentAdjustment is what an adjustment of any kind may be sent as.
type sentAdjustment struct {
	gen.NewAdjustmentBase
	Kind               rating.AdjustmentKind   `json:"adjustment_type"`
	UsageDiscount      json.Number             `json:"usage_discount"`
	AmountDiscount     gen.Decimal             `json:"amount_discount"`
	PercentageDiscount json.Number             `json:"percentage_discount"`
	MinimumAmount      gen.Decimal             `json:"minimum_amount"`
	MaximumAmount      gen.Decimal             `json:"maximum_amount"`
	ItemID             *string                 `json:"item_id"`
	Tiers              []gen.NewPercentageTier `json:"tiers"`
}

// newAdjustmentFromWire reads an adjustment of a request, which is a union that holds
// the text it was sent as.
func newAdjustmentFromWire(union gen.NewAdjustment) (catalog.NewAdjustment, error) {
	text, err := union.MarshalJSON()
	if err != nil {
		return catalog.NewAdjustment{}, fmt.Errorf("read an adjustment: %w", err)
	}
	var in sentAdjustment
	if err := json.Unmarshal(text, &in); err != nil {
		return catalog.NewAdjustment{}, fmt.Errorf("read an adjustment: %w", err)
	}
	wanted := catalog.NewAdjustment{
		Kind:         in.Kind,
		ItemID:       in.ItemID,
		AppliesToAll: in.AppliesToAll != nil,
		ItemIDs:      in.AppliesToItemIds,
		PriceIDs:     in.AppliesToPriceIds,
		Filters:      ReadFilters(in.Filters),
		Currencies:   currenciesFromWire(in.Currency),
		PriceType:    (*string)(in.PriceType),
		InvoiceLevel: in.IsInvoiceLevel == nil || *in.IsInvoiceLevel,
	}
	valueErr := in.value(&wanted)
	var tiersErr error
	wanted.Tiers, tiersErr = entriesFromWire("tiers", in.Tiers, percentageTierFromWire)
	return wanted, fault.Join(valueErr, tiersErr)
}

// value reads the one number that the kind of the adjustment has. An amount is shown
// again as it was sent.
func (in sentAdjustment) value(into *catalog.NewAdjustment) (err error) {
	amount := func(field string, text gen.Decimal) {
		into.AsSent = &text
		into.Value, err = ReadAmount(field, text)
	}
	switch in.Kind {
	case rating.UsageDiscount:
		into.Value, err = numberFromWire("usage_discount", in.UsageDiscount)
	case rating.PercentageDiscount:
		into.Value, err = numberFromWire("percentage_discount", in.PercentageDiscount)
	case rating.AmountDiscount:
		amount("amount_discount", in.AmountDiscount)
	case rating.Minimum:
		amount("minimum_amount", in.MinimumAmount)
	case rating.Maximum:
		amount("maximum_amount", in.MaximumAmount)
	case rating.TieredPercentageDiscount: // it has tiers instead
	}
	return err
}

func percentageTierFromWire(in gen.NewPercentageTier) (tier rating.PercentageTier, err error) {
	var lowerErr, upperErr, percentageErr error
	tier.LowerBound, lowerErr = numberFromWire("lower_bound", in.LowerBound)
	tier.UpperBound, upperErr = optionalNumberFromWire("upper_bound", in.UpperBound)
	tier.Percentage, percentageErr = numberFromWire("percentage", in.Percentage)
	return tier, fault.Join(lowerErr, upperErr, percentageErr)
}

// currenciesFromWire reads one currency or a list of them, as the contract has it.
func currenciesFromWire(in *gen.NullableCurrencies) []money.Currency {
	if in == nil {
		return nil
	}
	if one, err := in.AsNullableCurrency(); err == nil {
		return []money.Currency{money.Currency(one)}
	}
	several, err := in.AsCurrencies()
	if err != nil {
		panic(fmt.Sprintf("wire: the contract let through %v as currencies", in))
	}
	return MapSlice(several, func(c gen.Currency) money.Currency { return money.Currency(c) })
}
