package paper

import (
	"tollkeeper/domain/document"
)

// columns are the widths of the table of lines, in millimeters. A width of 0 is a column that no
// line needs.
type columns struct{ what, period, quantity, rate, amount float64 }

const (
	columnGap   = 4.0
	widest      = 34.0 // of a column of figures: longer ones become smaller
	leastWhat   = 52.0
	rowPadding  = 1.2
	partIndent  = 4.0
	periodWidth = 38.0
)

// measure fits the columns of figures to what is in them.
func (p *page) measure() (c columns) {
	d, w := p.doc, p.doc.Words
	c.amount = p.width(bold, small, p.clean(w.AmountColumn+", "+string(d.Currency)))
	grow := func(column *float64, size float64, text string) {
		if text != "" {
			*column = min(widest, max(*column, p.width(plain, size, text)))
		}
	}
	for _, l := range d.Lines {
		if d.Days(l) != "" {
			c.period = periodWidth
		}
		grow(&c.amount, body, w.Amount(l.Shown, d.Currency))
		if d.Kind == document.KindReceipt {
			continue
		}
		grow(&c.quantity, body, w.Number(l.Quantity))
		if d.Kind == document.KindInvoice {
			grow(&c.rate, body, w.Rate(l.Rate))
		}
		for _, part := range l.Parts {
			grow(&c.amount, small, w.Amount(part.Amount, l.Currency))
			grow(&c.quantity, small, w.Number(part.Quantity))
			grow(&c.rate, small, w.Rate(part.Rate))
		}
		for _, a := range l.Adjusted {
			grow(&c.amount, small, w.Amount(a.Amount, l.Currency))
		}
	}
	if c.quantity > 0 {
		c.quantity = max(c.quantity, p.width(bold, small, p.clean(w.Quantity)))
	}
	if c.rate > 0 {
		c.rate = max(c.rate, p.width(bold, small, p.clean(w.RateColumn)))
	}
	for _, used := range []float64{c.period, c.quantity, c.rate, c.amount} {
		if used > 0 {
			c.what -= used + columnGap
		}
	}
	c.what += bodyWidth
	if c.what < leastWhat { // figures are long: the period goes below the name
		c.what += c.period + columnGap
		c.period = 0
	}
	return c
}

// lines draws the table of lines, in groups with their subtotals.
func (p *page) lines() {
	d := p.doc
	if len(d.Lines) == 0 {
		return
	}
	c := p.measure()
	p.runHead = func() { p.tableHead(c) }
	p.tableHead(c)
	for _, g := range d.Groups() {
		if g.Name != "" {
			p.groupHead(g.Name)
		}
		for _, l := range g.Lines {
			p.line(c, l)
		}
		if g.Name != "" {
			p.groupFoot(c, g)
		}
	}
	p.hairline(leftMargin, pageWidth-rightMargin, p.y, dark, 0.35)
}

// places of the right edges of columns.
func (c columns) edges() (period, quantity, rate, amount float64) {
	amount = pageWidth - rightMargin
	rate = amount - c.amount - columnGap
	quantity = rate
	if c.rate > 0 {
		quantity = rate - c.rate - columnGap
	}
	return leftMargin + c.what + columnGap, quantity, rate, amount
}

func (p *page) tableHead(c columns) {
	w := p.doc.Words
	period, quantity, rate, amount := c.edges()
	y := base(p.y, small)
	p.put(bold, small, leftMargin, y, muted, p.clean(w.Description))
	if c.period > 0 {
		p.put(bold, small, period, y, muted, p.clean(w.Period))
	}
	if c.quantity > 0 {
		p.putRight(bold, small, quantity, y, c.quantity, muted, p.clean(w.Quantity))
	}
	if c.rate > 0 {
		p.putRight(bold, small, rate, y, c.rate, muted, p.clean(w.RateColumn))
	}
	p.putRight(bold, small, amount, y, c.amount, muted, p.clean(w.AmountColumn+", "+string(p.doc.Currency)))
	p.y += step(small) + 1
	p.hairline(leftMargin, pageWidth-rightMargin, p.y, dark, 0.35)
}

func (p *page) groupHead(name string) {
	lines := p.wrap(bold, body, p.clean(name), bodyWidth)
	p.room(float64(len(lines))*step(body) + 12)
	p.y += 2
	for _, line := range lines {
		p.put(bold, body, leftMargin, base(p.y, body), p.titleColor(), line)
		p.y += step(body)
	}
	p.y += 0.6
}

