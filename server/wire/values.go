package wire

import (
	"encoding/json"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadMetadata reads the metadata of a new record; null is the same as left out.
func ReadMetadata(in *gen.MetadataInput) map[string]*string {
	if in == nil {
		return nil
	}
	return *in
}

// Metadata returns metadata, {} for none.
func Metadata(metadata store.Metadata) gen.Metadata {
	if metadata == nil {
		return gen.Metadata{}
	}
	return gen.Metadata(metadata)
}

// Number returns a quantity as an exact JSON number, without exponent and trailing zeros.
func Number(d money.Decimal) json.Number { return json.Number(d.String()) }

// optionalText returns a text, nil for an empty one.
func optionalText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func optionalNumberToWire(d *money.Decimal) *json.Number {
	if d == nil {
		return nil
	}
	number := Number(*d)
	return &number
}

// ReadAmount reads an amount or a rate, which is a decimal string.
func ReadAmount(field string, text gen.Decimal) (money.Decimal, error) {
	amount, err := money.Parse(text)
	if err != nil {
		return money.Decimal{}, fault.Bad(field, "%v", err)
	}
	return amount, nil
}

// ReadOptionalAmount is ReadAmount for an amount that may be left out: nil stays nil.
func ReadOptionalAmount(field string, text *gen.Decimal) (*money.Decimal, error) {
	if text == nil {
		return nil, nil
	}
	amount, err := ReadAmount(field, *text)
	return &amount, err
}

// numberFromWire reads a quantity or a fraction, which is a JSON number.
func numberFromWire(field string, number json.Number) (money.Decimal, error) {
	n, err := money.ParseNumber(number.String())
	if err != nil {
		return money.Decimal{}, fault.Bad(field, "%v", err)
	}
	return n, nil
}

func optionalNumberFromWire(field string, number *json.Number) (*money.Decimal, error) {
	if number == nil {
		return nil, nil
	}
	n, err := numberFromWire(field, *number)
	return &n, err
}

// lengthToWire writes the length of a cycle, which is not that of what happens once.
func lengthToWire(length period.Length) gen.CycleConfiguration {
	if length.Days > 0 {
		return gen.CycleConfiguration{Duration: length.Days, DurationUnit: gen.CycleUnitDay}
	}
	return gen.CycleConfiguration{Duration: length.Months, DurationUnit: gen.CycleUnitMonth}
}

func lengthFromWire(in *gen.CycleConfiguration) *period.Length {
	switch {
	case in == nil:
		return nil
	case in.DurationUnit == gen.CycleUnitDay:
		return &period.Length{Days: in.Duration}
	default:
		return &period.Length{Months: in.Duration}
	}
}

// MapSlice maps each record. The result is never nil, so that an empty list is [] in JSON.
func MapSlice[Record, Wire any](records []Record, one func(Record) Wire) []Wire {
	all := make([]Wire, len(records))
	for i, record := range records {
		all[i] = one(record)
	}
	return all
}

func filtersToWire(filters []rating.Filter) []gen.Filter {
	return MapSlice(filters, func(f rating.Filter) gen.Filter {
		return gen.Filter{Field: gen.FilterField(f.Field), Operator: gen.FilterOperator(f.Operator), Values: f.Values}
	})
}

// ExactAmount formats an amount with the decimals of the minor unit, or with all of its decimals
// where there are more.
func ExactAmount(currency money.Currency, amount money.Decimal) string {
	if currency.Fits(amount) {
		return currency.Format(amount)
	}
	return amount.String()
}

// entriesFromWire maps the entries of a list. Faults name their place.
func entriesFromWire[Wire, Entry any](field string, in []Wire, one func(Wire) (Entry, error)) ([]Entry, error) {
	all := make([]Entry, len(in))
	faults := make([]error, len(in))
	for i, each := range in {
		wanted, err := one(each)
		all[i], faults[i] = wanted, fault.In(contract.IndexPath(field, i), err)
	}
	return all, fault.Join(faults...)
}

// ReadFilters reads filters.
func ReadFilters(filters []gen.Filter) []rating.Filter {
	return MapSlice(filters, func(f gen.Filter) rating.Filter {
		return rating.Filter{Field: rating.FilterField(f.Field), Operator: rating.FilterOperator(f.Operator), Values: f.Values}
	})
}

func optionalLengthToWire(length *period.Length) *gen.CycleConfiguration {
	if length == nil {
		return nil
	}
	shown := lengthToWire(*length)
	return &shown
}

// OneOrMany joins the two forms of a filter: name=a, and name[]=a&name[]=b.
func OneOrMany[T any](one *T, many []T) []T {
	if one != nil {
		return append([]T{*one}, many...)
	}
	return many
}

// Deref returns the text, "" for nil.
func Deref[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}
