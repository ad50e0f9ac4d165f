package wire

import (
	"encoding/json"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ReadMetadata reads metadata of a creation, where null and left out are
// both none.
func ReadMetadata(in *gen.MetadataInput) map[string]*string {
	if in == nil {
		return nil
	}
	return *in
}

// Metadata returns the metadata as responses show it.
func Metadata(metadata store.Metadata) gen.Metadata {
	if metadata == nil {
		return gen.Metadata{}
	}
	return gen.Metadata(metadata)
}

// Number writes a quantity: plain, without trailing zeros.
func Number(d money.Decimal) json.Number { return json.Number(d.String()) }

func optionalNumberToWire(d *money.Decimal) *json.Number {
	if d == nil {
		return nil
	}
	number := Number(*d)
	return &number
}

// ReadAmount reads an amount or a rate, which travels as text.
func ReadAmount(field string, text gen.Decimal) (money.Decimal, error) {
	amount, err := money.Parse(text)
	if err != nil {
		return money.Decimal{}, fault.Bad(field, "%v", err)
	}
	return amount, nil
}

// ReadOptionalAmount is ReadAmount for an optional amount: nil stays nil.
func ReadOptionalAmount(field string, text *gen.Decimal) (*money.Decimal, error) {
	if text == nil {
		return nil, nil
	}
	amount, err := ReadAmount(field, *text)
	return &amount, err
}

// numberFromWire reads a quantity or a fraction, which travels as a number.
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

// MapSlice maps every record of a page.
func MapSlice[Record, Wire any](records []Record, one func(Record) Wire) []Wire {
	all := make([]Wire, len(records))
	for i, record := range records {
		all[i] = one(record)
	}
	return all
}
