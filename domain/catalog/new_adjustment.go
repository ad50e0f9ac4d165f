package catalog

import (
	"fmt"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewAdjustment is what a client asks for. Of AppliesToAll, ItemIDs, PriceIDs and
// Filters at most one is given, and none means every price; an empty list is as
// good as none.
type NewAdjustment struct {
	Kind   rating.AdjustmentKind
	Value  money.Decimal // as rating.Adjustment has it
	AsSent *string       // the same, where it is shown as it was sent
	Tiers  []rating.PercentageTier
	ItemID *string // of a minimum

	AppliesToAll bool
	ItemIDs      []string
	PriceIDs     []string // ids, or reference_ids of the same request
	Filters      []rating.Filter

	Currencies   []money.Currency // narrow the prices further, as PriceType does
	PriceType    *string          // as rating.FilterPriceType has it
	InvoiceLevel bool
}

// record checks all that can be judged without other records. named are the
// prices that the request may name, by id and by reference_id; those that are
// wrong themselves have no id.
func (in NewAdjustment) record(tx *store.Tx, named map[string]Price) (Adjustment, error) {
	filters, err := in.filters(named)
	a := Adjustment{
		Record:       tx.Record("adj"),
		Kind:         in.Kind,
		Value:        in.Value,
		AsSent:       in.AsSent,
		Tiers:        append([]rating.PercentageTier{}, in.Tiers...),
		Filters:      filters,
		InvoiceLevel: in.InvoiceLevel,
	}
	var itemErr error
	if in.Kind == rating.Minimum {
		a.ItemID = in.ItemID
		if in.ItemID == nil {
			itemErr = fault.Bad("item_id", "is required by a minimum")
		}
	}
	asked := a.Rating()
	asked.Filters = in.Filters // those that the client knows
	return a, fault.Join(rating.CheckAdjustment(asked), itemErr, in.checkNarrowing(), err)
}

func (in NewAdjustment) checkNarrowing() error {
	var faults []error
	for _, currency := range in.Currencies {
		if !currency.Valid() && currency != money.Credits {
			faults = append(faults, fault.Bad("currency", "must be an ISO 4217 code or credits"))
		}
	}
	if in.PriceType != nil && rating.CheckFilters([]rating.Filter{including(rating.FilterPriceType, *in.PriceType)}) != nil {
		faults = append(faults, fault.Bad("price_type", "must be one of usage, fixed, fixed_in_advance, fixed_in_arrears, in_arrears"))
	}
	return fault.Join(faults...)
}

// filters writes the targets and what narrows them as filters, which must all
// hold (price models 6.1).
func (in NewAdjustment) filters(named map[string]Price) ([]rating.Filter, error) {
	filters, err := in.target(named)
	if len(in.Currencies) > 0 {
		codes := make([]string, len(in.Currencies))
		for i, currency := range in.Currencies {
			codes[i] = string(currency)
		}
		filters = append(filters, including(rating.FilterCurrency, codes...))
	}
	if in.PriceType != nil {
		filters = append(filters, including(rating.FilterPriceType, *in.PriceType))
	}
	return filters, err
}

func (in NewAdjustment) target(named map[string]Price) ([]rating.Filter, error) {
	given := 0
	for _, is := range []bool{in.AppliesToAll, len(in.ItemIDs) > 0, len(in.PriceIDs) > 0, len(in.Filters) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, fault.Bad("applies_to_all, applies_to_item_ids, applies_to_price_ids, filters", "at most one must be specified")
	case len(in.ItemIDs) > 0:
		return []rating.Filter{including(rating.FilterItemID, in.ItemIDs...)}, nil
	case len(in.PriceIDs) > 0:
		ids, err := in.resolve(named)
		return []rating.Filter{including(rating.FilterPriceID, ids...)}, err
	}
	return append([]rating.Filter{}, in.Filters...), nil
}

func including(field rating.FilterField, values ...string) rating.Filter {
	return rating.Filter{Field: field, Operator: rating.FilterIncludes, Values: values}
}

// resolve turns the prices that the adjustment names into their ids.
func (in NewAdjustment) resolve(named map[string]Price) ([]string, error) {
	if !in.InvoiceLevel && len(in.PriceIDs) > 1 {
		return nil, fault.Bad("applies_to_price_ids", "must name one price only, unless the adjustment is at invoice level")
	}
	var ids []string
	var faults []error
	var first *Price
	for i, name := range in.PriceIDs {
		price, known := named[name]
		var err error
		switch {
		case !known:
			err = fault.Bad("", "is neither a price of the plan nor a reference_id of the request")
		case price.ID == "": // wrong itself
		case slices.Contains(ids, price.ID):
			err = fault.Bad("", "must differ from those before it")
		default:
			err = in.checkPrice(price, first)
		}
		if first == nil && price.ID != "" {
			first = &price
		}
		ids = append(ids, price.ID)
		faults = append(faults, fault.In(fmt.Sprintf("applies_to_price_ids[%d]", i), err))
	}
	return ids, fault.Join(faults...)
}

// checkPrice tells whether a price may be named, beside the first of the list
// (price models 6.2).
func (in NewAdjustment) checkPrice(price Price, first *Price) error {
	switch {
	case !price.Currency.Valid():
		return fault.Bad("", "must be a price in a real currency")
	case in.Kind == rating.UsageDiscount && price.Type == PriceComposite:
		return fault.Bad("", "is a composite price, which has no usage to discount")
	case in.Kind != rating.PercentageDiscount && first != nil && !price.billedWith(*first):
		return fault.Bad("", "must have the cadence, billing mode and currency of the first")
	}
	return nil
}

// billedWith reports whether the charges of both prices are on the same
// invoices, for the same periods and in the same currency.
func (p Price) billedWith(o Price) bool {
	return p.Length() == o.Length() && p.BillingMode == o.BillingMode && p.Currency == o.Currency
}

// needItems refuses adjustments that name an item that does not exist.
func needItems(tx *store.Tx, adjustments []Adjustment) error {
	var ids []string
	for _, a := range adjustments {
		if a.ItemID != nil {
			ids = append(ids, *a.ItemID)
		}
		for _, filter := range a.Filters {
			if filter.Field == rating.FilterItemID {
				ids = append(ids, filter.Values...)
			}
		}
	}
	items, err := FindItems(tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, found := items[id]; !found {
			return fault.Missing("Item", id)
		}
	}
	return nil
}
