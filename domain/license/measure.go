package license

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// Book is all that the licenses of one type of a subscription had and drew over a time
// that begins with the oldest allowance that touches what was asked for.
type Book struct {
	Type       catalog.LicenseType
	Licenses   []License   // active at some time of it, newest first
	Allowances []Allowance // by start
	Units      []money.Currency
	Draws      []Draw // by time, then in the order of the prices

	drawn map[string][]Draw // by license: see tell
}

// BookOf works out what licenses drew up to the end of a frame, from usage as it is
// now. Edges are instants in it at which no draw may lie on both sides.
func BookOf(tx *store.Tx, t subscription.Terms, kind catalog.LicenseType, frame period.Period, edges []time.Time) (Book, error) {
	b := Book{Type: kind, Allowances: allowances(t, kind.ID, frame)}
	for _, allowance := range b.Allowances {
		if allowance.Period.Start.Before(frame.Start) {
			frame.Start = allowance.Period.Start
		}
	}
	query := tx.Where("subscription_id = ? AND license_type_id = ?", t.ID, kind.ID)
	if err := overlaps(query, frame.Start, &frame.End).Order("created_at DESC, seq DESC").Find(&b.Licenses).Error; err != nil {
		return Book{}, err
	}
	b.Units = b.units(t)
	if len(b.Licenses) == 0 {
		return b, nil
	}
	uses, err := b.uses(tx, t, frame, edges)
	b.Draws = DrawOn(b.Allowances, b.Licenses, uses)
	return b, err
}

// allowances are the grants of the license prices of a type in the periods of their
// cadence that a frame touches, by start, and those that they follow.
func allowances(t subscription.Terms, typeID string, frame period.Period) (all []Allowance) {
	var granting []subscription.PriceInterval
	for _, i := range t.Intervals {
		if i.Price.LicenseTypeID != nil && *i.Price.LicenseTypeID == typeID && len(i.Price.LicenseAllocations) > 0 {
			granting = append(granting, i)
		}
	}
	for _, i := range granting {
		at := frame.Start
		if i.StartAt.After(at) {
			at = i.StartAt
		}
		if first, ok := t.FirstPeriod(i); ok && first.Start.After(at) { // a trial grants nothing
			at = first.Start
		}
		for piece, ok := t.PeriodOf(i, at); ok && piece.Start.Before(frame.End); piece, ok = t.PeriodOf(i, piece.End) {
			if _, last, found := replaced(t, granting, i, piece); found && !last.End.After(frame.Start) {
				return allowances(t, typeID, period.Period{Start: last.Start, End: frame.End})
			}
			for _, grant := range i.Price.LicenseAllocations {
				all = append(all, Allowance{
					Period: piece, Unit: grant.Currency, Amount: grant.Amount, WritesOff: grant.WriteOffOverage, Of: grantOf(t, granting, i, piece),
				})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Allowance) int { return a.Period.Start.Compare(b.Period.Start) })
	return all
}

// replaced is the license price that another takes the place of amid a period of the cadence,
// as a piece of its life begins, and the last piece of the old one's; false where there is none.
func replaced(t subscription.Terms, granting []subscription.PriceInterval, i subscription.PriceInterval, piece period.Period) (
	old subscription.PriceInterval, last period.Period, found bool) {
	cycle, known := t.CycleOf(i, piece.Start)
	if !known || !piece.Start.Equal(i.StartAt) || !cycle.Start.Before(i.StartAt) {
		return old, last, false
	}
	for _, j := range granting {
		if j.EndAt == nil || !j.EndAt.Equal(i.StartAt) {
			continue
		}
		if last, found = t.PeriodOf(j, i.StartAt.Add(-time.Microsecond)); found {
			return j, last, true
		}
	}
	return old, last, false
}

// grantOf names the first of the pieces that follow each other within a period.
func grantOf(t subscription.Terms, granting []subscription.PriceInterval, i subscription.PriceInterval, piece period.Period) string {
	if old, last, found := replaced(t, granting, i, piece); found {
		return grantOf(t, granting, old, last)
	}
	return i.ID + " " + piece.Start.UTC().Format(time.RFC3339Nano)
}

// draws reports whether a price charges usage by licenses of the type.
func draws(i subscription.PriceInterval, typeID string) bool {
	return i.Price.Type == catalog.PriceUsage && i.Price.LicenseTypeID != nil && *i.Price.LicenseTypeID == typeID
}

// units are those that licenses are granted or use.
func (b Book) units(t subscription.Terms) (units []money.Currency) {
	add := func(unit money.Currency) {
		if !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}
	for _, allowance := range b.Allowances {
		add(allowance.Unit)
	}
	for _, i := range t.Intervals {
		if draws(i, b.Type.ID) {
			add(i.Price.Currency)
		}
	}
	if units == nil {
		add(money.Credits)
	}
	return units
}

// uses asks the metrics of all prices what was used under each name, cut wherever what
// it is taken from may change or a price begins or ends, and at each midnight.
func (b Book) uses(tx *store.Tx, t subscription.Terms, frame period.Period, edges []time.Time) ([]Use, error) {
	var intervals []subscription.PriceInterval
	var lives []period.Period
	for _, i := range t.Intervals {
		if life, ok := lifeIn(i, frame); ok && draws(i, b.Type.ID) {
			intervals, lives = append(intervals, i), append(lives, life)
			edges = append(edges, life.Start, life.End)
		}
	}
	cuts := b.cuts(frame, t.Customer.Location(), edges)
	asked := make([]usage.Request, len(intervals))
	for k, i := range intervals {
		asked[k] = usage.Request{
			Split: []string{b.Type.GroupingKey}, Match: i.Price.Dimensions, Cuts: between(cuts, lives[k]),
		}.Of(t, i)
	}
	answers, err := usage.MeasureAll(tx, nil, asked)
	if err != nil {
		return nil, err
	}
	var uses []Use
	for k, readings := range answers {
		uses = append(uses, usesOf(intervals[k], asked[k].Cuts, readings)...)
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return a.Time.Start.Compare(b.Time.Start) })
	return uses, nil
}

