package export

import (
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// Report is what can be exported. Its view is exported_<report>.
type Report string

// Reports (semantics 22.1.1). Drafts are in none of them, as their amounts are computed when they are read.
const (
	Invoices            Report = "invoices"
	Lines               Report = "lines" // of invoices
	CreditNotes         Report = "credit_notes"
	CreditNoteLines     Report = "credit_note_lines"
	Payments            Report = "payments"
	Balances            Report = "balances" // of customers: money and credits
	BalanceTransactions Report = "balance_transactions"
	Ledger              Report = "ledger" // of prepaid credits, with the cost basis
	CreditBlocks        Report = "credit_blocks"
	Customers           Report = "customers"
	Subscriptions       Report = "subscriptions"
	Events              Report = "events"
)

// rights are what a person needs to export a report (semantics 22.1.2).
var rights = map[Report]account.Right{
	Invoices:            {Resource: "invoices", Access: account.AccessRead},
	Lines:               {Resource: "invoices", Access: account.AccessRead},
	CreditNotes:         {Resource: "credit_notes", Access: account.AccessRead},
	CreditNoteLines:     {Resource: "credit_notes", Access: account.AccessRead},
	Payments:            {Resource: "invoices", Access: account.AccessRead},
	Balances:            {Resource: "credits", Access: account.AccessRead},
	BalanceTransactions: {Resource: "customers", Access: account.AccessRead},
	Ledger:              {Resource: "credits", Access: account.AccessRead},
	CreditBlocks:        {Resource: "credits", Access: account.AccessRead},
	Customers:           {Resource: "customers", Access: account.AccessRead},
	Subscriptions:       {Resource: "subscriptions", Access: account.AccessRead},
	Events:              {Resource: "events", Access: account.AccessRead},
}

// Right is what exporting the report needs. Known is false where there is no such report.
func (r Report) Right() (right account.Right, known bool) {
	right, known = rights[r]
	return right, known
}

// Format is the form of a file.
type Format string

// Formats.
const (
	CSV    Format = "csv"    // RFC 4180
	NDJSON Format = "ndjson" // a JSON object on each line
	XLSX   Format = "xlsx"
)

// MediaType of a file of the format.
func (f Format) MediaType() string {
	switch f {
	case NDJSON:
		return "application/x-ndjson"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return "text/csv; charset=utf-8; header=present"
}

// Query says what to export.
type Query struct {
	Report Report
	Format Format

	// From and To bound the instant of rows, To exclusively: when a document was issued, an entry or a
	// record was made, or an event happened. nil: no bound. A balance has none
	// (semantics 22.1.3).
	From, To *time.Time

	// Temp is the place for the temporary files of a workbook; the system's when nil.
	Temp *tempfile.Place

	// Written is told how many rows are written, after each part of them. It may be nil. Its error ends the
	// export.
	Written func(rows int64) error
}

func (q Query) check() error {
	if _, known := q.Report.Right(); !known {
		return fault.Bad("report", "must be one of the reports, such as invoices")
	}
	if !slices.Contains([]Format{CSV, NDJSON, XLSX}, q.Format) {
		return fault.Bad("format", "must be csv, ndjson or xlsx")
	}
	if q.Report == Balances && (q.From != nil || q.To != nil) {
		return fault.Bad("from", "balances are those of now, and have no bounds")
	}
	if q.From != nil && q.To != nil && !q.From.Before(*q.To) {
		return fault.Bad("to", "must be after from")
	}
	return nil
}

// ParseBound reads a bound of a query: an instant, or a day, which begins at midnight in the account's time
// zone. "" is no bound.
func ParseBound(tx *store.Tx, field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no bound
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		at = at.UTC()
		return &at, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return nil, fault.Bad(field, "must be a day such as 2025-03-31, or an instant such as 2025-03-31T12:00:00Z")
	}
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	zone, err := period.LoadZone(settings.Timezone)
	if err != nil {
		return nil, err
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone).UTC()
	return &at, nil
}
