package license

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// UsageQuery asks what licenses of one type of a subscription used.
type UsageQuery struct {
	SubscriptionID string
	TypeID         string
	LicenseID      string       // "": all
	Start, End     *period.Date // in the customer's zone, End exclusive; nil: that of the current billing period
	GroupBy        *string      // license, day, or both with a comma; nil: license
}

// longestUsage bounds how many days one answer covers.
const longestUsage = 366 * 24 * time.Hour

// UsageRow is what a license, or all of those that are asked for, used over a time. The
// amounts are in the unit.
type UsageRow struct {
	License    *License // nil: all
	Unit       money.Currency
	Start, End period.Date   // End is exclusive
	Allocated  money.Decimal // what there was to draw on: left at the start, and granted since
	Consumed   money.Decimal // drawn on that
	Eligible   money.Decimal // used while active
	Shared     money.Decimal // left to the credits of the customer
}

// Remaining is what is left to draw on.
func (r UsageRow) Remaining() money.Decimal { return r.Allocated.Sub(r.Consumed) }

// Usage returns a page of rows: by license, newest first, then by day, then by unit.
func Usage(tx *store.Tx, q UsageQuery, page store.Page) (rows []UsageRow, next string, err error) {
	byLicense, byDay, err := q.groups()
	if err != nil {
		return nil, "", err
	}
	t, err := subscription.Find(tx, q.SubscriptionID)
	if err != nil {
		return nil, "", err
	}
	kind, err := catalog.FindLicenseType(tx, q.TypeID)
	if err != nil {
		return nil, "", err
	}
	frame, ok, err := q.frame(t, tx.Now)
	if err != nil || !ok {
		return []UsageRow{}, "", err
	}
	book, err := BookOf(tx, t, kind, frame, nil)
	if err != nil {
		return nil, "", err
	}
	book.tell()
	asked := slices.DeleteFunc(slices.Clone(book.Licenses), func(l License) bool {
		return q.LicenseID != "" && l.ID != q.LicenseID || !l.overlaps(frame)
	})
	parts := [][]License{asked}
	if byLicense {
		parts = [][]License{}
		for _, l := range asked {
			parts = append(parts, []License{l})
		}
	}
	windows := []period.Period{frame}
	if byDay {
		windows = frame.LocalDays(t.Customer.Location())
	}
	for _, licenses := range parts {
		for _, window := range windows {
			for _, unit := range book.Units {
				row := book.row(licenses, unit, window, t.Customer.Location())
				if byLicense {
					row.License = &licenses[0]
				}
				rows = append(rows, row)
			}
		}
	}
	return cut(rows, page)
}

func (q UsageQuery) groups() (byLicense, byDay bool, err error) {
	if q.GroupBy == nil {
		return true, false, nil
	}
	for _, group := range strings.Split(*q.GroupBy, ",") {
		switch {
		case group == "license" && !byLicense:
			byLicense = true
		case group == "day" && !byDay:
			byDay = true
		default:
			return false, false, fault.Bad("group_by", "must be license, day, or both with a comma between")
		}
	}
	return byLicense, byDay, nil
}

// frame is the time asked for. Where an end of it is not given, it is that of the billing
// period of now, or the last one of a subscription that has ended; false without one.
func (q UsageQuery) frame(t subscription.Terms, now time.Time) (period.Period, bool, error) {
	loc := t.Customer.Location()
	if t.Status(now) == subscription.StatusEnded && t.EndAt.After(t.StartAt) {
		now = t.EndAt.Add(-time.Microsecond)
	}
	billed, ok := t.BillingPeriod(now)
	start, end := period.DateOf(billed.Start, loc), period.DateOf(billed.End.Add(-time.Microsecond), loc).AddDays(1)
	if q.Start != nil {
		start = *q.Start
	}
	if q.End != nil {
		end = *q.End
	}
	frame := period.Period{Start: start.In(loc), End: end.In(loc)}
	switch {
	case !ok && (q.Start == nil || q.End == nil):
		return period.Period{}, false, nil
	case frame.Empty():
		return period.Period{}, false, fault.Bad("end_date", "must be after start_date")
	case frame.End.Sub(frame.Start) > longestUsage:
		return period.Period{}, false, fault.Bad("end_date", "must be at most 366 days after start_date")
	}
	return frame, true, nil
}

