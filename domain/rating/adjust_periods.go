package rating

import (
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Work is an adjustment together with the lines of one of its periods (price models 6.7).
type Work struct {
	Adjustment

	Period   string          // its name, another one for each period of the adjustment
	Fraction period.Fraction // f: the part of a full billing period that it is; the zero value is all of it
	Lines    []int           // the lines of the document that belong to it, all in one currency
	Earlier  []int           // the lines of earlier documents that belong to it, in the same currency

	// Amount takes the place of Value times Fraction, if it is not nil, where several adjustments that
	// follow each other are one. What those of Also did on earlier documents is then its own.
	Amount *money.Decimal
	Also   []string

	// Of a usage discount, by line of Lines: what it took off the prices that the line's price took the place of
	// in the period. That is no more free (price models 6.7.8).
	Replaced []Replaced
	Instead  []string // adjustments that the discount took the place of: what they took off those prices counts too
}

// Replaced are the lines of prices that another one took the place of.
type Replaced struct {
	Lines   []int // of the document
	Earlier []int // of earlier documents, the newest of each price
}

// EarlierLine is what an earlier document added to a row: a line of it, or the difference of two lines to date.
type EarlierLine struct {
	Row      string        // see Line
	Quantity money.Decimal // to date
	Subtotal money.Decimal
	Applied  []Applied // in the order of application; their amounts are what the document added
}

// AdjustPeriods applies adjustments to the lines of one document. What each does there is what it comes
// to over all lines of its period to date, less what it did on the earlier documents of the period (price
// models 6.7). Works of one step are in order of creation.
func AdjustPeriods(lines []Line, earlier []EarlierLine, works []Work) []Adjusted {
	s := newSheet(lines, earlier)
	ordered := inSteps(works)
	for step := firstStep; step <= lastStep; step++ {
		s.keep(step, ordered)
		for _, w := range ordered {
			if steps[w.Kind] == step && len(w.Lines) > 0 {
				s.apply(w)
			}
		}
	}
	adjusted := make([]Adjusted, len(lines))
	for k, line := range s.lines {
		adjusted[k] = line.Adjusted
	}
	return adjusted
}

// sheet is a document on its way through the adjustments, beside the earlier ones.
type sheet struct {
	lines   []running
	earlier []EarlierLine
	amounts []money.Decimal // of earlier, after the steps so far
}

// running is a line on its way through the adjustments.
type running struct {
	Line
	Adjusted               // to date
	share    money.Decimal // what the document adds to earlier ones, after the steps so far
	free     money.Decimal // the units that usage discounts took off
	off      money.Decimal // those of them that the discount at work took off by now
}

func newSheet(lines []Line, earlier []EarlierLine) *sheet {
	s := &sheet{lines: make([]running, len(lines)), earlier: earlier, amounts: make([]money.Decimal, len(earlier))}
	for k, line := range lines {
		s.lines[k] = running{Line: line, Adjusted: Adjusted{Subtotal: line.Subtotal}, share: line.Subtotal}
		if line.Earlier != nil {
			s.lines[k].share = line.Subtotal.Sub(line.Earlier.Subtotal)
		}
	}
	for k, line := range earlier {
		s.amounts[k] = line.Subtotal
	}
	return s
}

// keep takes over what adjustments of a step did on earlier documents to lines on which they do not work
// any more. That stays (price models 6.7.10).
func (s *sheet) keep(step int, works []Work) {
	for k := range s.lines {
		line := &s.lines[k]
		if line.Earlier == nil {
			continue
		}
		for _, done := range line.Earlier.Applied {
			worksOn := func(w Work) bool { return w.is(done.AdjustmentID) && slices.Contains(w.Lines, k) }
			if steps[done.Kind] != step || slices.ContainsFunc(works, worksOn) {
				continue
			}
			done.Before = line.Adjusted.Subtotal
			line.Adjusted.Subtotal = done.After()
			line.Applied = append(line.Applied, done)
		}
	}
	for k, line := range s.earlier {
		for _, done := range line.Applied {
			worksOn := func(w Work) bool { return w.is(done.AdjustmentID) && slices.Contains(w.Earlier, k) }
			if steps[done.Kind] == step && !slices.ContainsFunc(works, worksOn) {
				s.amounts[k] = s.amounts[k].Add(done.Amount)
			}
		}
	}
}

// is reports whether the work is that of an adjustment.
func (w Work) is(id string) bool { return w.ID == id || slices.Contains(w.Also, id) }

// did is what the work did to a line on earlier documents.
func (w Work) did(applied []Applied) (sum money.Decimal) {
	for _, done := range applied {
		if w.is(done.AdjustmentID) {
			sum = sum.Add(done.Amount)
		}
	}
	return sum
}

// apply works out what an adjustment does on the document.
func (s *sheet) apply(w Work) {
	currency := money.Currency(s.lines[w.Lines[0]].Price.Currency)
	rows := s.rows(w)
	applied := Applied{AdjustmentID: w.ID, Kind: w.Kind, Value: w.Value, Period: w.Period, Lines: len(rows), Base: money.Sum(rows...)}
	if w.prorated() {
		applied.Fraction = w.Fraction
		if w.Fraction.Whole == 0 {
			applied.Fraction = period.Fraction{Part: 1, Whole: 1}
		}
		if applied.Value = currency.Round(share(w.Value, applied.Fraction)); w.Amount != nil {
			applied.Value = currency.Round(*w.Amount)
		}
	}
	for _, k := range w.Earlier {
		applied.Earlier = applied.Earlier.Add(w.did(s.earlier[k].Applied))
	}

	var added []money.Decimal // to each line of the document
	var left []*money.Decimal
	var units []money.Decimal
	switch w.Kind {
	case UsageDiscount:
		added, left, units = s.discountUsage(w)
	case PercentageDiscount:
		added = s.discountShares(w)
	case AmountDiscount:
		applied.Whole = money.Min(applied.Value, positive(rows)).Neg()
	case TieredPercentageDiscount:
		var off money.Decimal
		off, applied.Bands = w.discountBands(applied.Base)
		applied.Whole = currency.Round(off).Neg()
	case Minimum:
		applied.Whole = above(applied.Value, applied.Base)
	case Maximum:
		applied.Whole = above(applied.Base, applied.Value).Neg()
	}
	if jointly(w.Kind) {
		added = s.split(applied.Whole.Sub(applied.Earlier), w)
	} else {
		applied.Whole = money.Sum(added...).Add(applied.Earlier)
	}

	for n, k := range w.Lines {
		line, own := &s.lines[k], applied
		own.Before, own.Amount = line.Adjusted.Subtotal, added[n]
		if line.Earlier != nil { // as the line, to date
			own.Amount = own.Amount.Add(w.did(line.Earlier.Applied))
		}
		if left != nil {
			own.Left, own.Value = left[n], units[n]
		}
		line.off = money.Decimal{}
		line.share = line.share.Add(added[n])
		line.Adjusted.Subtotal = own.After()
		line.Applied = append(line.Applied, own)
	}
	for _, k := range w.Earlier {
		s.amounts[k] = s.amounts[k].Add(w.did(s.earlier[k].Applied))
	}
}

// jointly reports whether adjustments of a kind work on the sum of lines.
func jointly(kind AdjustmentKind) bool { return kind != UsageDiscount && kind != PercentageDiscount }

// rows are the running amounts over the period to date, by price (price models 6.7.5).
func (s *sheet) rows(w Work) []money.Decimal {
	var rows []money.Decimal
	at := map[string]int{}
	add := func(row string, amount money.Decimal) {
		k, known := at[row]
		if !known || row == "" {
			k, rows = len(rows), append(rows, money.Decimal{})
			at[row] = k
		}
		rows[k] = rows[k].Add(amount)
	}
	for _, k := range w.Lines {
		add(s.lines[k].Row, s.lines[k].share)
	}
	for _, k := range w.Earlier {
		add(s.earlier[k].Row, s.amounts[k])
	}
	return rows
}

// split gives each line of the document its part of an amount. What a discount or a maximum gives back of
// itself goes first to lines below 0, up to 0 (price models 6.7.7).
func (s *sheet) split(amount money.Decimal, w Work) []money.Decimal {
	places := money.Currency(s.lines[w.Lines[0]].Price.Currency).MinorUnits()
	shares, lacking := make([]money.Decimal, len(w.Lines)), make([]money.Decimal, len(w.Lines))
	for n, k := range w.Lines {
		shares[n] = s.lines[k].share
		lacking[n] = money.Max(shares[n].Neg(), money.Decimal{})
	}
	if amount.Sign() <= 0 || w.Kind == Minimum || positive(lacking).Sign() == 0 {
		return money.Split(amount, shares, places)
	}
	first := money.Min(amount, positive(lacking))
	parts := money.Split(first, lacking, places)
	for n, more := range money.Split(amount.Sub(first), shares, places) {
		parts[n] = parts[n].Add(more)
	}
	return parts
}

// discountUsage rates each line again with so many units fewer, which it returns too. Of a line to date it takes
// off no more than the documents charged on which it works (price models 6.7.10).
func (s *sheet) discountUsage(w Work) (added []money.Decimal, left []*money.Decimal, free []money.Decimal) {
	for n, k := range w.Lines {
		line, units := &s.lines[k], w.Value
		if n < len(w.Replaced) {
			units = above(units, s.unitsOff(w, w.Replaced[n]))
		}
		free = append(free, units)
		currency := money.Currency(line.Price.Currency)
		before := line.Line.Subtotal
		if !line.free.IsZero() {
			before = currency.Round(rateLess(line.Model, line.Usage, line.free).Subtotal.WithoutTail())
		}
		whole := rateLess(line.Model, line.Usage, line.free).Quantity
		line.free = line.free.Add(units)
		rest := rateLess(line.Model, line.Usage, line.free)
		line.off = above(whole, rest.Quantity)
		effect := currency.Round(rest.Subtotal.WithoutTail()).Sub(before)
		if line.Earlier != nil {
			charged := line.share
			for _, e := range w.Earlier {
				if s.earlier[e].Row == line.Row {
					charged = charged.Add(s.amounts[e])
				}
			}
			effect = money.Max(effect, money.Min(charged.Neg(), money.Decimal{}))
			effect = effect.Sub(w.did(line.Earlier.Applied))
		}
		added, left = append(added, effect), append(left, &rest.Quantity)
	}
	return added, left, free
}

// unitsOff is how many units a discount, and those that it took the place of, took off replaced prices.
func (s *sheet) unitsOff(w Work, replaced Replaced) (sum money.Decimal) {
	for _, k := range replaced.Lines {
		line := s.lines[k]
		sum = sum.Add(w.unitsOff(rateLess(line.Model, line.Usage, money.Decimal{}).Quantity, line.Applied)).Add(line.off)
	}
	for _, k := range replaced.Earlier {
		sum = sum.Add(w.unitsOff(s.earlier[k].Quantity, s.earlier[k].Applied))
	}
	return sum
}

// unitsOff is how many units that is of a line. Each usage discount begins with what the one before left.
func (w Work) unitsOff(quantity money.Decimal, applied []Applied) (sum money.Decimal) {
	for _, done := range applied {
		if done.Left == nil {
			continue
		}
		if w.is(done.AdjustmentID) || slices.Contains(w.Instead, done.AdjustmentID) {
			sum = sum.Add(above(quantity, *done.Left))
		}
		quantity = money.Min(quantity, *done.Left)
	}
	return sum
}

// discountShares takes a percentage off what the document adds. Where a price that is charged to date fell
// below what earlier documents charged, it takes back at most what it gave on those of the period (price
// models 6.7.9).
func (s *sheet) discountShares(w Work) (added []money.Decimal) {
	for _, k := range w.Lines {
		line := s.lines[k]
		effect := money.Currency(line.Price.Currency).Round(line.share.Mul(w.Value)).Neg()
		if line.Earlier != nil && effect.Sign() > 0 {
			var gave money.Decimal
			for _, e := range w.Earlier {
				if s.earlier[e].Row == line.Row {
					gave = gave.Sub(w.did(s.earlier[e].Applied))
				}
			}
			effect = money.Min(effect, money.Max(gave, money.Decimal{}))
		}
		added = append(added, effect)
	}
	return added
}
