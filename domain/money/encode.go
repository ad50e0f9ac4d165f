package money

import (
	"database/sql/driver"
	"fmt"
)

// MarshalText writes String, so a Decimal is a string in JSON.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads all that MarshalText writes, which may be longer than the
// decimal strings of the wire. Check what a client sent with Parse.
func (d *Decimal) UnmarshalText(text []byte) (err error) {
	*d, err = parsePlain(string(text))
	return err
}

// Value hands the database a numeric as text.
func (d Decimal) Value() (driver.Value, error) { return d.String(), nil }

// Scan reads a numeric or an integer column that is not null.
func (d *Decimal) Scan(src any) (err error) {
	switch v := src.(type) {
	case string:
		*d, err = parsePlain(v)
	case []byte:
		*d, err = parsePlain(string(v))
	case int64:
		*d = FromInt(v)
	default:
		err = fmt.Errorf("money: cannot scan %T into a Decimal", src)
	}
	return err
}

// GormDataType names the column type to GORM.
func (Decimal) GormDataType() string { return "numeric" }