func (p *page) titleColor() [3]int {
	if readable(p.accent) {
		return p.accent
	}
	return dark
}

func (p *page) groupFoot(c columns, g document.Group) {
	p.room(step(body) + 2*rowPadding)
	y := p.y + rowPadding
	_, _, _, amount := c.edges()
	p.put(plain, small, leftMargin, base(y, small), muted, p.cut(plain, small, p.clean(p.doc.Words.Subtotal+" "+g.Name), c.what))
	p.putRight(bold, body, amount, base(y, body), c.amount, dark, p.doc.Words.Amount(g.Subtotal, p.doc.Currency))
	p.y = y + step(body) + rowPadding
}

// line draws a line, its sub-lines and its adjustments.
func (p *page) line(c columns, l document.Line) {
	d, w := p.doc, p.doc.Words
	period, quantity, rate, amount := c.edges()
	service := d.Days(l)
	names := p.wrap(bold, body, p.clean(l.Name), c.what)
	height := float64(len(names)) * step(body)
	var below []string
	if service != "" && c.period == 0 {
		below = p.wrap(plain, small, service, c.what)
		height += float64(len(below)) * step(small)
	}
	var beside []string
	if service != "" && c.period > 0 {
		beside = p.wrap(plain, small, service, c.period)
		height = max(height, float64(len(beside))*step(small)+0.6)
	}
	p.room(min(height, bodyEnd-topMargin-30) + 2*rowPadding)
	p.y += rowPadding
	y := base(p.y, body)
	for k, line := range beside {
		p.put(plain, small, period, base(p.y+0.6+float64(k)*step(small), small), muted, line)
	}
	if c.quantity > 0 && d.Kind != document.KindReceipt {
		p.putRight(plain, body, quantity, y, c.quantity, dark, w.Number(l.Quantity))
	}
	if l.Rate != "" {
		p.putRight(plain, body, rate, y, c.rate, dark, w.Rate(l.Rate))
	}
	p.putRight(plain, body, amount, y, c.amount, dark, w.Amount(l.Shown, d.Currency))
	end := p.y + height
	for _, line := range names {
		p.room(step(body))
		p.put(bold, body, leftMargin, base(p.y, body), dark, line)
		p.y += step(body)
	}
	for _, line := range below {
		p.room(step(small))
		p.put(plain, small, leftMargin, base(p.y, small), muted, line)
		p.y += step(small)
	}
	if p.y < end && end <= bodyEnd {
		p.y = end
	}
	if l.Converted(d) {
		p.part(c, w.Fill(w.InUnits, "amount", w.Money(l.Subtotal, l.Currency)), "", "", "")
	}
	for _, part := range l.Parts {
		p.part(c, part.Name, w.Number(part.Quantity), w.Rate(part.Rate), w.Amount(part.Amount, l.Currency))
	}
	for _, a := range l.Adjusted {
		p.part(c, a.Label, "", "", w.Amount(a.Amount, l.Currency))
	}
	p.y += rowPadding
	p.hairline(leftMargin, pageWidth-rightMargin, p.y, rule, 0.15)
}

// part draws a sub-line.
func (p *page) part(c columns, name, quantity, rate, amount string) {
	_, quantityEdge, rateEdge, amountEdge := c.edges()
	width := c.what - partIndent
	if c.period > 0 {
		width += c.period + columnGap
	}
	lines := p.wrap(plain, small, p.clean(name), width)
	p.room(min(float64(len(lines))*step(small), bodyEnd-topMargin-30))
	y := base(p.y, small)
	if quantity != "" {
		p.putRight(plain, small, quantityEdge, y, c.quantity, muted, quantity)
	}
	if rate != "" {
		p.putRight(plain, small, rateEdge, y, c.rate, muted, rate)
	}
	if amount != "" {
		p.putRight(plain, small, amountEdge, y, c.amount, muted, amount)
	}
	for _, line := range lines {
		p.room(step(small))
		p.put(plain, small, leftMargin+partIndent, base(p.y, small), muted, line)
		p.y += step(small)
	}
	if len(lines) == 0 {
		p.y += step(small)
	}
}
