package credit_test

import (
	"cmp"
	"slices"
)

// model is a ledger as it ought to be, in whole credits and hours of UTC. Nothing in it
// is kept but what cannot change any more: all else is computed again each time.
type model struct {
	now     int // hours
	blocks  []*modelBlock
	charges map[modelCharge]int // what lines charge for days; of closed days for good
	paid    map[modelPaid]int   // and committed
	back    []modelPaid         // in the order of days: what expired blocks got back of a void line,
	given   map[modelPaid]int   // and how much
}

type modelBlock struct {
	initial     int
	left        int // without what is pending
	from, until int // days; until 0: never
	item        int // that it pays for; 0: all
	cost        int
	gone        bool

	shows int // what is left with what is pending
	kept  int // of that, what is not lost as the block expires
}

type modelCharge struct{ day, line int }

type modelPaid struct {
	modelCharge
	block int
}

const modelGrace = 12 // hours

func (m *model) today() int            { return m.now / 24 }
func (m *model) closed(day int) bool   { return (day+1)*24+modelGrace <= m.now }
func (b *modelBlock) over(at int) bool { return b.until > 0 && b.until <= at }
func (b *modelBlock) inForce(day int) bool {
	return !b.gone && b.from <= day && !b.over(day)
}

// order is the order in which blocks pay.
func (m *model) order() []int {
	at := make([]int, len(m.blocks))
	for k := range at {
		at[k] = k
	}
	never := func(b *modelBlock) int { return cmp.Or(b.until, 1<<30) }
	slices.SortFunc(at, func(i, j int) int {
		a, b := m.blocks[i], m.blocks[j]
		return cmp.Or(cmp.Compare(min(b.item, 1), min(a.item, 1)), cmp.Compare(never(a), never(b)), cmp.Compare(a.cost, b.cost), cmp.Compare(i, j))
	})
	return at
}

// settle works out what is left, commits what is closed, and returns the balance.
func (m *model) settle() (balance int) {
	for _, b := range m.blocks {
		b.shows = b.left
	}
	expire := func(day int) {
		for _, b := range m.blocks {
			if lost := b.shows - min(b.shows, b.kept); b.over(day) && lost > 0 {
				if b.until*24+modelGrace <= m.now {
					b.left -= lost
				}
				b.shows -= lost
			}
		}
	}
	var days []modelCharge
	for c := range m.charges {
		days = append(days, c)
	}
	slices.SortFunc(days, func(a, b modelCharge) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.line, b.line)) })
	for _, c := range days {
		expire(c.day)
		due, whole := m.charges[c], 0
		for k, b := range m.blocks {
			due -= m.paid[modelPaid{c, k}]
			if b.inForce(c.day) || b.shows < 0 {
				whole += b.shows
			}
		}
		due = min(due, whole)
		for _, k := range m.order() {
			b := m.blocks[k]
			_, has := m.paid[modelPaid{c, k}]
			if due <= 0 || b.shows <= 0 || has || !b.inForce(c.day) || b.item != 0 && b.item != c.line {
				continue
			}
			taken := min(due, b.shows)
			b.shows, due = b.shows-taken, due-taken
			if m.closed(c.day) {
				b.left -= taken
				m.paid[modelPaid{c, k}] = taken
			}
		}
	}
	expire(m.today())
	if m.revive() {
		return m.settle()
	}
	for _, b := range m.blocks {
		if b.from <= m.today() && !b.gone {
			balance += b.shows
		}
	}
	return balance
}

// revive gives what expired blocks got back, and nothing else of their time took, to new
// blocks that last as long from today as the old one did from the day that it paid for.
func (m *model) revive() (made bool) {
	place := m.order()
	slices.SortStableFunc(m.back, func(x, y modelPaid) int {
		return cmp.Or(cmp.Compare(slices.Index(place, x.block), slices.Index(place, y.block)), cmp.Compare(x.day, y.day))
	})
	for _, of := range m.back {
		b := m.blocks[of.block]
		amount := min(m.given[of], b.kept, b.shows)
		if amount <= 0 {
			continue
		}
		b.left, b.shows, b.kept = b.left-amount, b.shows-amount, b.kept-amount
		last := m.today() + b.until - of.day
		m.blocks = append(m.blocks, &modelBlock{initial: amount, left: amount, from: m.today(), until: last, item: b.item, cost: b.cost})
		made = true
	}
	m.back, m.given = nil, nil
	for _, b := range m.blocks {
		b.kept = 0
	}
	return made
}

// void gives back what was paid of a line, which charges nothing any more.
func (m *model) void(line int) {
	m.given = map[modelPaid]int{}
	for of, amount := range m.paid {
		b := m.blocks[of.block]
		if of.line != line {
			continue
		}
		delete(m.paid, of)
		switch {
		case amount == 0 || b.gone:
			continue
		case b.over(m.today()):
			b.kept += amount
			m.back, m.given[of] = append(m.back, of), amount
		}
		b.left += amount
	}
}

// decrement takes credits by hand, from blocks in their order and then from the last one
// for everything that never expires.
func (m *model) decrement(amount int) {
	debtor := -1
	for _, k := range m.order() {
		b := m.blocks[k]
		if b.from > m.today() || b.gone {
			continue
		}
		if b.until == 0 && b.item == 0 {
			debtor = k
		}
		if taken := min(amount, b.shows); taken > 0 {
			b.left, amount = b.left-taken, amount-taken
		}
	}
	if amount == 0 {
		return
	}
	if debtor < 0 {
		debtor = len(m.blocks)
		m.blocks = append(m.blocks, &modelBlock{from: m.today()})
	}
	m.blocks[debtor].left -= amount
}