// row sums up what licenses had and used in a window, which no draw lies half in.
func (b Book) row(licenses []License, unit money.Currency, window period.Period, loc *time.Location) UsageRow {
	row := UsageRow{Unit: unit, Start: period.DateOf(window.Start, loc), End: period.DateOf(window.End, loc)}
	for _, l := range licenses {
		granted := b.granted(l)
		open := map[int]bool{} // the allowances that the license may draw on, or did on one that such a one follows
		for k, allowance := range b.Allowances {
			shared, touches := allowance.Period.Intersect(window)
			if allowance.Unit != unit || !touches || !l.overlaps(shared) {
				continue
			}
			open[k] = true
			row.Allocated = row.Allocated.Add(granted[k])
			for j := follows(b.Allowances, k); j >= 0 && !open[j]; j = follows(b.Allowances, j) {
				open[j] = true
				row.Allocated = row.Allocated.Add(granted[j])
			}
		}
		for _, d := range b.drawn[l.ID] {
			switch {
			case d.Unit != unit || !d.Time.Start.Before(window.End):
			case !d.Time.Start.Before(window.Start):
				row.add(d)
			case open[d.Allowance]:
				row.Allocated = row.Allocated.Sub(d.Own)
			}
		}
	}
	return row
}

// granted is what each allowance gives a license: of one that follows another the difference,
// below 0 where it takes back what is unspent.
func (b Book) granted(l License) []money.Decimal {
	granted, total, drawn := make([]money.Decimal, len(b.Allowances)), make([]money.Decimal, len(b.Allowances)), make([]money.Decimal, len(b.Allowances))
	for _, d := range b.drawn[l.ID] {
		if d.Allowance >= 0 {
			drawn[d.Allowance] = drawn[d.Allowance].Add(d.Own)
		}
	}
	for k, allowance := range b.Allowances {
		if !l.overlaps(allowance.Period) {
			continue
		}
		total[k], granted[k] = allowance.Amount, allowance.Amount
		if j := follows(b.Allowances, k); j >= 0 {
			drawn[k] = drawn[k].Add(drawn[j]) // by the end of it
			spent := drawn[j]
			total[k] = money.Max(total[k], spent)
			granted[k] = total[k].Sub(total[j])
		}
	}
	return granted
}

func (r *UsageRow) add(d Draw) {
	r.Consumed, r.Shared = r.Consumed.Add(d.Own), r.Shared.Add(d.Shared)
	if d.License != nil {
		r.Eligible = r.Eligible.Add(d.Credits)
	}
}

// tell assigns each draw to a license of its name: the one that was active, else the newest.
func (b *Book) tell() {
	b.drawn = map[string][]Draw{}
	newest := map[string]string{}
	for _, l := range b.Licenses {
		if newest[l.ExternalID] == "" {
			newest[l.ExternalID] = l.ID
		}
	}
	for _, d := range b.Draws {
		id := newest[d.ExternalID]
		if d.License != nil {
			id = d.License.ID
		}
		b.drawn[id] = append(b.drawn[id], d)
	}
}

func (l License) overlaps(p period.Period) bool {
	return l.StartAt.Before(p.End) && (l.EndAt == nil || l.EndAt.After(p.Start))
}

// cut takes a page out of rows. The cursor tells the last one before it.
func cut(rows []UsageRow, page store.Page) ([]UsageRow, string, error) {
	if page.Cursor != "" {
		at := slices.IndexFunc(rows, func(r UsageRow) bool { return r.cursor() == page.Cursor })
		if at < 0 {
			return nil, "", fault.Bad("cursor", "is not one that this list returned")
		}
		rows = rows[at+1:]
	}
	if len(rows) <= page.Limit {
		return append([]UsageRow{}, rows...), "", nil
	}
	rows = rows[:page.Limit]
	return rows, rows[page.Limit-1].cursor(), nil
}

func (r UsageRow) cursor() string {
	license := ""
	if r.License != nil {
		license = r.License.ID
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %s %s", license, r.Start, r.Unit))
}
