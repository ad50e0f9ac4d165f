package invoice

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Line is a line item: one service of one price. Amounts are in the price's
// currency, rounded to its minor unit.
type Line struct {
	store.Record
	InvoiceID string
	Position  int
	PriceID   string
	Name      string
	StartAt   time.Time // of the service, inclusive
	EndAt     time.Time // exclusive
	Quantity  money.Decimal

	Subtotal                money.Decimal // before adjustments
	AdjustedSubtotal        money.Decimal // after them
	CreditsApplied          money.Decimal
	PartiallyInvoicedAmount money.Decimal
	Amount                  money.Decimal // what is left to pay
	Parts                   Parts         // sub-line items, which sum to Subtotal
}

// TableName is the table of lines.
func (Line) TableName() string { return "invoice_lines" }

// lines works out what an invoice charges, as of now.
func lines(tx *store.Tx, t subscription.Terms, inv Invoice) ([]Line, error) {
	services := t.BilledOn(inv.InvoiceDate)
	out := make([]Line, len(services))
	for k, s := range services {
		accrued, err := accrue(tx, t, s, []time.Time{s.Period.End})
		if err != nil {
			return nil, err
		}
		a := accrued[0]
		out[k] = Line{
			Record: store.Record{
				AccountID: tx.AccountID, ID: lineID(inv.ID, s), CreatedAt: tx.Now,
			},
			InvoiceID: inv.ID, Position: k, PriceID: s.Interval.PriceID, Name: s.Interval.Price.Name,
			StartAt: s.Period.Start, EndAt: s.Period.End,
			Quantity: a.Quantity, Subtotal: a.Subtotal, AdjustedSubtotal: a.Total, Amount: a.Total,
			Parts: a.Parts,
		}
	}
	return out, nil
}

// lineID names the line of a service on an invoice, always the same.
func lineID(invoiceID string, s subscription.Service) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", invoiceID, s.Interval.ID, s.Period.Start.UnixMicro()))
	return "line_" + base64.RawURLEncoding.EncodeToString(sum[:15])
}

// Parts is a column of sub-line items.
type Parts []rating.Part

// GormDataType names the column type to GORM.
func (Parts) GormDataType() string { return "jsonb" }

// Value writes the column.
func (p Parts) Value() (driver.Value, error) {
	if p == nil {
		p = Parts{}
	}
	text, err := json.Marshal([]rating.Part(p))
	return string(text), err
}

// Scan reads the column.
func (p *Parts) Scan(src any) error {
	switch text := src.(type) {
	case []byte:
		return json.Unmarshal(text, (*[]rating.Part)(p))
	case string:
		return json.Unmarshal([]byte(text), (*[]rating.Part)(p))
	default:
		return fmt.Errorf("invoice parts: cannot read a %T", src)
	}
}