// lifeIn is the part of a frame in which a price is in force.
func lifeIn(i subscription.PriceInterval, frame period.Period) (period.Period, bool) {
	life := period.Period{Start: i.StartAt, End: frame.End}
	if i.EndAt != nil && i.EndAt.Before(life.End) {
		life.End = *i.EndAt
	}
	return life.Intersect(frame)
}

// usesOf turns the cumulative readings of a price into what each name used in each slice.
func usesOf(i subscription.PriceInterval, cuts []time.Time, readings []usage.Reading) (uses []Use) {
	model, before := i.Price.Model(), map[string]money.Decimal{}
	for k, reading := range readings {
		for _, cell := range reading.Cells {
			if cell.Values[0] == nil {
				continue
			}
			name := *cell.Values[0]
			quantity := cell.Quantity.Sub(before[name])
			before[name] = cell.Quantity
			if quantity.IsZero() {
				continue
			}
			uses = append(uses, Use{
				ExternalID: name, IntervalID: i.ID, Unit: i.Price.Currency,
				Credits: rating.Rate(model, rating.Usage{Quantity: quantity}).Subtotal,
				Time:    period.Period{Start: cuts[k], End: cuts[k+1]},
			})
		}
	}
	return uses
}

// cuts are the midnights of a frame, the instants in it at which an allowance or a license
// begins or ends, and those given.
func (b Book) cuts(frame period.Period, loc *time.Location, edges []time.Time) []time.Time {
	cuts := slices.Clone(edges)
	for _, day := range frame.LocalDays(loc) {
		cuts = append(cuts, day.Start)
	}
	for _, allowance := range b.Allowances {
		cuts = append(cuts, allowance.Period.Start, allowance.Period.End)
	}
	for _, l := range b.Licenses {
		cuts = append(cuts, l.StartAt)
		if l.EndAt != nil {
			cuts = append(cuts, *l.EndAt)
		}
	}
	slices.SortFunc(cuts, time.Time.Compare)
	return slices.CompactFunc(cuts, time.Time.Equal)
}

// between are the ends of a period and the cuts inside it.
func between(cuts []time.Time, p period.Period) []time.Time {
	inside := []time.Time{p.Start}
	for _, cut := range cuts {
		if cut.After(p.Start) && cut.Before(p.End) {
			inside = append(inside, cut)
		}
	}
	return append(inside, p.End)
}
