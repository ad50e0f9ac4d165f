package paper

import (
	"fmt"
	"slices"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
)

// Of the appendix with the usage by day: days stand in columns, and are read down.
const (
	dayColumns = 3
	dayRows    = 16 // of the columns that stand together on a page
	dayGap     = 8.0
	dayWidth   = (bodyWidth - (dayColumns-1)*dayGap) / dayColumns
)

// usageByDay draws the appendix on pages of its own, where the document has one.
func (p *page) usageByDay() {
	d, w := p.doc, p.doc.Words
	lines := d.ByDay()
	if len(lines) == 0 {
		return
	}
	p.nextPage()
	p.paragraph(bold, 13, leftMargin, bodyWidth, p.titleColor(), w.UsageByDay)
	p.paragraph(plain, small, leftMargin, bodyWidth, muted, w.UsageByDayNote)
	for _, l := range lines {
		p.daysOf(l)
	}
	if d.DaysLeftOut > 0 {
		p.y += 4
		p.paragraph(plain, small, leftMargin, bodyWidth, muted, w.Fill(w.DaysLeftOut, "count", fmt.Sprint(d.DaysLeftOut)))
	}
}

// daysOf draws the days of a line and their sum.
func (p *page) daysOf(l document.Line) {
	w := p.doc.Words
	names := p.wrap(bold, body, p.clean(l.Name), bodyWidth)
	p.y += 4
	p.room(min(float64(len(names))*step(body)+4*step(small), bodyEnd-topMargin-30))
	p.paragraph(bold, body, leftMargin, bodyWidth, dark, l.Name)
	if service := p.doc.Days(l); service != "" {
		p.paragraph(plain, small, leftMargin, bodyWidth, muted, service)
	}
	var sum money.Decimal
	for block := range slices.Chunk(l.Days, dayColumns*dayRows) {
		p.y++
		p.dayBlock(block)
		for _, day := range block {
			sum = sum.Add(day.Quantity)
		}
	}
	p.room(step(small) + 2)
	p.hairline(leftMargin, pageWidth-rightMargin, p.y, rule, 0.15)
	p.y++
	p.put(bold, small, leftMargin, base(p.y, small), dark, p.clean(w.DaysTotal))
	p.putRight(bold, small, pageWidth-rightMargin, base(p.y, small), bodyWidth*0.6, dark, w.Number(sum))
	p.y += step(small)
}

// dayBlock draws days that stand on one page.
func (p *page) dayBlock(days []invoice.UsageDay) {
	w := p.doc.Words
	rows := (len(days) + dayColumns - 1) / dayColumns
	p.room(float64(rows) * step(small))
	for k, day := range days {
		x, y := leftMargin+float64(k/rows)*(dayWidth+dayGap), base(p.y+float64(k%rows)*step(small), small)
		date := p.put(plain, small, x, y, muted, p.clean(w.Date(day.On)))
		p.putRight(plain, small, x+dayWidth, y, dayWidth-date-columnGap, dark, w.Number(day.Quantity))
	}
	p.y += float64(rows) * step(small)
}
