package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
)

// legacyFromWire reads the adjustments of one price from the fields that were used before
// adjustments.
func legacyFromWire(minimum, maximum *gen.Decimal, discounts []gen.DiscountOverride) (own []subscription.LegacyAdjustment, err error) {
	var failed [3]error
	for i, limit := range []struct {
		kind   rating.AdjustmentKind
		amount *gen.Decimal
	}{{rating.Minimum, minimum}, {rating.Maximum, maximum}} {
		if limit.amount != nil {
			a := subscription.LegacyAdjustment{NewAdjustment: catalog.NewAdjustment{Kind: limit.kind, AsSent: limit.amount}}
			a.Value, failed[i] = configuredFromWire(string(limit.kind)+"_amount", limit.amount)
			own = append(own, a)
		}
	}
	off, err := entriesFromWire("discounts", discounts, discountFromWire)
	for k := range off {
		off[k].Place = contract.IndexPath("discounts", k)
	}
	failed[2] = err
	return append(own, off...), fault.Join(failed[:]...)
}

func discountFromWire(in gen.DiscountOverride) (a subscription.LegacyAdjustment, err error) {
	for _, value := range []struct {
		of    gen.DiscountOverrideType
		given bool
	}{
		{gen.DiscountOverrideTypeAmount, in.AmountDiscount != nil},
		{gen.DiscountOverrideTypePercentage, in.PercentageDiscount != nil},
		{gen.DiscountOverrideTypeUsage, in.UsageDiscount != nil},
	} {
		if value.given && value.of != in.DiscountType {
			return a, fault.Bad(string(value.of)+"_discount", "must not be given with that discount_type")
		}
	}
	switch in.DiscountType {
	case gen.DiscountOverrideTypeAmount:
		a.Kind, a.AsSent = rating.AmountDiscount, in.AmountDiscount
		a.Value, err = configuredFromWire("amount_discount", in.AmountDiscount)
	case gen.DiscountOverrideTypePercentage:
		a.Kind = rating.PercentageDiscount
		a.Value, err = shareFromWire("percentage_discount", in.PercentageDiscount)
	case gen.DiscountOverrideTypeUsage:
		a.Kind = rating.UsageDiscount
		a.Value, err = shareFromWire("usage_discount", in.UsageDiscount)
	}
	return a, err
}

func configuredFromWire(field string, text *gen.Decimal) (money.Decimal, error) {
	if text == nil {
		return money.Decimal{}, fault.Bad(field, "is required")
	}
	return ReadAmount(field, *text)
}

func shareFromWire(field string, number *json.Number) (money.Decimal, error) {
	if number == nil {
		return money.Decimal{}, fault.Bad(field, "is required")
	}
	return numberFromWire(field, *number)
}

// sentOverride is what an entry of price_overrides may have beside a configuration.
// What stays as it is differs from what is removed.
type sentOverride struct {
	ID            string                `json:"id"`
	ModelType     string                `json:"model_type"`
	Quantity      *json.Number          `json:"fixed_price_quantity"`
	MinimumAmount *gen.Decimal          `json:"minimum_amount"`
	MaximumAmount *gen.Decimal          `json:"maximum_amount"`
	Discount      *gen.DiscountOverride `json:"discount"`
}

// replacing are the kinds of adjustments that a member of an override is about.
var replacing = map[string][]rating.AdjustmentKind{
	"minimum_amount": {rating.Minimum},
	"maximum_amount": {rating.Maximum},
	"discount":       {rating.UsageDiscount, rating.AmountDiscount, rating.PercentageDiscount, rating.TieredPercentageDiscount},
}

func overrideFromWire(text gen.PriceOverride) (replaced subscription.ReplacedPrice, err error) {
	replaced.Override = &subscription.Override{}
	var in sentOverride
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &in); err != nil {
		return replaced, fmt.Errorf("read an override: %w", err)
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return replaced, fmt.Errorf("read an override: %w", err)
	}
	replaced.ReplacesPriceID = in.ID
	var quantityErr, ownErr, discountErr error
	replaced.Quantity, quantityErr = optionalNumberFromWire("fixed_price_quantity", in.Quantity)
	replaced.Own, ownErr = legacyFromWire(in.MinimumAmount, in.MaximumAmount, nil)
	if in.Discount != nil {
		off, err := discountFromWire(*in.Discount)
		off.Place = "discount"
		replaced.Own, discountErr = append(replaced.Own, off), fault.In("discount", err)
	}
	for member, kinds := range replacing {
		if _, given := members[member]; given {
			replaced.Clear = append(replaced.Clear, kinds...)
		}
	}
	return replaced, fault.Join(quantityErr, ownErr, discountErr, in.configure(members, replaced.Override))
}

// configure takes the configuration of an override, if it has one, and refuses what
// cannot be overridden.
func (in sentOverride) configure(members map[string]json.RawMessage, into *subscription.Override) error {
	for _, member := range []string{"id", "model_type", "fixed_price_quantity", "minimum_amount", "maximum_amount", "discount"} {
		delete(members, member)
	}
	var faults []error
	if in.ModelType != "" {
		field := in.ModelType + "_config"
		into.ModelType, into.Config = in.ModelType, members[field]
		if into.Config == nil {
			faults = append(faults, fault.Bad(field, "is required"))
		}
		delete(members, field)
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		faults = append(faults, fault.Bad(member, "is not a field that an override can have"))
	}
	return fault.Join(faults...)
}
